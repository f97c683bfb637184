package hashlanes

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"
)

// TestCallsKeepNothingAlive sees messages and digests freed by the first collection after a call.
// What a pool keeps lives longer: it is dropped by the second collection after its last use.
func TestCallsKeepNothingAlive(t *testing.T) {
	var born, freed atomic.Int64
	watch := func(object *byte) {
		born.Add(1)
		runtime.AddCleanup(object, func(int) { freed.Add(1) }, 0)
	}
	calls := func(a Algorithm, count, length int) {
		messages := make([][]byte, count)
		for i := range messages {
			messages[i] = make([]byte, max(32, length))[:length]
			watch(&messages[i][:1][0])
		}
		watch(&DigestMany(a, messages)[0][0])
		for _, message := range messages {
			h := a.New()
			forceLanes(a)
			h.Write(message)
			h.Sum(nil)
		}
		if length > 0 {
			watch(&DigestChunks(a, messages[0], length)[0][0])
		}
		if outputs, err := XOFMany(XOFBLAKE3, nil, messages, 32); err == nil {
			watch(&outputs[0][0])
		}
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(maxProcs))
	for _, a := range Algorithms() {
		for _, length := range []int{0, 64, 1000, 5000} {
			for _, count := range []int{1, 3, 17, 130} {
				done := make(chan struct{})
				// In a goroutine that ends, so that no stack refers to them.
				go func() { calls(a, count, length); close(done) }()
				<-done
			}
			runtime.GC()
			deadline := time.Now().Add(10 * time.Second)
			for freed.Load() < born.Load() {
				if time.Now().After(deadline) {
					t.Fatalf("%v of %d bytes: %d of %d are alive", a, length, born.Load()-freed.Load(),
						born.Load())
				}
				time.Sleep(time.Millisecond)
			}
		}
	}
}
