package hashlanes

import (
	"fmt"
	"hash"
	"strings"
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
	Keccak256                       // With the padding from before FIPS 202, 32 bytes. Needs cgo.
	Keccak512                       // The same, 64 bytes. Needs cgo.
	SHAKE128                        // FIPS 202 with 32 bytes (RFC 8702).
	SHAKE256                        // FIPS 202 with 64 bytes (RFC 8702).
	BLAKE2b                         // RFC 7693, 64 bytes. Needs cgo.
	BLAKE2s                         // RFC 7693, 32 bytes. Needs cgo.
	BLAKE3                          // 32 bytes. Needs cgo.
	SHA256d                         // SHA-256 of SHA-256's digest, as in Bitcoin, 32 bytes.
)

// properties describes an algorithm.
type properties struct {
	name      string
	size      int
	blockSize int
	// magic begins a saved state. It is the same as in the standard library, so that each can read the
	// states that the other wrote.
	magic string
	// The state between two blocks has this many words of wordSize bytes. It has none for functions
	// that the C library cannot continue from a state; a message in pieces is then hashed by itself.
	words, wordSize int
	littleEndian    bool
}

var all = [...]properties{
	MD5:        {"md5", 16, 64, "md5\x01", 4, 4, true},
	SHA1:       {"sha1", 20, 64, "sha\x01", 5, 4, false},
	SHA224:     {"sha224", 28, 64, "sha\x02", 8, 4, false},
	SHA256:     {"sha256", 32, 64, "sha\x03", 8, 4, false},
	SHA384:     {"sha384", 48, 128, "sha\x04", 8, 8, false},
	SHA512:     {"sha512", 64, 128, "sha\x07", 8, 8, false},
	SHA512_256: {"sha512-256", 32, 128, "sha\x06", 8, 8, false},
	SM3:        {"sm3", 32, 64, "sm3\x01", 8, 4, false},
	SHA3_224:   {name: "sha3-224", size: 28, blockSize: 144},
	SHA3_256:   {name: "sha3-256", size: 32, blockSize: 136},
	SHA3_384:   {name: "sha3-384", size: 48, blockSize: 104},
	SHA3_512:   {name: "sha3-512", size: 64, blockSize: 72},
	Keccak256:  {name: "keccak256", size: 32, blockSize: 136},
	Keccak512:  {name: "keccak512", size: 64, blockSize: 72},
	SHAKE128:   {name: "shake128", size: 32, blockSize: 168},
	SHAKE256:   {name: "shake256", size: 64, blockSize: 136},
	BLAKE2b:    {name: "blake2b", size: 64, blockSize: 128},
	BLAKE2s:    {name: "blake2s", size: 32, blockSize: 64},
	BLAKE3:     {name: "blake3", size: 32, blockSize: 64},
	SHA256d:    {name: "sha256d", size: 32, blockSize: 64},
}

// Algorithms returns the algorithms that this build has: all with cgo and the C library, otherwise
// SM3 and those that the standard library computes.
func Algorithms() []Algorithm {
	var present []Algorithm
	for a := MD5; a <= SHA256d; a++ {
		if a.isBuilt() {
			present = append(present, a)
		}
	}
	return present
}

// ParseAlgorithm finds an algorithm that this build has by name. Case and separators are ignored:
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
// are hashed side by side for MD5, SHA-1, SHA-2 and SM3. It panics if this build lacks the
// algorithm.
func (a Algorithm) New() hash.Hash { return a.NewHasher() }

// Sum returns the digest of one message.
func (a Algorithm) Sum(message []byte) []byte { return Sum(a, message) }
