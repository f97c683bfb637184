package main

import (
	"crypto/md5"
	"crypto/sha256"
	"hash"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	md5simd "github.com/minio/md5-simd"
	sha256simd "github.com/minio/sha256-simd"

	"hashlanes"
)

// message is the number of bytes in a message. At its end the digest is taken and the next message
// begins.
const message = 4 << 20

// source is the minimum number of bytes that a writer cycles through. With many writers they exceed
// the caches.
const source = 256 << 10

// A maker returns a hasher and a function that closes it.
type maker func() (hash.Hash, func())

func enginesOf(algorithm string) []string {
	if algorithm == "md5" {
		return []string{"hashlanes", "minio", "std"}
	}
	return []string{"hashlanes", "minio", "minio-avx512", "std"}
}

func engine(algorithm, name string) maker {
	open := func(h hash.Hash) (hash.Hash, func()) { return h, func() {} }
	switch algorithm + " " + name {
	case "md5 hashlanes":
		return func() (hash.Hash, func()) {
			h := hashlanes.MD5.NewHasher()
			return h, h.Close
		}
	case "sha256 hashlanes":
		return func() (hash.Hash, func()) {
			h := hashlanes.SHA256.NewHasher()
			return h, h.Close
		}
	case "md5 minio":
		server := md5simd.NewServer()
		return func() (hash.Hash, func()) {
			h := server.NewHash()
			return h, h.Close
		}
	case "sha256 minio":
		return func() (hash.Hash, func()) { return open(sha256simd.New()) }
	case "sha256 minio-avx512":
		server := sha256simd.NewAvx512Server()
		return func() (hash.Hash, func()) { return open(sha256simd.NewAvx512(server)) }
	case "md5 std":
		return func() (hash.Hash, func()) { return open(md5.New()) }
	case "sha256 std":
		return func() (hash.Hash, func()) { return open(sha256.New()) }
	}
	fail("no engine %s for %s", name, algorithm)
	return nil
}

// A writer writes to its hasher repeatedly.
type writer struct {
	hash    hash.Hash
	close   func()
	source  []byte
	at      int
	written int
	sum     []byte
}

func newWriter(newHash maker, size, seed int) *writer {
	bytes := make([]byte, max(source, size))
	x := uint64(seed)*0x9e3779b97f4a7c15 + 1
	for i := range bytes {
		if i%8 == 0 {
			x = x*6364136223846793005 + 1442695040888963407
		}
		bytes[i] = byte((x ^ x>>29) >> (i % 8 * 8))
	}
	h, closeHash := newHash()
	return &writer{hash: h, close: closeHash, source: bytes}
}

func (w *writer) finish() {
	w.sum = w.hash.Sum(w.sum[:0])
	w.hash.Reset()
}

func (w *writer) step(size int) {
	if w.at+size > len(w.source) {
		w.at = 0
	}
	w.hash.Write(w.source[w.at : w.at+size])
	w.at += size
	if w.written += size; w.written%message == 0 {
		w.finish()
	}
}

func cpuSeconds() float64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		fail("getrusage: %v", err)
	}
	seconds := func(t syscall.Timeval) float64 { return float64(t.Sec) + float64(t.Usec)/1e6 }
	return seconds(usage.Utime) + seconds(usage.Stime)
}

// measure runs one turn. It returns bytes per second and CPU seconds per byte.
func measure(algorithm, name string, count, size int, duration time.Duration) (rate, cpu float64) {
	newHash := engine(algorithm, name)
	verify(algorithm, name, newHash)
	writers := make([]*writer, count)
	for i := range writers {
		writers[i] = newWriter(newHash, size, i)
	}
	var stop atomic.Bool
	var wait sync.WaitGroup
	begin, before := time.Now(), cpuSeconds()
	for _, w := range writers {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for !stop.Load() {
				w.step(size)
			}
			w.finish()
		}()
	}
	time.Sleep(duration)
	stop.Store(true)
	wait.Wait()
	seconds, used := time.Since(begin).Seconds(), cpuSeconds()-before
	bytes := 0
	for _, w := range writers {
		bytes += w.written
		w.close()
	}
	return float64(bytes) / seconds, used / float64(bytes)
}
