// Package md5simd takes the place of github.com/minio/md5-simd: the same names and the same
// meaning. A program changes the import path and nothing else.
//
// All servers are the same one, and it has no goroutine: there is nothing to close, but Close is
// there. A hasher of a server may be dropped without Close.
package md5simd

import (
	"crypto/md5"
	"errors"
	"hash"
	"sync"

	"hashlanes"
)

const (
	// BlockSize is the bytes of a block of MD5.
	BlockSize = 64
	// Size is the bytes of a digest of MD5.
	Size = 16
	// Lanes is what minio's package calls the number of messages that it hashes side by side. Here
	// the CPU decides.
	Lanes = 16
)

// A Server makes hashers that share lanes.
type Server interface {
	NewHash() Hasher
	Close()
}

// A Hasher is a hash.Hash that is to be closed when it is not needed any more. After Close it
// refuses to be used: Write returns an error, Sum and Reset panic.
type Hasher interface {
	hash.Hash
	Close()
}

type server struct{}

// NewServer makes a server. Hashers of all servers share lanes.
func NewServer() Server { return server{} }

func (server) NewHash() Hasher { return &hasher{hashlanes.MD5.NewHasher()} }

// Close does nothing: the hashers of the server live on.
func (server) Close() {}

// hasher is nil inside when it is closed.
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

// StdlibHasher makes a Hasher of the standard library. Closed ones are used again.
func StdlibHasher() Hasher { return &stdlibHasher{stdlib.Get().(hash.Hash)} }

type stdlibHasher struct{ hash.Hash }

func (h *stdlibHasher) Close() {
	if h.Hash != nil {
		h.Reset()
		stdlib.Put(h.Hash)
		h.Hash = nil
	}
}
