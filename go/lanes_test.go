package hashlanes

import (
	"bytes"
	"os"
	"runtime"
	"sync"
	"testing"
	"time"
)

// forceLanes makes the next write use lanes, even without peers.
func forceLanes(a Algorithm) { serverOf(a).hasPeers.Store(true) }

// forceStandard makes the next write use the standard library.
func forceStandard(a Algorithm) {
	s := serverOf(a)
	s.hasPeers.Store(false)
	s.untilProbe.Store(maxProbeInterval)
}

// leased returns the number of staging buffers that hashers hold.
func leased() int {
	leases.Lock()
	defer leases.Unlock()
	return leases.made - len(leases.free)
}

// waitUntil waits for an effect of garbage collection.
func waitUntil(t *testing.T, what string, reached func() bool) {
	t.Helper()
	// When GOMAXPROCS falls, Go 1.26 holds back the cleanups of the removed processors until these
	// come back. Other tests lower it.
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(maxProcs))
	for range 500 {
		if reached() {
			return
		}
		runtime.GC()
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("timed out waiting for ", what)
}

func TestDroppedHashersReleaseTheirBuffers(t *testing.T) {
	waitUntil(t, "the return of all buffers", func() bool { return leased() == 0 })
	goroutines := runtime.NumGoroutine()
	for i := range 3000 {
		h := SM3.NewHasher() // In lanes in every build.
		h.Write(make([]byte, 2000+i))
	}
	if leased() == 0 {
		t.Error("no hasher took a buffer, so nothing was tested")
	}
	waitUntil(t, "the return of all buffers", func() bool { return leased() == 0 })
	if runtime.NumGoroutine() > goroutines {
		t.Errorf("%d goroutines more", runtime.NumGoroutine()-goroutines)
	}
}

func TestMoreHashersThanBuffers(t *testing.T) {
	data := noise(1, 40_000)
	hashers := make([]*Hasher, maxStaged+200)
	for at := 0; at < len(data); at += 4000 {
		for i := range hashers {
			if hashers[i] == nil {
				hashers[i] = SM3.NewHasher()
			}
			hashers[i].Write(data[at : at+4000])
		}
	}
	if leased() != maxStaged {
		t.Errorf("%d buffers are in use", leased())
	}
	for i, h := range hashers {
		if got := h.Sum(nil); string(got) != string(Sum(SM3, data)) {
			t.Fatalf("hasher %d: %x", i, got)
		}
		h.Close()
		h.Close()
	}
	waitUntil(t, "the return of all buffers", func() bool { return leased() == 0 })
}

// The buffer is next to a pointer field, which must not matter when the message is hashed in lanes.
func TestBuffersNextToPointersInLanes(t *testing.T) {
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

// threads returns the number of threads in the process.
func threads(t *testing.T) int {
	entries, err := os.ReadDir("/proc/self/task")
	if err != nil {
		t.Skip("the number of threads is known only on Linux: ", err)
	}
	return len(entries)
}

// maxThreads calls run in many goroutines and returns the largest number of threads seen.
func maxThreads(t *testing.T, count int, run func(i int)) (before, most int) {
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
			// Those that run Go code, and those of Go's runtime.
			if limit := before + 2*runtime.GOMAXPROCS(0) + 8; most > limit {
				t.Errorf("%d threads for %d goroutines, more than %d", most, count, limit)
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
	before, most := maxThreads(t, count, func(i int) {
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
	maxThreads(t, 40, func(i int) {
		if string(DigestChunks(MD5, data, len(data))[0]) != right {
			t.Errorf("goroutine %d: wrong digest", i)
		}
	})
}

// A round of half the lanes takes as long as one of all, so jobs wait for the round in progress.
func TestHalvesBecomeOneRound(t *testing.T) {
	s := serverOf(MD5)
	const count = 8
	if !s.isOneRound(2*count, 2) {
		t.Skip("two rounds of 8 are faster than one of 16 on this CPU")
	}
	forceLanes(MD5)
	// Another round, whose hashers come from nowhere.
	s.mutex.Lock()
	s.out, s.rounds, s.busy = s.out+count, s.rounds+1, 2*count
	s.mutex.Unlock()
	data := noise(11, 40_000)
	right := string(standardSum(MD5, data))
	var wait sync.WaitGroup
	for range count {
		wait.Add(1)
		go func() {
			defer wait.Done()
			h := MD5.NewHasher()
			h.beginLanes()
			h.length = uint64(len(data))
			h.write(data)
			if got := h.Sum(nil); string(got) != right {
				t.Errorf("wrong digest: %x", got)
			}
		}()
	}
	waiting := func() int {
		s.mutex.Lock()
		defer s.mutex.Unlock()
		if s.rounds != 1 {
			t.Errorf("%d rounds instead of the one in progress", s.rounds)
		}
		return s.queue.count
	}
	for begin := time.Now(); waiting() < count; time.Sleep(time.Millisecond) {
		if time.Since(begin) > 10*time.Second {
			t.Fatal("timed out waiting for all jobs")
		}
	}
	time.Sleep(20 * time.Millisecond)
	if got := waiting(); got != count {
		t.Errorf("%d jobs wait instead of %d", got, count)
	}
	s.mutex.Lock()
	s.out, s.rounds = s.out-count, s.rounds-1
	s.wakeOne()
	s.mutex.Unlock()
	wait.Wait()
}

// A round of one job hashes all of a long message. Nobody waits for it.
func TestNobodyWaitsForOneJob(t *testing.T) {
	s := serverOf(MD5)
	if !s.isOneRound(9, 2) {
		t.Skip("nobody waits for another round on this CPU")
	}
	forceLanes(MD5)
	s.mutex.Lock()
	s.out, s.rounds, s.busy = s.out+1, s.rounds+1, 9
	s.mutex.Unlock()
	defer func() {
		s.mutex.Lock()
		s.out, s.rounds = s.out-1, s.rounds-1
		s.mutex.Unlock()
	}()
	data := noise(12, 40_000)
	ended := make(chan string, 8)
	for range cap(ended) {
		go func() {
			h := MD5.NewHasher()
			h.beginLanes()
			h.length = uint64(len(data))
			h.write(data)
			ended <- string(h.Sum(nil))
		}()
	}
	for range cap(ended) {
		select {
		case got := <-ended:
			if got != string(standardSum(MD5, data)) {
				t.Errorf("wrong digest: %x", got)
			}
		case <-time.After(10 * time.Second):
			t.Fatal("a goroutine waits for the round of one job")
		}
	}
}
