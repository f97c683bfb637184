// Package sha256 takes the place of github.com/minio/sha256-simd: the same names and the same
// meaning. A program changes the import path and nothing else.
//
// Hashers made by New share lanes as those of an Avx512Server do, on every CPU. There is no server
// with a goroutine, so there is nothing that would run for ever. What minio's server does for its
// own digests only (Process, and Write and Sum by number) is not here.
package sha256

import (
	"crypto/sha256"
	"hash"

	"hashlanes"
)

const (
	// Size is the bytes of a digest of SHA-256.
	Size = 32
	// BlockSize is the bytes of a block of SHA-256.
	BlockSize = 64
	// Avx512ServerUID is the number of minio's first digest. It means nothing here.
	Avx512ServerUID = 16
)

// New makes a hasher. Its state can be marshalled, and crypto/sha256 reads it and writes the same.
func New() hash.Hash { return hashlanes.SHA256.New() }

// Sum256 is the digest of one message.
func Sum256(data []byte) [Size]byte { return sha256.Sum256(data) }

// An Avx512Server makes hashers that share lanes, on any CPU. All are the same one.
type Avx512Server struct{}

// NewAvx512Server makes a server.
func NewAvx512Server() *Avx512Server { return new(Avx512Server) }

// Avx512Digest is a hasher of a server. It is a hash.Hash like any other: it may be written to
// after Sum, which minio's refuses.
type Avx512Digest struct{ *hashlanes.Hasher }

// NewAvx512 makes a hasher.
func NewAvx512(*Avx512Server) hash.Hash { return &Avx512Digest{hashlanes.SHA256.NewHasher()} }
