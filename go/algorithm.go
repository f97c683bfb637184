package hashlanes

import (
	"fmt"
	"hash"
	"strings"

	"hashlanes/internal/kernels"
)

// An Algorithm is a hash function.
type Algorithm uint32

// The algorithms, with the numbers in hashlanes.h.
const (
	MD5        Algorithm = 1 + iota // RFC 1321, 16 bytes. Broken: see the package's security note.
	SHA1                            // FIPS 180-4, 20 bytes. Also broken.
	SHA224                          // FIPS 180-4, 28 bytes.
	SHA256                          // FIPS 180-4, 32 bytes.
	SHA384                          // FIPS 180-4, 48 bytes.
	SHA512                          // FIPS 180-4, 64 bytes.
	SHA512_256                      // FIPS 180-4, 32 bytes.
	SM3                             // GB/T 32905-2016, 32 bytes.
	SHA3_224                        // FIPS 202, 28 bytes.
	SHA3_256                        // FIPS 202, 32 bytes.
	SHA3_384                        // FIPS 202, 48 bytes.
	SHA3_512                        // FIPS 202, 64 bytes.
	Keccak256                       // With the padding from before FIPS 202, 32 bytes.
	Keccak512                       // The same, 64 bytes.
	SHAKE128                        // FIPS 202 with 32 bytes (RFC 8702).
	SHAKE256                        // FIPS 202 with 64 bytes (RFC 8702).
	BLAKE2b                         // RFC 7693, 64 bytes.
	BLAKE2s                         // RFC 7693, 32 bytes.
	BLAKE3                          // 32 bytes.
	SHA256d                         // SHA-256 of SHA-256's digest, as in Bitcoin, 32 bytes.
)

// properties describes an algorithm, and how its messages become blocks.
type properties struct {
	name      string
	size      int
	blockSize int
	// magic begins a saved state of the standard library.
	magic string
	// The state between two blocks has this many words of wordSize bytes, and a lane's laneWords.
	words, laneWords, wordSize int
	littleEndian               bool
	kind                       kind
	family                     kernels.Family
	mode                       int
	// initial is a lane's state before the first block, and before the number of bytes that are in it:
	// whole blocks.
	initial []uint64
	before  uint64
	// narrow are the words of initial if they have 32 bits.
	narrow [8]uint32
	// suffix is the byte after a sponge's message, and ending what is between them.
	suffix byte
	ending []byte
}

// A kind is a way to end messages.
type kind uint8

const (
	merkleDamgard kind = iota // A bit, and the length: RFC 1321, FIPS 180-4.
	sponge                    // FIPS 202.
	blake2                    // RFC 7693: the last block is compressed in another way.
	blake3                    // The same.
)

// md are the properties of a function of the MD4 kind.
func md(
	name string, size int, magic string, family kernels.Family, wordSize int, initial []uint64,
) properties {
	p := properties{
		name: name, size: size, blockSize: 16 * wordSize, magic: magic, words: len(initial),
		laneWords: len(initial), wordSize: wordSize, littleEndian: family == kernels.MD5,
		family: family, initial: initial,
	}
	for w, word := range initial {
		p.narrow[w] = uint32(word)
	}
	return p
}

// keccak are the properties of a sponge.
func keccak(name string, size, rate, mode int, suffix byte) properties {
	return properties{
		name: name, size: size, blockSize: rate, laneWords: 26, wordSize: 8, littleEndian: true,
		kind: sponge, family: kernels.Keccak, mode: mode, initial: emptySponge[:], suffix: suffix,
	}
}

// emptySponge is the state of a sponge that has absorbed nothing.
var emptySponge [26]uint64

// blake are the properties of BLAKE2 and BLAKE3. The first word is exclusively or'ed with
// parameter.
func blake(
	name string, size int, family kernels.Family, wordSize, laneWords int, parameter uint64,
) properties {
	p := properties{
		name: name, size: size, blockSize: 16 * wordSize, laneWords: laneWords, wordSize: wordSize,
		littleEndian: true, kind: blake2, family: family, initial: make([]uint64, laneWords),
	}
	for i := range 8 {
		p.initial[i] = uint64(kernels.IV256[i])
		if wordSize == 8 {
			p.initial[i] = kernels.IV512[i]
		}
	}
	p.initial[0] ^= parameter
	if family == kernels.BLAKE3 {
		p.kind = blake3
		p.initial[blake3Length], p.initial[blake3Flags] = 64, chunkStart
	}
	return p
}

