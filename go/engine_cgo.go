//go:build cgo && !purego && (hashlanes_system || (linux && (amd64 || arm64)))

package hashlanes

// #cgo noescape compress_bytes
// #cgo nocallback compress_bytes
// #cgo noescape hashlanes_compress_many
// #cgo nocallback hashlanes_compress_many
// #cgo noescape hashlanes_digest_many
// #cgo nocallback hashlanes_digest_many
// #cgo noescape digest_chunks_of_bytes
// #cgo nocallback digest_chunks_of_bytes
// #include <hashlanes.h>
// #include <stdlib.h>
//
// enum { BATCH = 256, ARENA = 128 << 10 };
//
// // The arguments of a call for many messages, and memory for short ones.
// typedef struct {
//     hashlanes_state states[BATCH];
//     const void *blocks[BATCH];
//     size_t lengths[BATCH];
//     unsigned char arena[ARENA];
// } arguments;
//
// // Wrappers with byte pointers where hashlanes.h has void pointers. For a void pointer, cgo scans
// // the whole object that contains it, and panics if the object contains Go pointers.
//
// static inline hashlanes_error compress_bytes(hashlanes_algorithm algorithm,
//         hashlanes_state *state, const unsigned char *blocks, size_t length) {
//     return hashlanes_compress(algorithm, state, blocks, length);
// }
//
// static inline hashlanes_error digest_chunks_of_bytes(hashlanes_algorithm algorithm,
//         const unsigned char *data, size_t length, size_t chunk, uint8_t *digests, size_t size) {
//     return hashlanes_digest_chunks(algorithm, data, length, chunk, digests, size);
// }
import "C"

import (
	"errors"
	"runtime"
	"sync"
	"unsafe"
)

// Available reports whether the program was built with cgo and the C library, and so uses SIMD
// lanes. Otherwise the standard library hashes, and the rest of this package works the same.
func Available() bool { return true }

// state is the state of a message after some of its blocks.
type state = C.hashlanes_state

// refusal returns the library's error, if any. This package passes only valid arguments, so an
// error is a bug in it or in the library.
func refusal(code C.hashlanes_error) error {
	if code == C.HASHLANES_OK {
		return nil
	}
	return errors.New("hashlanes: " + C.GoString(C.hashlanes_error_text(code)))
}

// beforeCall is called before each call that hashes. Tests make it fail or panic.
var beforeCall = func() error { return nil }

// initialState returns the state of an empty message.
func initialState(a Algorithm) (s state) {
	check(refusal(C.hashlanes_state_begin(C.hashlanes_algorithm(a), &s)))
	return s
}

// lanes returns how many messages the best kernel for many of them hashes side by side.
func lanes(a Algorithm) int {
	var kernel C.hashlanes_kernel
	check(refusal(C.hashlanes_kernel_for(C.hashlanes_algorithm(a), 1024, &kernel)))
	return int(kernel.lanes)
}

// compress hashes blocks of one message.
func compress(a Algorithm, s *state, blocks []byte) error {
	if err := beforeCall(); err != nil {
		return err
	}
	pointer, length := (*C.uchar)(unsafe.SliceData(blocks)), C.size_t(len(blocks))
	return refusal(C.compress_bytes(C.hashlanes_algorithm(a), s, pointer, length))
}

// shortBlocks is the size of two blocks of any algorithm.
const shortBlocks = 256

// maxInBatch is the maximum number of messages in one call.
const maxInBatch = C.BATCH

// Up to this many bytes are copied to a batch, which costs less than pinning them.
const copied = C.ARENA / C.BATCH

// A batch holds the arguments of a call for many messages. Its memory is allocated by C, so that
// cgo's pointer checks have nothing to scan. Bytes that stay in Go's memory are pinned during the
// call.
type batch struct {
	c      *C.arguments
	count  int
	arena  int
	pinner runtime.Pinner
}

// batches keeps batches for reuse. There are never more than concurrent rounds.
var batches struct {
	sync.Mutex
	free []*batch
}

var errMemory = errors.New("hashlanes: not enough memory to hash many messages")

// takeBatch returns a batch. Its giveBack method must be called after use.
func takeBatch() (*batch, error) {
	batches.Lock()
	defer batches.Unlock()
	if last := len(batches.free) - 1; last >= 0 {
		b := batches.free[last]
		batches.free = batches.free[:last]
		return b, nil
	}
	c := (*C.arguments)(C.calloc(1, C.sizeof_arguments))
	if c == nil {
		return nil, errMemory
	}
	return &batch{c: c}, nil
}

func (b *batch) giveBack() {
	b.clear()
	batches.Lock()
	defer batches.Unlock()
	batches.free = append(batches.free, b)
}

// point adds the address and length of a message.
func (b *batch) point(bytes []byte) {
	if len(bytes) <= copied {
		place := b.c.arena[b.arena:][:len(bytes)]
		copy(unsafe.Slice((*byte)(unsafe.SliceData(place)), len(place)), bytes)
		b.arena += len(bytes)
		b.c.blocks[b.count] = unsafe.Pointer(unsafe.SliceData(place))
	} else {
		pointer := unsafe.Pointer(unsafe.SliceData(bytes))
		b.pinner.Pin(pointer)
		b.c.blocks[b.count] = pointer
	}
	b.c.lengths[b.count] = C.size_t(len(bytes))
	b.count++
}

// add adds the state of a message and its next blocks.
func (b *batch) add(s *state, blocks []byte) {
	b.c.states[b.count] = *s
	b.point(blocks)
}

// compress hashes the blocks of all messages in the batch.
func (b *batch) compress(a Algorithm) error {
	if err := beforeCall(); err != nil {
		return err
	}
	return refusal(C.hashlanes_compress_many(C.hashlanes_algorithm(a), &b.c.states[0],
		&b.c.blocks[0], &b.c.lengths[0], C.size_t(b.count)))
}

// state returns the state of message i.
func (b *batch) state(i int) *state { return &b.c.states[i] }

// digest writes the digests of the batch's messages, which are complete and have no states.
func (b *batch) digest(a Algorithm, digests []byte) error {
	if err := beforeCall(); err != nil {
		return err
	}
	return refusal(C.hashlanes_digest_many(C.hashlanes_algorithm(a), &b.c.blocks[0],
		&b.c.lengths[0], C.size_t(b.count), (*C.uint8_t)(unsafe.SliceData(digests)),
		C.size_t(len(digests))))
}

// clear removes all messages and the pointers to them.
func (b *batch) clear() {
	clear(b.c.blocks[:b.count])
	b.pinner.Unpin()
	b.count, b.arena = 0, 0
}

// callDigestChunks writes the digests of the chunks of data, which must not be empty.
func callDigestChunks(a Algorithm, data []byte, chunk int, digests []byte) error {
	if err := beforeCall(); err != nil {
		return err
	}
	return refusal(C.digest_chunks_of_bytes(C.hashlanes_algorithm(a),
		(*C.uchar)(unsafe.SliceData(data)), C.size_t(len(data)), C.size_t(chunk),
		(*C.uint8_t)(unsafe.SliceData(digests)), C.size_t(len(digests))))
}

// wordOf converts a number to a word of a state.
func wordOf(number uint64) C.uint64_t { return C.uint64_t(number) }
