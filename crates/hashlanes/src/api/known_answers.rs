//! The messages of the self-test and its known answers. The tests compute these with independent
//! implementations.

/// The lengths of messages of one call: around the ends of blocks of all functions, and of chunks
/// of BLAKE3.
pub(super) const MIXED: [usize; 33] = [
    0, 1, 3, 55, 56, 63, 64, 65, 71, 72, 73, 103, 104, 105, 111, 112, 119, 127, 128, 129, 135, 136,
    137, 143, 144, 167, 168, 255, 1000, 1023, 1024, 1025, 3000,
];

/// Lengths of the messages of calls in which all have the same.
pub(super) const EQUAL: [usize; 3] = [32, 64, 150];

/// Bytes of the longest message. Byte i of what messages are cut from is i modulo 251.
pub(super) const LONGEST: usize = 3000;

/// For each function, the digest of all digests: its first 32 bytes, or all of a shorter one.
pub(super) const ANSWERS: [(&str, &str); 20] = [
    ("md5", "6ba550ac5381f0b449c4933dfc2a3eb1"),
    ("sha1", "7d6afcbf789511693e781fd9cc85766a20ce12a2"),
    ("sha224", "f4e422447077c79ae7cbf57e2e1b03e5fcf4e2b66567795dcdd17cae"),
    ("sha256", "538bf48780620b3c8ac06dee9ba2d97b08cdbf93e9bb6190f88b1ac0740da23f"),
    ("sha384", "9516dfbb1f3ada25cb105b9cb998069be41320b5b5985894fa33fb649c93cf5f"),
    ("sha512", "d74e67ae9e1eb079ce5b7d6c35bfb0c4bd697e84b98ac5b65f7ca02c160fabfd"),
    ("sha512-256", "75870b8a737af8bf77bdca7823465e3a45e9ac048bd70e079bb222a6574465ba"),
    ("sm3", "7e71572e11fc85ba5177ada2b8b004ced3627f1f9065b370fce8e1b66595c0ce"),
    ("sha3-224", "6db874de2b10cba469b2ac7af57e3311071ade15b5566ef3889ef24c"),
    ("sha3-256", "a998a5c816e326d2b777fcdfa2bd64d30317cb70e36d2c4b6cd5d5f70b623360"),
    ("sha3-384", "d165905b112a5d7ee4ca01d5f208454bce20c038d75c9583af0449a60b1e9718"),
    ("sha3-512", "493801363e8302c4142fea3939e5ec284eed3db68f309fac0fb320ef213338b8"),
    ("keccak256", "c39a48263b558665b5e5277a54478d081bdaac3d2b866bcc4860f833e8e2a3e4"),
    ("keccak512", "302d29348d505f28899b56600591752638ca5925cf79128c763687cd740e8687"),
    ("shake128", "ba803909de1b31b0f0fa166243234c970a3af9209c23d2bccf25c40e2607d2f9"),
    ("shake256", "c38006981fe6e4b60fbd0788638aabc08cd73760eaf0d2410e0707629a5325dc"),
    ("blake2b", "ea5bdf8bb85a90f28bd69e3afc20a858fbabf99386c958f9f4b3c08e3ad2396b"),
    ("blake2s", "f087d55c837aae2bacd49382ec92ddd3a0a105e12bdc5a5dc8dedcea261bf857"),
    ("blake3", "0157f5eb371144752bf8ed6e5ec4ca5f0e1f70d360836ce42eafd698331c6419"),
    ("sha256d", "0613b3099a6b2bdef2675ab036c8b684244d916ab19eedb9d372df8f18a20be7"),
];
