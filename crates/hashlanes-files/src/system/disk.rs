//! Detects rotational disks.

/// Whether the file system with this number (`st_dev`) is on a rotational disk, which would seek
/// between files that are read side by side. Always `false` if the system does not tell.
#[cfg(target_os = "linux")]
pub(crate) fn is_rotational(device: u64) -> bool {
    let (major, minor) = (rustix::fs::major(device), rustix::fs::minor(device));
    linux::is_rotational(std::path::Path::new("/sys/dev/block"), &format!("{major}:{minor}"))
}

/// Always `false`: other systems are not asked.
#[cfg(not(target_os = "linux"))]
pub(crate) fn is_rotational(_: u64) -> bool {
    false
}

#[cfg(target_os = "linux")]
mod linux {
    use std::fs;
    use std::path::Path;

    /// Whether a block device is rotational. `block` is the folder with a link for each device,
    /// named by its number.
    ///
    /// The disks of virtual machines claim to be rotational, but few are, so they do not count. A
    /// device that is composed of others (encrypted, mirrored) is like those.
    pub(super) fn is_rotational(block: &Path, number: &str) -> bool {
        let Ok(device) = fs::canonicalize(block.join(number)) else { return false };
        let parts = |folder: &Path| -> Vec<String> {
            let parts = fs::read_dir(folder.join("slaves")).into_iter().flatten().flatten();
            let numbers = parts.map(|part| fs::read_to_string(part.path().join("dev")));
            numbers.flatten().map(|number| number.trim().to_owned()).collect()
        };
        let parts = parts(&device);
        if !parts.is_empty() {
            return parts.iter().any(|part| is_rotational(block, part));
        }
        let is_virtual = device.components().any(|part| {
            let part = part.as_os_str().as_encoded_bytes();
            part.starts_with(b"virtio") || part == b"virtual" || part.starts_with(b"vbd-")
        });
        // For a partition, it is one level up, in the folder of its disk.
        let says = |folder: &Path| fs::read_to_string(folder.join("queue/rotational")).ok();
        let says = says(&device).or_else(|| says(device.parent()?));
        !is_virtual && says.is_some_and(|says| says.trim() == "1")
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn partitions_and_mirrors_are_what_their_disks_are() {
            let folder = tempfile::tempdir().unwrap();
            let at = |name: &str| folder.path().join(name);
            let device = |path: &str, number: &str, rotational: Option<&str>| {
                fs::create_dir_all(at(path).join("queue")).unwrap();
                fs::write(at(path).join("dev"), format!("{number}\n")).unwrap();
                if let Some(rotational) = rotational {
                    fs::write(at(path).join("queue/rotational"), rotational).unwrap();
                }
                fs::create_dir_all(at("block")).unwrap();
                std::os::unix::fs::symlink(at(path), at("block").join(number)).unwrap();
            };
            device("pci/ata1/sda", "8:0", Some("1\n"));
            device("pci/ata1/sda/sda1", "8:1", None);
            device("pci/nvme/nvme0n1", "259:0", Some("0\n"));
            device("pci/virtio3/block/vda", "254:0", Some("1\n"));
            for (name, number, part) in
                [("dm-0", "253:0", "pci/ata1/sda/sda1"), ("dm-1", "253:1", "pci/nvme/nvme0n1")]
            {
                let path = format!("virtual/block/{name}");
                device(&path, number, Some("1\n"));
                fs::create_dir(at(&path).join("slaves")).unwrap();
                std::os::unix::fs::symlink(at(part), at(&path).join("slaves/part")).unwrap();
            }
            device("virtual/block/loop0", "7:0", Some("1\n"));
            let all = ["8:0", "8:1", "259:0", "254:0", "253:0", "253:1", "7:0", "0:5"];
            let rotational: Vec<_> =
                all.into_iter().filter(|number| is_rotational(&at("block"), number)).collect();
            assert_eq!(rotational, ["8:0", "8:1", "253:0"]);
        }
    }
}
