//! The program, run as its users run it and compared with its peers: one file of tests per subject.

mod common;

#[cfg(unix)]
mod bags;
#[cfg(feature = "lab")]
mod bench;
#[cfg(unix)]
mod check;
#[cfg(unix)]
mod damaged;
#[cfg(unix)]
mod documents;
#[cfg(unix)]
mod doors;
#[cfg(unix)]
mod formats;
#[cfg(unix)]
mod gnu;
mod info;
#[cfg(unix)]
mod install;
#[cfg(unix)]
mod limits;
#[cfg(unix)]
mod manifest;
#[cfg(unix)]
mod many;
#[cfg(all(unix, feature = "objects"))]
mod objects;
#[cfg(unix)]
mod one_at_a_time;
#[cfg(unix)]
mod own;
#[cfg(unix)]
mod partial;
mod random;
#[cfg(unix)]
mod report;
mod results;
#[cfg(unix)]
mod resume;
#[cfg(unix)]
mod rngtest;
#[cfg(feature = "lab")]
mod simulate;
#[cfg(all(unix, feature = "slh-dsa"))]
mod slh_dsa;
#[cfg(unix)]
mod special;
#[cfg(all(unix, feature = "objects"))]
mod stored;
#[cfg(unix)]
mod streams;
mod sum;
#[cfg(unix)]
mod swapped;
mod torrent;
#[cfg(unix)]
mod trees;
#[cfg(unix)]
mod update;
#[cfg(unix)]
mod wild;
mod wild_rows;
#[cfg(windows)]
mod windows;
#[cfg(all(unix, not(feature = "objects")))]
mod without_objects;
#[cfg(not(feature = "slh-dsa"))]
mod without_slh_dsa;
