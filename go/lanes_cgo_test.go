//go:build cgo && !purego

package hashlanes

import (
	"bytes"
	"os"
	"runtime"
	"sync"
	"testing"
	"time"
)

// forceLanes has the next write go to lanes, even if there is no company.
func forceLanes(a Algorithm) { serverOf(a).company.Store(true) }

// forceAlone has the next write hashed alone.
func forceAlone(a Algorithm) {
	s := serverOf(a)
	s.company.Store(false)
	s.alone.Store(mostPatience)
}

// leased is how many buffers for staging are in the hands of hashers.
func leased() int {
	leases.Lock()
	defer leases.Unlock()
	return leases.made - len(leases.free)
}

// waitUntil waits for what comes after a collection of garbage.
func waitUntil(t *testing.T, what string, reached func() bool) {
	t.Helper()
	// When GOMAXPROCS falls, Go 1.26 keeps the cleanups of the processors that go, until they come
	// back. Other tests let it fall.
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(mostProcs))
	for range 500 {
		if reached() {
			return
		}
		runtime.GC()
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("in vain: ", what)
}

func TestDroppedHashersGiveTheirBuffersBack(t *testing.T) {
	waitUntil(t, "no buffers in use", func() bool { return leased() == 0 })
	goroutines := runtime.NumGoroutine()
	for i := range 3000 {
		h := MD5.NewHasher()
		forceLanes(MD5)
		h.Write(make([]byte, 2000+i))
	}
	if leased() == 0 {
		t.Error("no hasher took a buffer, so nothing was tested")
	}
	waitUntil(t, "no buffers in use", func() bool { return leased() == 0 })
	if runtime.NumGoroutine() > goroutines {
		t.Errorf("%d goroutines more", runtime.NumGoroutine()-goroutines)
	}
}

func TestMoreHashersThanBuffers(t *testing.T) {
	data := noise(1, 40_000)
	hashers := make([]*Hasher, mostStaged+200)
	for at := 0; at < len(data); at += 4000 {
		for i := range hashers {
			if hashers[i] == nil {
				hashers[i] = SHA256.NewHasher()
			}
			forceLanes(SHA256)
			hashers[i].Write(data[at : at+4000])
		}
	}
	if leased() != mostStaged {
		t.Errorf("%d buffers are in use", leased())
	}
	for i, h := range hashers {
		if got := h.Sum(nil); string(got) != string(Sum(SHA256, data)) {
			t.Fatalf("hasher %d: %x", i, got)
		}
		h.Close()
		h.Close()
	}
	waitUntil(t, "no buffers in use", func() bool { return leased() == 0 })
}

// A field's neighbours may be pointers. Whether others are at work must not matter.
func TestBuffersBesidePointersInLanes(t *testing.T) {
	type connection struct {
		next *connection
		buf  [64 << 10]byte
	}
	for _, a := range Algorithms() {
		c := &connection{next: new(connection)}
		copy(c.buf[:], noise(10, len(c.buf)))
		h := a.New()
		for _, p := range [][]byte{c.buf[:], c.buf[1:300], c.buf[3:3], nil, c.buf[1:40_000]} {
			forceLanes(a)
			h.Write(p)
		}
		forceLanes(a)
		whole := append(append(bytes.Clone(c.buf[:]), c.buf[1:300]...), c.buf[1:40_000]...)
		if got := h.Sum(nil); !bytes.Equal(got, standardSum(a, whole)) {
			t.Errorf("%v: %x", a, got)
		}
	}
}

// threads is how many threads the process has.
func threads(t *testing.T) int {
	entries, err := os.ReadDir("/proc/self/task")
	if err != nil {
		t.Skip("only Linux tells the number of threads: ", err)
	}
	return len(entries)
}

// mostThreads calls run in many goroutines and returns how many threads there were at most.
func mostThreads(t *testing.T, count int, run func(i int)) (before, most int) {
	before = threads(t)
	most = before
	var wait sync.WaitGroup
	for i := range count {
		wait.Add(1)
		go func() {
			defer wait.Done()
			run(i)
		}()
	}
	finished := make(chan struct{})
	go func() { wait.Wait(); close(finished) }()
	for {
		select {
		case <-finished:
			// As many in C as run Go, and those of Go's runtime.
			if limit := before + 2*runtime.GOMAXPROCS(0) + 8; most > limit {
				t.Errorf("%d threads for %d goroutines, not %d", most, count, limit)
			}
			return before, most
		case <-time.After(2 * time.Millisecond):
			most = max(most, threads(t))
		}
	}
}

func TestTenThousandGoroutinesNeedFewThreads(t *testing.T) {
	const count = 10_000
	data := noise(2, 48<<10)
	right := string(standardSum(MD5, data))
	before, most := mostThreads(t, count, func(i int) {
		h := MD5.New()
		piece := []int{1000, 4096, 16 << 10, 48 << 10}[i%4]
		for rest := data; len(rest) > 0; rest = rest[min(piece, len(rest)):] {
			h.Write(rest[:min(piece, len(rest))])
		}
		if string(h.Sum(nil)) != right {
			t.Errorf("goroutine %d: wrong digest", i)
		}
	})
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	t.Logf("%d goroutines: %d threads at most, %d before; %d MiB from the system", count, most,
		before, memory.Sys>>20)
}

func TestLongCallsNeedFewThreads(t *testing.T) {
	data := noise(9, 16<<20)
	right := string(standardSum(MD5, data))
	mostThreads(t, 40, func(i int) {
		if string(DigestChunks(MD5, data, len(data))[0]) != right {
			t.Errorf("goroutine %d: wrong digest", i)
		}
	})
}
