package hashlanes

import (
	"runtime"
	"sync"
)

// bufferKind says where a hasher's buffer comes from.
type bufferKind uint8

const (
	smallBuffer bufferKind = iota
	pooledBuffer
	leasedBuffer
)

const (
	// pooledSize is the size of a buffer when all staging buffers are in use.
	pooledSize = 2 << 10
	// stagingSize is the size of a staging buffer, which is filled before the message asks for a
	// round.
	stagingSize = 32 << 10
	// maxStaged is the maximum number of staging buffers for all algorithms together: 32 MiB.
	maxStaged = 1024
)

// Writes of at least lendFrom bytes are not copied; the writer waits until they are hashed. With a
// pooled buffer the limit is lower, because refilling a small buffer repeatedly would be slower.
const (
	lendFrom       = 8 << 10
	pooledLendFrom = pooledSize / 2
)

// lendFrom returns the limit for the current buffer.
func (h *Hasher) lendFrom() int {
	if h.kind == pooledBuffer {
		return pooledLendFrom
	}
	return lendFrom
}

// Buffers of dropped hashers are left to the garbage collector.
var bufferPool = sync.Pool{New: func() any { return new([pooledSize]byte) }}

// leases holds the staging buffers, whose number is limited.
var leases struct {
	sync.Mutex
	free []*[stagingSize]byte
	made int
}

// A lease is a hasher's hold on a staging buffer. It does not refer to the hasher, so that a
// cleanup can return the buffer when the hasher is dropped.
type lease struct{ buffer *[stagingSize]byte }

// take takes a buffer, if one is left.
func (l *lease) take() bool {
	leases.Lock()
	defer leases.Unlock()
	if last := len(leases.free) - 1; last >= 0 {
		l.buffer, leases.free = leases.free[last], leases.free[:last]
	} else if leases.made < maxStaged {
		leases.made++
		l.buffer = new([stagingSize]byte)
	}
	return l.buffer != nil
}

// end returns the buffer, if there is one.
func (l *lease) end() {
	if l.buffer == nil {
		return
	}
	leases.Lock()
	defer leases.Unlock()
	leases.free = append(leases.free, l.buffer)
	l.buffer = nil
}

// takeBuffer gives the hasher a larger buffer for a write of length bytes, if that helps.
func (h *Hasher) takeBuffer(length int) bool {
	if length >= h.lendFrom() || h.kind == leasedBuffer {
		return false
	}
	if h.takeLease() {
		return true
	}
	if h.kind == pooledBuffer {
		return false
	}
	h.moveTo(bufferPool.Get().(*[pooledSize]byte)[:], pooledBuffer)
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

// moveTo moves the buffered bytes to another buffer, which must have room for them, and releases
// the old one.
func (h *Hasher) moveTo(buffer []byte, kind bufferKind) {
	copy(buffer, h.buffer[:h.n])
	old, oldKind := h.buffer, h.kind
	h.buffer, h.kind = buffer, kind
	switch oldKind {
	case pooledBuffer:
		bufferPool.Put((*[pooledSize]byte)(old))
	case leasedBuffer:
		h.lease.end()
	}
}

// giveBuffer releases a buffer that the few remaining bytes do not need.
func (h *Hasher) giveBuffer() {
	if h.kind != smallBuffer && h.n <= len(h.small) {
		h.moveTo(h.small[:], smallBuffer)
	}
}
