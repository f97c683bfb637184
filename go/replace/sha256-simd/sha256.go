// Package sha256 exports hashlanes/sha256simd under the path of minio's package, for a replace line
// in go.mod.
package sha256

import (
	"hash"

	sha256simd "hashlanes/sha256simd"
)

// Constants of hashlanes/sha256simd.
const (
	Size            = sha256simd.Size
	BlockSize       = sha256simd.BlockSize
	Avx512ServerUID = sha256simd.Avx512ServerUID
)

type (
	// An Avx512Server makes hashers that share lanes, on any CPU.
	Avx512Server = sha256simd.Avx512Server
	// Avx512Digest is a server's hasher.
	Avx512Digest = sha256simd.Avx512Digest
)

// New returns a hasher.
func New() hash.Hash { return sha256simd.New() }

// Sum256 returns the digest of one message.
func Sum256(data []byte) [Size]byte { return sha256simd.Sum256(data) }

// NewAvx512Server returns a server.
func NewAvx512Server() *Avx512Server { return sha256simd.NewAvx512Server() }

// NewAvx512 returns a hasher.
func NewAvx512(server *Avx512Server) hash.Hash { return sha256simd.NewAvx512(server) }
