//go:build cgo && !purego && (hashlanes_system || (linux && (amd64 || arm64)))

package hashlanes

// #cgo noescape update_bytes
// #cgo nocallback update_bytes
// #include <hashlanes.h>
//
// // A wrapper with a byte pointer, as those in engine_cgo.go.
// static inline hashlanes_error update_bytes(hashlanes_hasher *hasher, const unsigned char *data,
//         size_t length) {
//     return hashlanes_hasher_update(hasher, data, length);
// }
import "C"

import (
	"errors"
	"runtime"
	"unsafe"
)

// isBuilt reports whether this build has the algorithm.
func (a Algorithm) isBuilt() bool { return true }

// A single is a hasher in C for a message that never shares lanes, of a function that the standard
// library lacks.
type single struct {
	server  *server
	c       *C.hashlanes_hasher
	cleanup runtime.Cleanup
}

// newSingle returns a hasher for one message by itself.
func (s *server) newSingle() standardHash {
	if h := standard(s.algorithm); h != nil {
		return h
	}
	h := &single{server: s}
	check(refusal(C.hashlanes_hasher_create(C.hashlanes_algorithm(s.algorithm), &h.c)))
	h.cleanup = runtime.AddCleanup(h, destroySingle, h.c)
	return h
}

func destroySingle(c *C.hashlanes_hasher) { C.hashlanes_hasher_destroy(c) }

// close frees the memory, which the garbage collector would do later. No other call may follow.
func (h *single) close() {
	h.cleanup.Stop()
	destroySingle(h.c)
}

func (h *single) Size() int { return h.server.size }

func (h *single) BlockSize() int { return h.server.blockSize }

// inC calls C, and keeps the hasher alive meanwhile.
func (h *single) inC(call func() C.hashlanes_error) {
	h.server.inC(func() error { return refusal(call()) })
	runtime.KeepAlive(h)
}

func (h *single) Write(p []byte) (int, error) {
	h.inC(func() C.hashlanes_error {
		return C.update_bytes(h.c, (*C.uchar)(unsafe.SliceData(p)), C.size_t(len(p)))
	})
	return len(p), nil
}

func (h *single) Sum(in []byte) []byte {
	digest := make([]byte, h.Size())
	h.inC(func() C.hashlanes_error {
		out := (*C.uint8_t)(unsafe.SliceData(digest))
		return C.hashlanes_hasher_digest(h.c, out, C.size_t(len(digest)))
	})
	return append(in, digest...)
}

func (h *single) Reset() { h.inC(func() C.hashlanes_error { return C.hashlanes_hasher_reset(h.c) }) }

func (h *single) errState() error {
	return errors.New("hashlanes: " + h.server.name + " has no format for a saved state")
}

func (h *single) AppendBinary([]byte) ([]byte, error) { return nil, h.errState() }

func (h *single) UnmarshalBinary([]byte) error { return h.errState() }
