// Package md5simd is hashlanes/md5simd under the name of minio's package, for a replace line in
// go.mod.
package md5simd

import "hashlanes/md5simd"

// All of this is that of hashlanes/md5simd.
const (
	BlockSize = md5simd.BlockSize
	Size      = md5simd.Size
	Lanes     = md5simd.Lanes
)

type (
	// A Server makes hashers that share lanes.
	Server = md5simd.Server
	// A Hasher is a hash.Hash that is to be closed.
	Hasher = md5simd.Hasher
)

// NewServer makes a server.
func NewServer() Server { return md5simd.NewServer() }

// StdlibHasher makes a Hasher of the standard library.
func StdlibHasher() Hasher { return md5simd.StdlibHasher() }
