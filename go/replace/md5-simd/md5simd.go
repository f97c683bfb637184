// Package md5simd exports hashlanes/md5simd under the path of minio's package, for a replace line
// in go.mod.
package md5simd

import "hashlanes/md5simd"

// Constants of hashlanes/md5simd.
const (
	BlockSize = md5simd.BlockSize
	Size      = md5simd.Size
	Lanes     = md5simd.Lanes
)

type (
	// A Server makes hashers that share lanes.
	Server = md5simd.Server
	// A Hasher is a hash.Hash that should be closed after use.
	Hasher = md5simd.Hasher
)

// NewServer returns a server.
func NewServer() Server { return md5simd.NewServer() }

// StdlibHasher returns a Hasher of the standard library.
func StdlibHasher() Hasher { return md5simd.StdlibHasher() }
