//go:build cgo && !purego

package hashlanes

import (
	"runtime"
	"sync"
)

// bufferKind is where a hasher's buffer comes from.
type bufferKind uint8

const (
	smallBuffer bufferKind = iota
	fewBuffer
	leasedBuffer
)

const (
	// few is the bytes of a buffer where there is no more memory for staging.
	few = 2 << 10
	// staging is the bytes of a buffer that is filled before a message asks for a round.
	staging = 32 << 10
	// mostStaged is how many such buffers there are at most, of all algorithms together: 32 MiB.
	mostStaged = 1024
)

// lent is from how many bytes on a write is not copied: the writer waits until it is hashed. Where
// there is no buffer for staging, that is better than to fill a short one again and again.
const (
	lent    = 8 << 10
	fewLent = few / 2
)

// lent is which of the two holds.
func (h *Hasher) lent() int {
	if h.kind == fewBuffer {
		return fewLent
	}
	return lent
}

// A dropped hasher's buffer of this kind is left to the garbage collector.
var fewBuffers = sync.Pool{New: func() any { return new([few]byte) }}

// leases are the buffers for staging, which are counted.
var leases struct {
	sync.Mutex
	free []*[staging]byte
	made int
}

// A lease is a hasher's part in them. It knows nothing of the hasher, so that it can be given back
// when that is dropped.
type lease struct{ buffer *[staging]byte }

// take gets a buffer, if there is one.
func (l *lease) take() bool {
	leases.Lock()
	defer leases.Unlock()
	if last := len(leases.free) - 1; last >= 0 {
		l.buffer, leases.free = leases.free[last], leases.free[:last]
	} else if leases.made < mostStaged {
		leases.made++
		l.buffer = new([staging]byte)
	}
	return l.buffer != nil
}

// end gives the buffer back, if there is one.
func (l *lease) end() {
	if l.buffer == nil {
		return
	}
	leases.Lock()
	defer leases.Unlock()
	leases.free = append(leases.free, l.buffer)
	l.buffer = nil
}

// takeBuffer gets the hasher a larger buffer for a write of so many bytes, if that is of use.
func (h *Hasher) takeBuffer(length int) bool {
	if length >= h.lent() || h.kind == leasedBuffer {
		return false
	}
	if h.takeLease() {
		return true
	}
	if h.kind == fewBuffer {
		return false
	}
	h.moveTo(fewBuffers.Get().(*[few]byte)[:], fewBuffer)
	return true
}

func (h *Hasher) takeLease() bool {
	if h.lease == nil {
		h.lease = new(lease)
		runtime.AddCleanup(h, (*lease).end, h.lease)
	}
	if !h.lease.take() {
		return false
	}
	h.moveTo(h.lease.buffer[:], leasedBuffer)
	return true
}

// moveTo moves what waits to another buffer, which has room for it. The old one goes back.
func (h *Hasher) moveTo(buffer []byte, kind bufferKind) {
	copy(buffer, h.buffer[:h.n])
	old, oldKind := h.buffer, h.kind
	h.buffer, h.kind = buffer, kind
	switch oldKind {
	case fewBuffer:
		fewBuffers.Put((*[few]byte)(old))
	case leasedBuffer:
		h.lease.end()
	}
}

// giveBuffer gives a buffer back that is not needed for the few bytes that wait.
func (h *Hasher) giveBuffer() {
	if h.kind != smallBuffer && h.n <= len(h.small) {
		h.moveTo(h.small[:], smallBuffer)
	}
}
