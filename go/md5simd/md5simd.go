// Package md5simd is a replacement for github.com/minio/md5-simd with the same API. A program
// changes only the import path.
//
// All servers are the same one, which has no goroutine. Close exists but has nothing to do. A
// hasher may be dropped without Close.
package md5simd

import (
	"crypto/md5"
	"errors"
	"hash"
	"sync"

	"hashlanes"
)

const (
	// BlockSize is the number of bytes in an MD5 block.
	BlockSize = 64
	// Size is the number of bytes in an MD5 digest.
	Size = 16
	// Lanes is the number of messages that minio's package hashes side by side. Here the number
	// depends on the CPU.
	Lanes = 16
)

// A Server makes hashers that share lanes.
type Server interface {
	NewHash() Hasher
	Close()
}

// A Hasher is a hash.Hash that should be closed after use. After Close, Write returns an error, and
// Sum and Reset panic.
type Hasher interface {
	hash.Hash
	Close()
}

type server struct{}

// NewServer returns a server. The hashers of all servers share lanes.
func NewServer() Server { return server{} }

func (server) NewHash() Hasher { return &hasher{hashlanes.MD5.NewHasher()} }

// Close does nothing: the server's hashers remain usable.
func (server) Close() {}

// hash is nil after Close.
type hasher struct{ hash *hashlanes.Hasher }

var errClosed = errors.New("md5simd: the hasher is closed")

func (h *hasher) Size() int      { return Size }
func (h *hasher) BlockSize() int { return BlockSize }

func (h *hasher) Write(p []byte) (int, error) {
	if h.hash == nil {
		return 0, errClosed
	}
	return h.hash.Write(p)
}

func (h *hasher) Sum(in []byte) []byte {
	if h.hash == nil {
		panic("sum after close")
	}
	return h.hash.Sum(in)
}

func (h *hasher) Reset() {
	if h.hash == nil {
		panic("reset after close")
	}
	h.hash.Reset()
}

func (h *hasher) Close() {
	if h.hash != nil {
		h.hash.Close()
		h.hash = nil
	}
}

var stdlib = sync.Pool{New: func() any { return md5.New() }}

// StdlibHasher returns a Hasher of the standard library. Closed ones are reused.
func StdlibHasher() Hasher { return &stdlibHasher{stdlib.Get().(hash.Hash)} }

type stdlibHasher struct{ hash.Hash }

func (h *stdlibHasher) Close() {
	if h.Hash != nil {
		h.Reset()
		stdlib.Put(h.Hash)
		h.Hash = nil
	}
}
