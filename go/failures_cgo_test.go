//go:build cgo && !purego && (hashlanes_system || (linux && (amd64 || arm64)))

package hashlanes

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

var errInjected = errors.New("injected")

// failEach makes every count-th call of C fail, until the test ends.
func failEach(t *testing.T, count uint32, fail func() error) {
	var calls atomic.Uint32
	usual := beforeCall
	beforeCall = func() error {
		if calls.Add(1)%count == 0 {
			return fail()
		}
		return nil
	}
	t.Cleanup(func() { beforeCall = usual })
}

// attempts returns how many messages each goroutine begins: HASHLANES_ATTEMPTS, or a few.
func attempts(t *testing.T) int {
	text := os.Getenv("HASHLANES_ATTEMPTS")
	if text == "" {
		return 3
	}
	count, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return count
}

// attempt hashes a message with every function. Like net/http, it recovers from panics, which end
// only the request. It returns errWrong if an error is missing or a digest is wrong.
func attempt(a Algorithm, h *Hasher, data []byte, right []byte) (result error) {
	defer func() {
		if failure := recover(); failure != nil {
			result = fmt.Errorf("panic: %v", failure)
		}
	}()
	h.Reset()
	for rest := data; len(rest) > 0; {
		n := min(len(rest), 5000)
		if _, err := h.Write(rest[:n]); err != nil {
			// All further calls must fail too.
			if _, again := h.Write(rest); again == nil {
				return errWrong
			}
			if _, again := h.MarshalBinary(); again == nil {
				return errWrong
			}
			return err
		}
		rest = rest[n:]
	}
	if !bytes.Equal(h.Sum(nil), right) {
		return errWrong
	}
	if !bytes.Equal(DigestMany(a, [][]byte{data, data})[1], right) {
		return errWrong
	}
	if !bytes.Equal(DigestChunks(a, data, len(data))[0], right) {
		return errWrong
	}
	return nil
}

var errWrong = errors.New("wrong")

// storm hashes in 64 goroutines while some calls fail, and returns the number of failed attempts.
func storm(t *testing.T, a Algorithm) int64 {
	data := noise(11, 50_000)
	right := standardSum(a, data)
	var failed atomic.Int64
	var wait sync.WaitGroup
	for range 64 {
		wait.Add(1)
		go func() {
			defer wait.Done()
			h := a.NewHasher()
			for range attempts(t) {
				ended := make(chan error, 1)
				go func() {
					// A goroutine that ends with runtime.Goexit has no result.
					defer close(ended)
					ended <- attempt(a, h, data, right)
				}()
				if err, finished := <-ended; errors.Is(err, errWrong) {
					t.Error("a wrong digest without an error")
				} else if err != nil || !finished {
					failed.Add(1)
				}
			}
		}()
	}
	finished := make(chan struct{})
	go func() { wait.Wait(); close(finished) }()
	select {
	case <-finished:
	case <-time.After(20 * time.Second):
		t.Fatal("the hashers hang")
	}
	return failed.Load()
}

func TestFailedCallsDoNotAffectOthers(t *testing.T) {
	ways := map[string]func() error{
		"error":  func() error { return errInjected },
		"panic":  func() error { panic(errInjected) },
		"goexit": func() error { runtime.Goexit(); return nil },
	}
	for name, fail := range ways {
		for _, a := range []Algorithm{MD5, SHA256, SM3} {
			t.Run(name+"/"+a.String(), func(t *testing.T) {
				right := standardSum(a, []byte("after"))
				failEach(t, 7, fail)
				if storm(t, a) == 0 {
					t.Error("nothing failed, so nothing was tested")
				}
				beforeCall = func() error { return nil }
				if storm(t, a) != 0 {
					t.Error("calls fail without an injected error")
				}
				nothingLeft(t, a)
				forceLanes(a)
				h := a.New()
				h.Write([]byte("after"))
				if got := h.Sum(nil); !bytes.Equal(got, right) {
					t.Errorf("%x", got)
				}
			})
		}
	}
}

// nothingLeft checks that all slots in C are free, and that no job is waiting or in progress.
func nothingLeft(t *testing.T, a Algorithm) {
	t.Helper()
	s := serverOf(a)
	s.mutex.Lock()
	defer s.mutex.Unlock()
	inC, asleep := s.running.Load(), s.sleeping.Load()
	if inC != 0 || asleep != 0 || s.out != 0 || s.rounds != 0 || s.queue.count != 0 {
		t.Errorf("%v: %d in C, %d asleep, %d jobs out in %d rounds, %d in the queue", a,
			inC, asleep, s.out, s.rounds, s.queue.count)
	}
	batches.Lock()
	defer batches.Unlock()
	for _, b := range batches.free {
		if b.count != 0 {
			t.Error("a batch was given back with messages")
		}
	}
}

func TestLostMessages(t *testing.T) {
	for _, a := range Algorithms() {
		if a.properties().words == 0 {
			continue
		}
		forceLanes(a)
		h := a.NewHasher()
		h.Write(make([]byte, 2000))
		usual := beforeCall
		beforeCall = func() error { return errInjected }
		if n, err := h.Write(make([]byte, 50_000)); n != 0 || !errors.Is(err, errInjected) {
			t.Error(a, n, err)
		}
		beforeCall = usual
		if n, err := h.Write([]byte("more")); n != 0 || !errors.Is(err, errInjected) {
			t.Error(a, n, err)
		}
		if _, err := h.MarshalBinary(); !errors.Is(err, errInjected) {
			t.Error(a, err)
		}
		panics(t, "the digest of a lost message", func() { h.Sum(nil) })
		h.Reset()
		h.Write([]byte("abc"))
		if got := h.Sum(nil); !bytes.Equal(got, Sum(a, []byte("abc"))) {
			t.Errorf("%v: %x", a, got)
		}
		h.Close()
	}
}
