//! CBC by itself: 64 buffers compared with one, and each kernel of this CPU.

use std::cell::RefCell;

use anyhow::{Result, ensure};
use hashlanes_records::{AesKey, CbcBuffer, CbcEngine, cbc_kernels};
use openssl::symm::{Cipher, encrypt};
use rand::Rng;

use crate::Plan;
use crate::contender::{Contender, figures, in_turns, per_cycle, times};

const BUFFER: usize = 16384;

/// Buffers with their keys.
struct Bed {
    engine: CbcEngine,
    keys: Vec<[u8; 16]>,
    expanded: Vec<AesKey>,
    data: Vec<Vec<u8>>,
}

impl Bed {
    fn new(engine: CbcEngine, buffers: usize, own_keys: bool) -> Self {
        let mut random = rand::rng();
        let keys: Vec<[u8; 16]> = (0..if own_keys { buffers } else { 1 })
            .map(|_| {
                let mut key = [0; 16];
                random.fill_bytes(&mut key);
                key
            })
            .collect();
        let expanded = keys.iter().filter_map(|key| AesKey::new(key).ok()).collect();
        let mut data = vec![vec![0; BUFFER]; buffers];
        data.iter_mut().for_each(|data| random.fill_bytes(data));
        Self { engine, keys, expanded, data }
    }

    fn encrypt(&mut self) {
        let keys = self.expanded.iter().cycle();
        let mut buffers: Vec<_> = self
            .data
            .iter_mut()
            .zip(keys)
            .map(|(data, key)| CbcBuffer { key, iv: [7; 16], data })
            .collect();
        self.engine.encrypt_many(&mut buffers).expect("whole blocks");
        std::hint::black_box(&self.data);
    }

    /// Encrypts once more, and compares with OpenSSL.
    fn check(&mut self) -> Result<()> {
        let before = self.data.clone();
        self.encrypt();
        for ((before, after), key) in before.iter().zip(&self.data).zip(self.keys.iter().cycle()) {
            let right = encrypt(Cipher::aes_128_cbc(), key, Some(&[7; 16]), before)?;
            ensure!(right[..BUFFER] == **after, "wrong ciphertext");
        }
        Ok(())
    }
}

pub(crate) fn run(plan: Plan) -> Result<()> {
    let chosen = CbcEngine::new();
    let mut beds = vec![("1 buffer".to_owned(), RefCell::new(Bed::new(chosen, 1, false)))];
    for buffers in [4, 8, 16, 64] {
        let bed = |own_keys| RefCell::new(Bed::new(chosen, buffers, own_keys));
        beds.push((format!("{buffers} buffers, one key"), bed(false)));
        beds.push((format!("{buffers} buffers, own keys"), bed(true)));
    }
    for kernel in cbc_kernels().filter(|kernel| kernel.available) {
        let engine = CbcEngine::with_kernel(kernel.name)?;
        let bed = |own_keys| RefCell::new(Bed::new(engine, kernel.lanes, own_keys));
        beds.push((format!("{}, one key", kernel.name), bed(false)));
        beds.push((format!("{}, own keys", kernel.name), bed(true)));
    }
    let mut contenders = vec![Contender::Speed(vec!["-evp", "aes-128-cbc", "-bytes", "16384"])];
    contenders.extend(beds.iter().map(|(_, bed)| {
        let bytes = BUFFER * bed.borrow().data.len();
        Contender::ours(bytes, || bed.borrow_mut().encrypt())
    }));
    let samples = in_turns(plan, &mut contenders)?;
    drop(contenders);
    let [openssl, ours @ ..] = samples.as_slice() else { return Ok(()) };
    println!("\nAES-128-CBC, buffers of 16 KiB");
    println!("{:26} {:>6} {:>7} {:>9} {:>9}", "", "GB/s", "B/cycle", "/ OpenSSL", "/ 1 buffer");
    let names = ["OpenSSL, one stream"].into_iter().chain(beds.iter().map(|(name, _)| &**name));
    for (name, samples) in names.zip(&samples) {
        let figures = figures(samples)?;
        println!(
            "{name:26} {:>6.2} {:>7} {:>9.2} {:>9.2}",
            figures.gb_per_s.median,
            per_cycle(&figures),
            times(samples, openssl)?,
            times(samples, &ours[0])?,
        );
    }
    beds.iter().try_for_each(|(_, bed)| bed.borrow_mut().check())
}
