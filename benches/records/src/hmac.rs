//! `hmac_many` on messages of 1 KiB beside `digest_many` on messages two blocks longer: the blocks
//! of the key are compressed beforehand, and the outer hash takes one block or two.

use anyhow::Result;
use hashlanes::{Engine, HashFunction, HmacKey, Sha1, Sha256, digest_many, digest_many_into};
use rand::Rng;

use crate::Plan;
use crate::contender::{Contender, figures, in_turns, times};

const MESSAGES: usize = 64;
const MESSAGE: usize = 1024;

pub(crate) fn run(plan: Plan) -> Result<()> {
    println!("\n{MESSAGES} messages of {MESSAGE} bytes: MACs beside digests of two blocks more");
    one::<Sha1>(plan)?;
    one::<Sha256>(plan)
}

fn one<A: HashFunction>(plan: Plan) -> Result<()> {
    let longer = MESSAGE + 2 * A::ALGORITHM.block_len();
    let mut bytes = vec![0; MESSAGES * longer];
    rand::rng().fill_bytes(&mut bytes);
    let messages: Vec<&[u8]> = bytes.chunks(longer).collect();
    let keys: Vec<_> = messages.iter().map(|key| HmacKey::<A>::new(&key[..20])).collect();
    let pairs: Vec<_> =
        keys.iter().zip(messages.iter().map(|message| &message[..MESSAGE])).collect();
    let mut macs = Engine::new().hmac_many(&pairs);
    let mut digests = digest_many::<A>(&messages);
    let mut contenders = [
        Contender::ours(MESSAGES * MESSAGE, || Engine::new().hmac_many_into(&pairs, &mut macs)),
        Contender::ours(MESSAGES * MESSAGE, || digest_many_into::<A>(&messages, &mut digests)),
    ];
    let samples = in_turns(plan, &mut contenders)?;
    drop(contenders);
    println!(
        "{}: HMAC {:.2} GB/s, digest {:.2} GB/s of the same bytes, ratio {:.2}",
        A::ALGORITHM,
        figures(&samples[0])?.gb_per_s.median,
        figures(&samples[1])?.gb_per_s.median,
        times(&samples[0], &samples[1])?,
    );
    Ok(())
}
