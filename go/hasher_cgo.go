//go:build cgo && !purego

package hashlanes

import (
	"encoding/binary"
	"errors"
)

// A Hasher is a streaming hasher of one message, a [hash.Hash]. Its work is shared with the other
// hashers of the algorithm. Different hashers may be used by different goroutines at the same time,
// one hasher by one goroutine at a time.
//
// It may be dropped at any time. Close gives its memory to others at once.
type Hasher struct {
	server *server
	// length is the bytes of the message so far.
	length uint64
	// alone has all of the message as long as inLanes is false. It is made when it is first needed,
	// and kept for later.
	alone   standardHash
	inLanes bool
	// refusal is why the hasher refuses to go on until the next Reset: it is closed, or its message
	// is lost.
	refusal error
	// written is the bytes that the server does not know of yet.
	written int
	// There is no such part until it is first needed: a message that stays alone does without.
	*lanePart
}

// A lanePart is what a hasher needs for messages in lanes.
type lanePart struct {
	// state is that after the blocks that were hashed.
	state state
	// buffer has the bytes after them, n of them.
	buffer []byte
	n      int
	kind   bufferKind
	small  [shortBlocks / 2]byte
	// tail is the last blocks with the padding.
	tail [shortBlocks]byte
	// lease is the hasher's part in the memory for staging, once it had any.
	lease *lease
	job   job
}

// NewHasher is [Algorithm.New], with the type that has more methods.
func (a Algorithm) NewHasher() *Hasher {
	h := &Hasher{server: serverOf(a)}
	h.Reset()
	return h
}

// beginLanes has the message in lanes, of which nothing has come yet.
func (h *Hasher) beginLanes() {
	if h.lanePart == nil {
		h.lanePart = new(lanePart)
		h.buffer = h.small[:]
	}
	h.inLanes, h.state, h.n = true, h.server.initial, 0
}

// beginAlone has the message alone, of which nothing has come yet.
func (h *Hasher) beginAlone() {
	if h.alone == nil {
		h.alone = standard(h.server.algorithm)
	} else {
		h.alone.Reset()
	}
	h.inLanes = false
}

// Size is the number of bytes in the digest.
func (h *Hasher) Size() int { return h.server.size }

// BlockSize is the number of bytes in a block.
func (h *Hasher) BlockSize() int { return h.server.block }

var errClosed = errors.New("hashlanes: the hasher is closed")

// Write appends bytes to the message. When it returns, the slice is the caller's again: what is not
// hashed yet has been copied.
//
// It fails after Close. It also fails if hashing the message failed, for lack of memory or by a bug
// of the library. The hasher then refuses to go on until Reset.
func (h *Hasher) Write(p []byte) (int, error) {
	if h.refusal != nil {
		return 0, h.refusal
	}
	h.choose(len(p))
	h.length += uint64(len(p))
	if h.inLanes {
		h.write(p)
	} else {
		h.alone.Write(p)
	}
	if h.refusal != nil {
		return 0, h.refusal
	}
	return len(p), nil
}

// Sum appends the digest of the message so far to in. The message goes on. Sum panics where
// [Hasher.Write] fails.
func (h *Hasher) Sum(in []byte) []byte {
	check(h.refusal)
	if h.choose(0); !h.inLanes {
		return h.alone.Sum(in)
	}
	block := h.server.block
	whole := h.n &^ (block - 1)
	h.job.spans = [2][]byte{h.buffer[:whole], h.pad(h.buffer[whole:h.n])}
	h.job.sum = true
	h.server.hash(h)
	check(h.refusal)
	h.job.sum = false
	h.keep(h.buffer[whole:h.n])
	h.giveBuffer()
	return h.server.appendDigest(in, &h.job.state)
}

// Reset begins a new message, also after Close and after a failure.
func (h *Hasher) Reset() {
	h.length, h.refusal, h.written = 0, nil, 0
	if h.lanePart != nil {
		// What else is in the job belongs to the server, which may still have it among its sleepers.
		h.n, h.job.spans, h.job.sum, h.job.release = 0, [2][]byte{}, false, false
		h.giveBuffer()
	}
	if h.server.onlyLanes {
		h.beginLanes()
	} else {
		h.beginAlone()
	}
}

// Close ends the use of the hasher, and gives its memory back. It cannot fail. To close twice is
// harmless, and so is not to close at all.
func (h *Hasher) Close() {
	h.Reset()
	h.alone = nil
	h.refusal = errClosed
}

// write appends bytes to a message in lanes: copies them, or has them hashed.
func (h *Hasher) write(p []byte) {
	for len(p) > 0 && h.refusal == nil {
		if h.hasRoom(len(p)) || h.takeBuffer(len(p)) && h.hasRoom(len(p)) {
			h.n += copy(h.buffer[h.n:], p)
			return
		}
		p = h.fill(p)
	}
}

// hasRoom tells whether so many bytes are to be copied to the buffer, which they do not fill.
func (h *Hasher) hasRoom(bytes int) bool { return h.n+bytes < len(h.buffer) && bytes < h.lent() }

// fill has the bytes hashed that are waiting and some of p, and returns the rest of p. Few bytes
// are copied, so that they are hashed together with those that wait.
func (h *Hasher) fill(p []byte) []byte {
	block := h.server.block
	room := -h.n & (block - 1)
	var body []byte
	if len(p) < h.lent() {
		room = len(h.buffer) - h.n
	}
	n := copy(h.buffer[h.n:h.n+room], p)
	p = p[n:]
	if len(p) >= h.lent()/2 {
		body, p = p[:len(p)&^(block-1)], p[len(p)&^(block-1):]
	}
	h.job.spans = [2][]byte{h.buffer[:h.n+n], body}
	h.n, h.job.release = 0, true
	h.server.hash(h)
	h.job.release = false
	return p
}

// keep puts bytes to the beginning of the buffer, which has room for them and nothing else in it.
func (h *Hasher) keep(bytes []byte) { h.n = copy(h.buffer, bytes) }

// flush hashes the whole blocks in the buffer.
func (h *Hasher) flush() {
	whole := h.n &^ (h.server.block - 1)
	if whole > 0 {
		h.job.spans[0] = h.buffer[:whole]
		h.server.hash(h)
		h.keep(h.buffer[whole:h.n])
	}
}

// pad makes the last blocks of the message: the rest of it, a byte 0x80, zeros, and its bits.
func (h *Hasher) pad(rest []byte) []byte {
	tail := &h.tail
	clear(tail[copy(tail[:], rest):])
	tail[len(rest)] = 0x80
	field := 2 * h.server.wordSize
	end := (len(rest) + 1 + field + h.server.block - 1) &^ (h.server.block - 1)
	bits := h.length << 3
	if h.server.littleEndian {
		binary.LittleEndian.PutUint64(tail[end-8:], bits)
	} else {
		binary.BigEndian.PutUint64(tail[end-8:], bits)
	}
	if field == 16 {
		tail[end-9] = byte(h.length >> 61)
	}
	return tail[:end]
}
