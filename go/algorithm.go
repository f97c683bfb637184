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
)

// properties describes an algorithm.
type properties struct {
	name      string
	size      int
	blockSize int
	// magic begins a saved state. It is the same as in the standard library, so that each can read the
	// states that the other wrote.
	magic string
	// The state has this many words of wordSize bytes.
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
}

// Algorithms returns all algorithms.
func Algorithms() []Algorithm {
	return []Algorithm{MD5, SHA1, SHA224, SHA256, SHA384, SHA512, SHA512_256, SM3}
}

// ParseAlgorithm finds an algorithm by name. Case and separators are ignored: sha256, SHA-256,
// sha512/256.
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
	if a < MD5 || a > SM3 {
		panic(fmt.Sprintf("hashlanes: unknown algorithm number %d", uint32(a)))
	}
	return &all[a]
}

// String returns the name in lower case: md5, sha512-256.
func (a Algorithm) String() string {
	if a < MD5 || a > SM3 {
		return fmt.Sprintf("hashlanes.Algorithm(%d)", uint32(a))
	}
	return all[a].name
}

// Size is the number of bytes in a digest.
func (a Algorithm) Size() int { return a.properties().size }

// BlockSize is the number of bytes in a block: 64 or 128.
func (a Algorithm) BlockSize() int { return a.properties().blockSize }

// New returns a streaming hasher, a [*Hasher]. Writes to different hashers in different goroutines
// are hashed side by side.
func (a Algorithm) New() hash.Hash { return a.NewHasher() }

// Sum returns the digest of one message.
func (a Algorithm) Sum(message []byte) []byte { return Sum(a, message) }
