//go:build cgo && !purego

package hashlanes

// #cgo pkg-config: hashlanes-static
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
// enum { MOST = 256, ARENA = 128 << 10 };
//
// // The arguments of one call for many messages, and memory for short ones.
// typedef struct {
//     hashlanes_state states[MOST];
//     const void *blocks[MOST];
//     size_t lengths[MOST];
//     unsigned char arena[ARENA];
// } arguments;
//
// // These take bytes where hashlanes.h has void. Given a pointer to void, cgo looks through the
// // whole object that it leads to, and panics if there are pointers beside the bytes.
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

// Available tells whether the lanes are there: whether the program was built with cgo and the C
// library. If not, the standard library hashes, and the rest of this package works alike.
func Available() bool { return true }

// state is the state of a message after some of its whole blocks.
type state = C.hashlanes_state

// refusal is why the library refused a call, if it did. All arguments are made by this package, so
// that would be a bug of it or of the library.
func refusal(code C.hashlanes_error) error {
	if code == C.HASHLANES_OK {
		return nil
	}
	return errors.New("hashlanes: " + C.GoString(C.hashlanes_error_text(code)))
}

// check panics if there is an error.
func check(err error) {
	if err != nil {
		panic(err)
	}
}

// beforeCall is called before each call that hashes. Tests let it fail or panic.
var beforeCall = func() error { return nil }

// initialState is the state of a message of which nothing has come.
func initialState(a Algorithm) (s state) {
	check(refusal(C.hashlanes_state_begin(C.hashlanes_algorithm(a), &s)))
	return s
}

// lanes tells how many messages the best kernel for many of them hashes side by side.
func lanes(a Algorithm) int {
	var kernel C.hashlanes_kernel
	check(refusal(C.hashlanes_kernel_for(C.hashlanes_algorithm(a), 1024, &kernel)))
	return int(kernel.lanes)
}

// compress continues one message by whole blocks.
func compress(a Algorithm, s *state, blocks []byte) error {
	if err := beforeCall(); err != nil {
		return err
	}
	pointer, length := (*C.uchar)(unsafe.SliceData(blocks)), C.size_t(len(blocks))
	return refusal(C.compress_bytes(C.hashlanes_algorithm(a), s, pointer, length))
}

// shortBlocks is the bytes of two blocks of any algorithm.
const shortBlocks = 256

// mostInBatch is how many messages are hashed in one call at most.
const mostInBatch = C.MOST

// copied is up to how many bytes are copied to a batch: that costs less than to pin them.
const copied = C.ARENA / C.MOST

// A batch is many messages for one call. Its memory is C's: there the check of what is passed to C
// has nothing to look through. Bytes that stay in Go's memory are pinned meanwhile.
type batch struct {
	c      *C.arguments
	count  int
	arena  int
	pinner runtime.Pinner
}

// batches are kept for later rounds. There are no more of them than rounds at the same time.
var batches struct {
	sync.Mutex
	free []*batch
}

var errMemory = errors.New("hashlanes: no memory for a call for many messages")

// takeBatch gets a batch, which is to be given back.
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

// point says where message i is.
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

// add puts a message into the batch: its state, and whole blocks that come next.
func (b *batch) add(s *state, blocks []byte) {
	b.c.states[b.count] = *s
	b.point(blocks)
}

// compress continues all messages of the batch.
func (b *batch) compress(a Algorithm) error {
	if err := beforeCall(); err != nil {
		return err
	}
	return refusal(C.hashlanes_compress_many(C.hashlanes_algorithm(a), &b.c.states[0],
		&b.c.blocks[0], &b.c.lengths[0], C.size_t(b.count)))
}

// state is that of message i.
func (b *batch) state(i int) *state { return &b.c.states[i] }

// digest writes the digests of the batch's messages, which are whole and have no states.
func (b *batch) digest(a Algorithm, digests []byte) error {
	if err := beforeCall(); err != nil {
		return err
	}
	return refusal(C.hashlanes_digest_many(C.hashlanes_algorithm(a), &b.c.blocks[0],
		&b.c.lengths[0], C.size_t(b.count), (*C.uint8_t)(unsafe.SliceData(digests)),
		C.size_t(len(digests))))
}

// clear takes all messages out, and keeps no pointer to them.
func (b *batch) clear() {
	clear(b.c.blocks[:b.count])
	b.pinner.Unpin()
	b.count, b.arena = 0, 0
}

// callDigestChunks writes the digests of the chunks of data, which has at least one byte.
func callDigestChunks(a Algorithm, data []byte, chunk int, digests []byte) error {
	if err := beforeCall(); err != nil {
		return err
	}
	return refusal(C.digest_chunks_of_bytes(C.hashlanes_algorithm(a),
		(*C.uchar)(unsafe.SliceData(data)), C.size_t(len(data)), C.size_t(chunk),
		(*C.uint8_t)(unsafe.SliceData(digests)), C.size_t(len(digests))))
}

// wordOf is a number as a word of a state.
func wordOf(number uint64) C.uint64_t { return C.uint64_t(number) }
