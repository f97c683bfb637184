package hashlanes

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha3"
	"crypto/sha512"
	"encoding"
	"hash"
)

// standardHash is a hasher of the standard library.
type standardHash interface {
	hash.Hash
	encoding.BinaryAppender
	encoding.BinaryUnmarshaler
}

// A shake has the digest of fixed length that RFC 8702 gives SHAKE.
type shake struct {
	*sha3.SHAKE
	make func() *sha3.SHAKE
	size int
}

func (s shake) Size() int { return s.size }

func (s shake) Sum(in []byte) []byte {
	saved, err := s.MarshalBinary()
	check(err)
	end := s.make()
	check(end.UnmarshalBinary(saved))
	digest := make([]byte, s.size)
	end.Read(digest)
	return append(in, digest...)
}

// A doubleSHA256 is SHA-256 of SHA-256's digest.
type doubleSHA256 struct{ standardHash }

func (d doubleSHA256) Sum(in []byte) []byte {
	digest := sha256.Sum256(d.standardHash.Sum(nil))
	return append(in, digest[:]...)
}

// standard returns a hasher of the standard library, or nil if it lacks the algorithm.
func standard(a Algorithm) standardHash {
	var h hash.Hash
	switch a {
	case MD5:
		h = md5.New()
	case SHA1:
		h = sha1.New()
	case SHA224:
		h = sha256.New224()
	case SHA256:
		h = sha256.New()
	case SHA384:
		h = sha512.New384()
	case SHA512:
		h = sha512.New()
	case SHA512_256:
		h = sha512.New512_256()
	case SHA3_224:
		h = sha3.New224()
	case SHA3_256:
		h = sha3.New256()
	case SHA3_384:
		h = sha3.New384()
	case SHA3_512:
		h = sha3.New512()
	case SHAKE128:
		h = shake{sha3.NewSHAKE128(), sha3.NewSHAKE128, 32}
	case SHAKE256:
		h = shake{sha3.NewSHAKE256(), sha3.NewSHAKE256, 64}
	case SHA256d:
		h = doubleSHA256{standard(SHA256)}
	default:
		return nil
	}
	return h.(standardHash)
}

// check panics if there is an error.
func check(err error) {
	if err != nil {
		panic(err)
	}
}
