//! Any bytes as a dm-verity superblock with a tree after it: nothing panics, and an accepted
//! superblock is written back unchanged. A small tree is compared with the data.

#![no_main]

use hashlanes_tree::dmverity::{SUPERBLOCK, Superblock, Verifier, Verity};
use hashlanes_tree::{Job, Settings, Slice, hash_content};
use libfuzzer_sys::fuzz_target;

/// The most bytes of data and tree that are examined.
const SMALL: u64 = 32 << 10;

fuzz_target!(|input: &[u8]| {
    let [choice, offset, input @ ..] = input else { return };
    let mut block = [0; SUPERBLOCK];
    let length = input.len().min(SUPERBLOCK);
    block[..length].copy_from_slice(&input[..length]);
    if choice & 1 != 0 {
        // With a valid signature, version and type, so that more of them get on.
        block[..16].copy_from_slice(b"verity\0\0\x01\0\0\0\x01\0\0\0");
    }
    let Ok(superblock) = Superblock::read(&block) else { return };
    let Superblock { parameters, data_blocks } = superblock;
    let (data_block, hash_block) = (parameters.data_block, parameters.hash_block);
    let Some(length) = data_blocks.checked_mul(data_block.into()) else { return };
    let Ok(verity) = Verity::new(parameters, length) else { return };
    assert!(data_block.is_power_of_two() && hash_block.is_power_of_two());
    assert!(verity.file_len() >= SUPERBLOCK as u64);
    let again = Superblock::read(&verity.superblock()).unwrap();
    assert_eq!(again.data_blocks, data_blocks);
    let (read, written) = (verity.parameters(), &again.parameters);
    assert_eq!((&read.salt, read.uuid), (&written.salt, written.uuid));
    assert_eq!(read.engine.algorithm(), written.engine.algorithm());
    assert_eq!((read.hash_type, data_block), (written.hash_type, written.data_block));
    let offset = u64::from(*offset) << (choice >> 2);
    let end = verity.file_len();
    let Ok(verity) = verity.with_hash_offset(offset) else {
        // The offset is not a multiple, or no file can hold the tree.
        let last = end.saturating_add(offset).saturating_add(hash_block.into());
        assert!(!offset.is_multiple_of(512) || i64::try_from(last).is_err());
        return;
    };
    assert!(verity.file_len() >= offset + SUPERBLOCK as u64);
    if length.saturating_add(verity.file_len()) <= SMALL {
        compare(&verity, length, input.get(SUPERBLOCK..).unwrap_or_default());
    }
});

/// Compares data and a tree that both consist of these bytes, repeated.
fn compare(verity: &Verity, length: u64, bytes: &[u8]) {
    let all = length.max(verity.file_len()) as usize;
    let content: Vec<u8> = bytes.iter().copied().chain([0]).cycle().take(all).collect();
    let mut tree = verity.tree(Verifier::new(verity, content.as_slice()));
    let plan = verity.plan();
    let settings = Settings { threads: std::num::NonZeroUsize::MIN, ..Settings::default() };
    let data = Slice::new(content.as_slice(), 0..length);
    hash_content(&data, &mut [Job::new(&plan, &mut tree)], &settings).unwrap();
    let (root, verifier) = tree.finish().unwrap();
    let (differences, count) = verifier.differences();
    assert!(differences.len() as u64 <= count);
    assert_eq!(root.as_bytes().len(), verity.plan().digest_len());
}
