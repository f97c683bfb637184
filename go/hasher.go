package hashlanes

import (
	"errors"
	"hash"
	"sync/atomic"
)

// A Hasher is a streaming hasher of one message, a [hash.Hash]. For MD5, SHA-1, SHA-2 and SM3 it
// shares its work with other hashers of the same algorithm. Different hashers may be used
// concurrently, but each by only one goroutine at a time: a call during another call panics.
//
// It may be dropped at any time. Close releases its memory at once.
type Hasher struct {
	server *server
	// inUse is set during a call.
	inUse atomic.Bool
	// length is the number of bytes in the message so far.
	length uint64
	// std has hashed the message so far unless inLanes is set: a hasher of the standard library, or a
	// single for what that library lacks. It is allocated on first use and then kept.
	std     hash.Hash
	inLanes bool
	closed  bool
	// written is the number of bytes not yet reported to the server.
	written int
	// lanePart is allocated on first use. A message that stays in the standard library does not need
	// it.
	*lanePart
}

// A lanePart holds what a hasher needs for messages in lanes.
type lanePart struct {
	// state is the state after the blocks hashed so far.
	state state
	// The first n bytes of buffer follow those blocks.
	buffer []byte
	n      int
	kind   bufferKind
	small  [128]byte
	// tail holds the last blocks, with the padding.
	tail [maxTail]byte
	// lease is the hasher's staging buffer, if it has ever had one.
	lease *lease
	job   job
}

// NewHasher is [Algorithm.New] with the concrete return type.
func (a Algorithm) NewHasher() *Hasher {
	h := &Hasher{server: serverOf(a)}
	h.reset()
	return h
}

// begin begins a call, which must end with end. It panics if another call has not ended, which goes
// on undisturbed: they would wait for each other forever, or get a digest of neither message.
func (h *Hasher) begin() {
	h.of()
	if h.inUse.Swap(true) {
		panic("hashlanes: a hasher is used concurrently: guard it with a lock")
	}
}

// end ends a call.
func (h *Hasher) end() { h.inUse.Store(false) }

// of returns the server of the hasher's algorithm.
func (h *Hasher) of() *server {
	if h == nil || h.server == nil {
		panic("hashlanes: a Hasher that NewHasher has not made")
	}
	return h.server
}

// beginLanes starts an empty message in lanes.
func (h *Hasher) beginLanes() {
	if h.lanePart == nil {
		h.lanePart = new(lanePart)
		h.buffer = h.small[:]
	}
	h.inLanes, h.state, h.n = true, h.server.initial, 0
}

// beginStandard starts an empty message in the standard library.
func (h *Hasher) beginStandard() {
	if h.std == nil {
		h.std = h.server.newSingle(h.server.algorithm)
	} else {
		h.std.Reset()
	}
	h.inLanes = false
}

// Size returns the number of bytes in the digest.
func (h *Hasher) Size() int { return h.of().size }

// BlockSize returns the number of bytes in a block.
func (h *Hasher) BlockSize() int { return h.of().block }

var errClosed = errors.New("hashlanes: the hasher is closed")

// Write appends bytes to the message. It does not retain p: bytes that have not been hashed are
// copied.
//
// It fails after Close, until Reset.
func (h *Hasher) Write(p []byte) (int, error) {
	h.begin()
	defer h.end()
	if h.closed {
		return 0, errClosed
	}
	h.choose(len(p))
	h.length += uint64(len(p))
	if h.inLanes {
		h.write(p)
	} else {
		h.std.Write(p)
	}
	return len(p), nil
}

// Sum appends the digest of the message so far to in. It does not change the message. Sum panics
// where [Hasher.Write] fails.
func (h *Hasher) Sum(in []byte) []byte {
	h.begin()
	defer h.end()
	if h.closed {
		panic(errClosed)
	}
	if h.choose(0); !h.inLanes {
		return h.std.Sum(in)
	}
	block := h.server.block
	whole := h.n &^ (block - 1)
	tail := h.server.pad(&h.tail, h.buffer[whole:h.n], h.length)
	h.job.spans = [2][]byte{h.buffer[:whole], tail}
	h.job.sum = true
	h.server.hash(h)
	h.job.sum = false
	h.keep(h.buffer[whole:h.n])
	h.giveBuffer()
	return h.server.appendDigest(in, &h.job.state)
}

// Reset begins a new message, even after Close.
func (h *Hasher) Reset() {
	h.begin()
	defer h.end()
	h.reset()
}

func (h *Hasher) reset() {
	h.length, h.closed, h.written = 0, false, 0
	if h.lanePart != nil {
		// The other fields of the job belong to the server, which may still have it among its sleepers.
		h.n, h.job.spans, h.job.sum, h.job.release = 0, [2][]byte{}, false, false
		h.giveBuffer()
	}
	if h.server.onlyLanes {
		h.beginLanes()
	} else {
		h.beginStandard()
	}
}

// Close ends the use of the hasher and releases its memory. It may be called more than once, or not
// at all.
func (h *Hasher) Close() {
	h.begin()
	defer h.end()
	h.reset()
	h.std, h.closed = nil, true
}

// write appends bytes to a message in lanes, by copying or by hashing them.
func (h *Hasher) write(p []byte) {
	for len(p) > 0 {
		if h.hasRoom(len(p)) || h.takeBuffer(len(p)) && h.hasRoom(len(p)) {
			h.n += copy(h.buffer[h.n:], p)
			return
		}
		p = h.fill(p)
	}
}

// hasRoom reports whether n bytes should be copied to the buffer without filling it.
func (h *Hasher) hasRoom(n int) bool { return h.n+n < len(h.buffer) && n < h.lendFrom() }

// fill hashes the buffered bytes together with some of p, and returns the rest of p. Short writes
// are copied, so that they are hashed together with the buffered bytes.
func (h *Hasher) fill(p []byte) []byte {
	block := h.server.block
	room := -h.n & (block - 1)
	var body []byte
	if len(p) < h.lendFrom() {
		room = len(h.buffer) - h.n
	}
	n := copy(h.buffer[h.n:h.n+room], p)
	p = p[n:]
	if len(p) >= h.lendFrom()/2 {
		body, p = p[:len(p)&^(block-1)], p[len(p)&^(block-1):]
	}
	h.job.spans = [2][]byte{h.buffer[:h.n+n], body}
	h.n, h.job.release = 0, true
	h.server.hash(h)
	h.job.release = false
	return p
}

// keep stores bytes at the beginning of the buffer, which must be empty and large enough.
func (h *Hasher) keep(bytes []byte) { h.n = copy(h.buffer, bytes) }

// flush hashes the complete blocks in the buffer.
func (h *Hasher) flush() {
	whole := h.n &^ (h.server.block - 1)
	if whole > 0 {
		h.job.spans[0] = h.buffer[:whole]
		h.server.hash(h)
		h.keep(h.buffer[whole:h.n])
	}
}