var all = [...]properties{
	MD5: md("md5", 16, "md5\x01", kernels.MD5, 4, []uint64{
		0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476,
	}),
	SHA1: md("sha1", 20, "sha\x01", kernels.SHA1, 4, []uint64{
		0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0,
	}),
	SHA224: md("sha224", 28, "sha\x02", kernels.SHA256, 4, []uint64{
		0xc1059ed8, 0x367cd507, 0x3070dd17, 0xf70e5939, 0xffc00b31, 0x68581511, 0x64f98fa7, 0xbefa4fa4,
	}),
	SHA256: md("sha256", 32, "sha\x03", kernels.SHA256, 4, initialSHA256()),
	SHA384: md("sha384", 48, "sha\x04", kernels.SHA512, 8, []uint64{
		0xcbbb9d5dc1059ed8, 0x629a292a367cd507, 0x9159015a3070dd17, 0x152fecd8f70e5939,
		0x67332667ffc00b31, 0x8eb44a8768581511, 0xdb0c2e0d64f98fa7, 0x47b5481dbefa4fa4,
	}),
	SHA512: md("sha512", 64, "sha\x07", kernels.SHA512, 8, kernels.IV512[:]),
	SHA512_256: md("sha512-256", 32, "sha\x06", kernels.SHA512, 8, []uint64{
		0x22312194fc2bf72c, 0x9f555fa3c84c64c2, 0x2393b86b6f53b151, 0x963877195940eabd,
		0x96283ee2a88effe3, 0xbe5e1e2553863992, 0x2b0199fc2c85b8aa, 0x0eb72ddc81c52ca2,
	}),
	SM3: md("sm3", 32, "", kernels.SM3, 4, []uint64{
		0x7380166f, 0x4914b2b9, 0x172442d7, 0xda8a0600, 0xa96f30bc, 0x163138aa, 0xe38dee4d, 0xb0fb0e4e,
	}),
	SHA3_224:  keccak("sha3-224", 28, 144, kernels.Rate144, 0x06),
	SHA3_256:  keccak("sha3-256", 32, 136, kernels.Rate136, 0x06),
	SHA3_384:  keccak("sha3-384", 48, 104, kernels.Rate104, 0x06),
	SHA3_512:  keccak("sha3-512", 64, 72, kernels.Rate72, 0x06),
	Keccak256: keccak("keccak256", 32, 136, kernels.Rate136, 0x01),
	Keccak512: keccak("keccak512", 64, 72, kernels.Rate72, 0x01),
	SHAKE128:  keccak("shake128", 32, 168, kernels.Rate168, 0x1f),
	SHAKE256:  keccak("shake256", 64, 136, kernels.Rate136, 0x1f),
	BLAKE2b:   blake("blake2b", 64, kernels.BLAKE2b, 8, 10, 0x01010000^64),
	BLAKE2s:   blake("blake2s", 32, kernels.BLAKE2s, 4, 11, 0x01010000^32),
	BLAKE3:    blake("blake3", 32, kernels.BLAKE3, 4, 12, 0),
	// Its messages are hashed as those of SHA-256, and then their digests.
	SHA256d: {name: "sha256d", size: 32, blockSize: 64},
}

func initialSHA256() []uint64 {
	words := make([]uint64, 8)
	for i, word := range kernels.IV256 {
		words[i] = uint64(word)
	}
	return words
}

// Available reports whether this package hashes messages side by side here: on amd64 and arm64,
// except OpenBSD, unless the program was built with the tag purego or HASHLANES_KERNEL names a row
// of one lane. Otherwise the standard library hashes, and portable code what that library lacks.
func Available() bool { return kernels.MD5.Choice().Lanes() > 1 }

// Algorithms returns all algorithms.
func Algorithms() []Algorithm {
	var present []Algorithm
	for a := MD5; a <= SHA256d; a++ {
		present = append(present, a)
	}
	return present
}

// ParseAlgorithm finds an algorithm by name. Case and separators are ignored:
// sha256, SHA-256, sha512/256.
func ParseAlgorithm(name string) (Algorithm, error) {
	plain := strings.NewReplacer("-", "", "_", "", "/", "")
	wanted := plain.Replace(strings.ToLower(name))
	for _, a := range Algorithms() {
		if plain.Replace(all[a].name) == wanted {
			return a, nil
		}
	}
	return 0, fmt.Errorf("hashlanes: unknown algorithm %q", name)
}

// properties panics if the number is not one of the constants.
func (a Algorithm) properties() *properties {
	if a < MD5 || a > SHA256d {
		panic(fmt.Sprintf("hashlanes: unknown algorithm number %d", uint32(a)))
	}
	return &all[a]
}

// hashed are the properties of the function that hashes messages.
func (a Algorithm) hashed() *properties {
	if a == SHA256d {
		a = SHA256
	}
	return a.properties()
}

// String returns the name in lower case: md5, sha512-256.
func (a Algorithm) String() string {
	if a < MD5 || a > SHA256d {
		return fmt.Sprintf("hashlanes.Algorithm(%d)", uint32(a))
	}
	return all[a].name
}

// Size is the number of bytes in a digest.
func (a Algorithm) Size() int { return a.properties().size }

// BlockSize is the number of bytes in a block: 64 or 128, or 72 to 168 for SHA-3 and its siblings.
func (a Algorithm) BlockSize() int { return a.properties().blockSize }

// New returns a streaming hasher, a [*Hasher]. Writes to different hashers in different goroutines
// are hashed side by side for MD5, SHA-1, SHA-2 and SM3.
func (a Algorithm) New() hash.Hash { return a.NewHasher() }

// Sum returns the digest of one message.
func (a Algorithm) Sum(message []byte) []byte { return Sum(a, message) }
