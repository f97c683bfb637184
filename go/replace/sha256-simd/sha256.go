// Package sha256 is hashlanes/sha256simd under the name of minio's package, for a replace line in
// go.mod.
package sha256

import (
	"hash"

	sha256simd "hashlanes/sha256simd"
)

// All of this is that of hashlanes/sha256simd.
const (
	Size            = sha256simd.Size
	BlockSize       = sha256simd.BlockSize
	Avx512ServerUID = sha256simd.Avx512ServerUID
)

type (
	// An Avx512Server makes hashers that share lanes, on any CPU.
	Avx512Server = sha256simd.Avx512Server
	// Avx512Digest is a hasher of a server.
	Avx512Digest = sha256simd.Avx512Digest
)

// New makes a hasher.
func New() hash.Hash { return sha256simd.New() }

// Sum256 is the digest of one message.
func Sum256(data []byte) [Size]byte { return sha256simd.Sum256(data) }

// NewAvx512Server makes a server.
func NewAvx512Server() *Avx512Server { return sha256simd.NewAvx512Server() }

// NewAvx512 makes a hasher.
func NewAvx512(server *Avx512Server) hash.Hash { return sha256simd.NewAvx512(server) }
