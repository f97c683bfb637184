//! NIST's ACVP vectors.

use hashlanes::Algorithm;
use hashlanes_slh_dsa::{Domain, ParameterSet, SigningKey, VerifyingKey};

/// The bytes of a hexadecimal field. A dash stands for none.
fn bytes(hex: &str) -> Vec<u8> {
    let digits = hex.trim_matches('-').as_bytes().chunks_exact(2);
    digits.map(|pair| u8::from_str_radix(str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
}

fn domain<'c>(how: &str, context: &'c [u8]) -> Domain<'c> {
    match how {
        "internal" => Domain::internal(),
        "pure" => Domain::pure(context).unwrap(),
        function => Domain::pre_hash(context, function.parse().unwrap()).unwrap(),
    }
}

fn test(line: &str) {
    let mut fields = line.split(' ');
    let (kind, set) = (fields.next().unwrap(), fields.next().unwrap());
    let set = ParameterSet::from_name(set).unwrap();
    match (kind, &fields.collect::<Vec<_>>()[..]) {
        ("keygen", [key]) => {
            let key = bytes(key);
            let made = SigningKey::from_seeds(set, &key[..key.len() / 4 * 3]).unwrap();
            assert_eq!(made.as_bytes(), key, "{line}");
        }
        ("sign", [how, key, random, context, message, digest]) => {
            let key = SigningKey::from_bytes(set, &bytes(key)).unwrap();
            let (context, message, random) = (bytes(context), bytes(message), bytes(random));
            let domain = domain(how, &context);
            let signatures = match &random[..] {
                [] => key.sign_many(&[&message], domain, None),
                random => key.sign_with(&[&message], domain, random),
            };
            let signature = signatures.unwrap().remove(0);
            assert_eq!(Algorithm::Sha256.digest(&signature).to_string(), *digest, "{line}");
            assert!(key.verifying_key().is_valid(&message, &signature, domain));
        }
        ("verify", [how, key, context, message, signature, result]) => {
            let key = VerifyingKey::from_bytes(set, &bytes(key)).unwrap();
            let (context, message) = (bytes(context), bytes(message));
            let valid = key.is_valid(message, bytes(signature), domain(how, &context));
            assert_eq!(valid, *result == "valid", "{line}");
        }
        _ => panic!("not a vector: {line}"),
    }
}

/// The variable `HASHLANES_ACVP` names a folder whose file `slh-dsa.txt` has more vectors in the
/// same form.
#[test]
fn the_vectors_of_nist_pass() {
    let more = std::env::var_os("HASHLANES_ACVP").map(|folder| {
        let path = std::path::Path::new(&folder).join("slh-dsa.txt");
        std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    });
    let all = include_str!("acvp.txt").lines().chain(more.iter().flat_map(|more| more.lines()));
    all.filter(|line| !line.starts_with('#')).for_each(test);
}
