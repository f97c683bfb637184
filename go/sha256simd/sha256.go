// Package sha256 is a replacement for github.com/minio/sha256-simd with the same API. A program
// changes only the import path.
//
// Hashers made by New share lanes as those of an Avx512Server do, on every CPU. There is no server
// goroutine that would run forever. The methods of minio's server that serve only its own digests
// (Process, and Write and Sum by number) are missing.
package sha256

import (
	"crypto/sha256"
	"hash"

	"hashlanes"
)

const (
	// Size is the number of bytes in a SHA-256 digest.
	Size = 32
	// BlockSize is the number of bytes in a SHA-256 block.
	BlockSize = 64
	// Avx512ServerUID is the number of minio's first digest. It has no meaning here.
	Avx512ServerUID = 16
)

// New returns a hasher. Its marshalled state has the format of crypto/sha256.
func New() hash.Hash { return &hasher{hashlanes.SHA256.NewHasher()} }

// A hasher has states in the format of crypto/sha256.
type hasher struct{ *hashlanes.Hasher }

func (h *hasher) AppendBinary(out []byte) ([]byte, error) { return h.AppendStandard(out) }

func (h *hasher) MarshalBinary() ([]byte, error) { return h.AppendStandard(nil) }

// Sum256 returns the digest of one message.
func Sum256(data []byte) [Size]byte { return sha256.Sum256(data) }

// An Avx512Server makes hashers that share lanes, on any CPU. All servers are the same one.
type Avx512Server struct{}

// NewAvx512Server returns a server.
func NewAvx512Server() *Avx512Server { return new(Avx512Server) }

// Avx512Digest is a server's hasher. Unlike minio's, it may be written to after Sum.
type Avx512Digest struct{ *hashlanes.Hasher }

// NewAvx512 returns a hasher.
func NewAvx512(*Avx512Server) hash.Hash { return &Avx512Digest{hashlanes.SHA256.NewHasher()} }
