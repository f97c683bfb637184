package hashlanes_test

import (
	"bytes"
	"crypto/sha256"
	"hash"
	"sync"
	"testing"

	"hashlanes"
	"hashlanes/md5simd"
	sha256simd "hashlanes/sha256simd"
)

// A connection has pointers beside its buffer, as objects of servers do.
type connection struct {
	next *connection
	buf  [64 << 10]byte
	last *connection
}

var global connection

// fill fills the buffer with bytes that depend on seed, and sets the pointers to Go memory.
func (c *connection) fill(seed int) *connection {
	c.next, c.last = new(connection), c
	for i := range c.buf {
		c.buf[i] = byte(i*i + seed)
	}
	return c
}

// slices returns parts of the buffer, some short enough to be copied and some hashed in place.
func (c *connection) slices() [][]byte {
	b := c.buf[:]
	return [][]byte{b, b[1:], b[7:100], b[3:3], nil, b[len(b):], b[:20_000], b[64 : 64+128], b[100:]}
}

// check hashes the slices with every function that reads a caller's memory.
func (c *connection) check(t *testing.T, a hashlanes.Algorithm, open func() hash.Hash) {
	slices := c.slices()
	h, whole := open(), []byte{}
	for _, slice := range slices {
		if _, err := h.Write(slice); err != nil {
			t.Error(a, err)
		}
		whole = append(whole, slice...)
	}
	if got := h.Sum(nil); !bytes.Equal(got, hashlanes.Sum(a, whole)) {
		t.Errorf("%v: wrong digest of a connection's buffer: %x", a, got)
	}
	many := hashlanes.DigestMany(a, slices)
	for i, slice := range slices {
		if !bytes.Equal(many[i], hashlanes.Sum(a, slice)) {
			t.Errorf("%v: wrong digest of slice %d: %x", a, i, many[i])
		}
		for k, got := range hashlanes.DigestChunks(a, slice, 30_000) {
			chunk := slice[k*30_000 : min(len(slice), (k+1)*30_000)]
			if !bytes.Equal(got, hashlanes.Sum(a, chunk)) {
				t.Errorf("%v: wrong digest of chunk %d of slice %d: %x", a, k, i, got)
			}
		}
	}
}

func TestBuffersInObjectsWithPointers(t *testing.T) {
	global.fill(100)
	var wait sync.WaitGroup
	check := func(a hashlanes.Algorithm, open func() hash.Hash) {
		for i := range 4 {
			wait.Add(1)
			go func() {
				defer wait.Done()
				(&connection{}).fill(i).check(t, a, open)
				global.check(t, a, open)
			}()
		}
	}
	check(hashlanes.MD5, func() hash.Hash { return md5simd.NewServer().NewHash() })
	check(hashlanes.SHA256, func() hash.Hash { return sha256simd.NewAvx512(nil) })
	for _, a := range hashlanes.Algorithms() {
		check(a, a.New)
	}
	wait.Wait()
}

// Slices that do not escape may be on the stack.
func TestBuffersOnTheStack(t *testing.T) {
	var local [9000]byte
	const chunk = 4000
	for i, got := range hashlanes.DigestChunks(hashlanes.SHA256, local[1:], chunk) {
		right := sha256.Sum256(local[1+i*chunk : min(len(local), 1+(i+1)*chunk)])
		if !bytes.Equal(got, right[:]) {
			t.Errorf("wrong digest of chunk %d: %x", i, got)
		}
	}
}
