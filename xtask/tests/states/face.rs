//! The face of Rust: see `states.py`.

use std::error::Error;
use std::fmt::Write;
use std::io::{self, BufRead};

use hashlanes::xof::{Kt128, Kt256, TurboShake128, TurboShake256, Xof};
use hashlanes::{Algorithm, Blake2Params, Blake2b512, Blake3, Hasher, HmacKey, Prefix, Shake128};

type Bytes = Result<Vec<u8>, Box<dyn Error>>;

const KEY: [u8; 32] = [7; 32];

/// The state of a message, or its digest.
macro_rules! answer {
    ($message:expr, $data:expr, $is_saved:expr) => {{
        let mut message = $message;
        message.update($data);
        if $is_saved { Ok(message.save_with_key()) } else { Ok(message.output()) }
    }};
}

/// What messages of all kinds have in common.
trait Message {
    fn output(self) -> Vec<u8>;
}

macro_rules! outputs {
    ($($message:ty, $finalize:expr;)*) => {
        $(impl Message for $message {
            fn output(self) -> Vec<u8> {
                let mut output = vec![0; 50];
                #[allow(clippy::redundant_closure_call)]
                $finalize(&self).read(&mut output);
                output
            }
        })*
    };
}

outputs! {
    Xof<Shake128>, |it: &Self| it.finalize();
    Xof<TurboShake128>, |it: &Self| it.finalize();
    Xof<TurboShake256>, |it: &Self| it.finalize();
    Kt128, |it: &Self| it.finalize("");
    Kt256, |it: &Self| it.finalize("");
}

impl<A: hashlanes::Function> Message for Hasher<A> {
    fn output(self) -> Vec<u8> {
        self.finalize().as_ref().to_vec()
    }
}

/// KangarooTwelve and HMAC save no key.
trait Keyless {
    fn save_with_key(&self) -> Vec<u8>;
}

impl Keyless for Kt128 {
    fn save_with_key(&self) -> Vec<u8> {
        self.save()
    }
}

impl Keyless for Kt256 {
    fn save_with_key(&self) -> Vec<u8> {
        self.save()
    }
}

/// A message of a function, and then these bytes: its state or its digest.
fn begin(function: &str, data: &[u8], is_saved: bool) -> Bytes {
    match function {
        "kt128" => answer!(Kt128::new(), data, is_saved),
        "kt256" => answer!(Kt256::new(), data, is_saved),
        "turboshake128" => answer!(Xof::<TurboShake128>::new(), data, is_saved),
        "turboshake256" => answer!(Xof::<TurboShake256>::with_domain(0x22), data, is_saved),
        "cshake128" => answer!(Xof::<Shake128>::customized("", "a text"), data, is_saved),
        "blake3-keyed" => answer!(Prefix::<Blake3>::keyed(&KEY).hasher(), data, is_saved),
        "blake2b-keyed" => {
            let params = Blake2Params::new().key(&KEY);
            answer!(Prefix::<Blake2b512>::with_params(params)?.hasher(), data, is_saved)
        }
        "hmac-sha256" => {
            let mut hasher = HmacKey::of(Algorithm::Sha256, KEY).hasher();
            hasher.update(data);
            Ok(if is_saved { hasher.save() } else { hasher.finalize().as_bytes().to_vec() })
        }
        _ => answer!(Hasher::of(Algorithm::from_name(function)?), data, is_saved),
    }
}

/// The digest of a saved message that continues with these bytes.
fn end(saved: &[u8], data: &[u8]) -> Bytes {
    let key = HmacKey::of(Algorithm::Sha256, KEY);
    if let Ok(hasher) = Hasher::<Algorithm>::restore(saved) {
        return answer!(hasher, data, false);
    } else if let Ok(mut hasher) = key.restore(saved) {
        hasher.update(data);
        return Ok(hasher.finalize().as_bytes().to_vec());
    } else if let Ok(message) = Xof::<Shake128>::restore(saved) {
        return answer!(message, data, false);
    } else if let Ok(message) = Xof::<TurboShake128>::restore(saved) {
        return answer!(message, data, false);
    } else if let Ok(message) = Xof::<TurboShake256>::restore(saved) {
        return answer!(message, data, false);
    } else if let Ok(message) = Kt256::restore(saved) {
        return answer!(message, data, false);
    }
    answer!(Kt128::restore(saved)?, data, false)
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut data = Vec::new();
    for line in io::stdin().lock().lines() {
        let line = line?;
        let words: Vec<_> = line.split(' ').collect();
        let answer = match words[..] {
            ["load", file] => {
                data = std::fs::read(file)?;
                println!("ok");
                continue;
            }
            ["save", function, cut] => begin(function, &data[..cut.parse()?], true),
            ["digest", function, length] => begin(function, &data[..length.parse()?], false),
            ["end", state, from, to] => {
                let byte = |at| u8::from_str_radix(&state[at..at + 2], 16);
                let saved: Vec<_> =
                    (0..state.len()).step_by(2).map(byte).collect::<Result<_, _>>()?;
                match end(&saved, &data[from.parse()?..to.parse()?]) {
                    Err(_) => {
                        println!("no");
                        continue;
                    }
                    answer => answer,
                }
            }
            _ => return Err(format!("unknown: {line}").into()),
        };
        let mut hex = String::new();
        answer?.iter().try_for_each(|byte| write!(hex, "{byte:02x}"))?;
        println!("{hex}");
    }
    Ok(())
}
