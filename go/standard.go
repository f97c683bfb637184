package hashlanes

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
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
	default:
		return nil
	}
	return h.(standardHash)
}
