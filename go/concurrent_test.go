package hashlanes

import (
	"bytes"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// gives reports whether a hasher gives the right digest of data.
func gives(h *Hasher, data, right []byte) bool {
	for rest := data; len(rest) > 0; {
		n := min(len(rest), 9000)
		h.Write(rest[:n])
		rest = rest[n:]
	}
	return bytes.Equal(h.Sum(nil), right)
}

// TestAHasherThatIsUsedConcurrentlySaysSo uses one hasher in many goroutines at once. A call either
// does its work or panics; none waits forever, and the hasher remains usable.
func TestAHasherThatIsUsedConcurrentlySaysSo(t *testing.T) {
	data := noise(3, 70_000)
	var refused atomic.Int64
	for _, a := range Algorithms() {
		shared := a.NewHasher()
		right := Sum(a, data)
		calls := []func(){
			func() { shared.Write(data[:100]) },
			func() { shared.Write(data[:5000]) },
			func() { shared.Write(data) },
			func() { shared.Sum(nil) },
			func() { shared.Reset() },
			func() { shared.Close() },
			func() { shared.MarshalBinary() },
			func() {
				if saved, err := shared.MarshalBinary(); err == nil {
					shared.UnmarshalBinary(saved)
				}
			},
		}
		attempt := func(call func()) {
			defer func() {
				failure := recover()
				if failure == nil || failure == errClosed {
					return
				}
				if text, isText := failure.(string); !isText || !strings.Contains(text, "concurrently") {
					t.Errorf("%v: %v", a, failure)
				}
				refused.Add(1)
			}()
			call()
		}
		var wait sync.WaitGroup
		for i := range 32 {
			wait.Add(1)
			go func() {
				defer wait.Done()
				if i%4 == 0 {
					// A peer, so that messages share lanes.
					for range 4 {
						if !gives(a.NewHasher(), data, right) {
							t.Errorf("%v: a wrong digest of another hasher", a)
						}
					}
					return
				}
				for k := range 60 {
					attempt(calls[(i+k)%len(calls)])
				}
			}()
		}
		finished := make(chan struct{})
		go func() { wait.Wait(); close(finished) }()
		select {
		case <-finished:
		case <-time.After(60 * time.Second):
			t.Fatalf("%v: the goroutines hang", a)
		}
		shared.Reset()
		if !gives(shared, data, right) {
			t.Errorf("%v: a wrong digest afterwards", a)
		}
	}
	t.Logf("%d calls were refused", refused.Load())
}

// TestACallDuringAnotherCallPanics does not depend on how goroutines are scheduled.
func TestACallDuringAnotherCallPanics(t *testing.T) {
	h := MD5.NewHasher()
	h.begin()
	defer func() {
		if text, _ := recover().(string); !strings.Contains(text, "used concurrently") {
			t.Errorf("the panic says %q", text)
		}
		h.end()
		h.Write([]byte("abc"))
		if !bytes.Equal(h.Sum(nil), Sum(MD5, []byte("abc"))) {
			t.Error("the refused call changed the message")
		}
	}()
	h.Write([]byte("lost"))
}
