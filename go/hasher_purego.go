//go:build !cgo || purego || !(hashlanes_system || (linux && (amd64 || arm64)))

package hashlanes

import "errors"

// Available reports whether the program was built with cgo and the C library, and so uses SIMD
// lanes. Otherwise the standard library hashes, and the rest of this package works the same.
func Available() bool { return false }

// A Hasher is a streaming hasher of one message, a [hash.Hash]. In this build it wraps one of the
// standard library's. Only one goroutine may use it at a time: a call during another call panics.
type Hasher struct {
	algorithm Algorithm
	hash      standardHash
	closed    bool
	inUse     inUse
}

// NewHasher is [Algorithm.New] with the concrete return type.
func (a Algorithm) NewHasher() *Hasher {
	name := a.properties().name
	if !a.isBuilt() {
		panic("hashlanes: " + name + " needs cgo and the C library")
	}
	if a == SM3 {
		return &Hasher{algorithm: a, hash: newSM3()}
	}
	return &Hasher{algorithm: a, hash: standard(a)}
}

func (a Algorithm) isBuilt() bool { return a == SM3 || standard(a) != nil }

// Size returns the number of bytes in the digest.
func (h *Hasher) Size() int { return h.algorithm.Size() }

// BlockSize returns the number of bytes in a block.
func (h *Hasher) BlockSize() int { return h.algorithm.BlockSize() }

var errClosed = errors.New("hashlanes: the hasher is closed")

// Write appends bytes to the message. It fails only after Close.
func (h *Hasher) Write(p []byte) (int, error) {
	h.inUse.begin()
	defer h.inUse.end()
	if h.closed {
		return 0, errClosed
	}
	return h.hash.Write(p)
}

// Sum appends the digest of the message so far to in. It does not change the message.
func (h *Hasher) Sum(in []byte) []byte {
	h.inUse.begin()
	defer h.inUse.end()
	if h.closed {
		panic(errClosed)
	}
	return h.hash.Sum(in)
}

// Reset begins a new message, even after Close.
func (h *Hasher) Reset() {
	h.inUse.begin()
	defer h.inUse.end()
	h.hash.Reset()
	h.closed = false
}

// Close ends the use of the hasher. It may be called more than once, or not at all.
func (h *Hasher) Close() {
	h.inUse.begin()
	defer h.inUse.end()
	h.hash.Reset()
	h.closed = true
}

// AppendBinary appends the state of the hasher, in the format of crypto/md5, crypto/sha1,
// crypto/sha256, crypto/sha512 and crypto/sha3, which can read it. Anyone who has the state can
// extend the message. It fails for Keccak-256, Keccak-512, BLAKE2 and BLAKE3, which have no such
// format.
func (h *Hasher) AppendBinary(out []byte) ([]byte, error) {
	h.inUse.begin()
	defer h.inUse.end()
	if h.closed {
		return nil, errClosed
	}
	return h.hash.AppendBinary(out)
}

// MarshalBinary returns the state of the hasher, as [Hasher.AppendBinary] appends it.
func (h *Hasher) MarshalBinary() ([]byte, error) { return h.AppendBinary(nil) }

// UnmarshalBinary continues a message whose state was saved by a hasher of the same algorithm, here
// or in the standard library. After an error the hasher is unchanged.
func (h *Hasher) UnmarshalBinary(saved []byte) error {
	h.inUse.begin()
	defer h.inUse.end()
	if err := h.hash.UnmarshalBinary(saved); err != nil {
		return err
	}
	h.closed = false
	return nil
}

func digestMany(a Algorithm, messages [][]byte, digests []byte) {
	h := a.NewHasher()
	for _, message := range messages {
		h.Reset()
		h.hash.Write(message)
		digests = digests[len(h.Sum(digests[:0])):]
	}
}

func digestChunks(a Algorithm, data []byte, chunk int, digests []byte) {
	h := a.NewHasher()
	for len(data) > 0 {
		n := min(chunk, len(data))
		h.Reset()
		h.hash.Write(data[:n])
		data, digests = data[n:], digests[len(h.Sum(digests[:0])):]
	}
}
