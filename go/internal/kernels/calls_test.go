package kernels_test

import (
	"sync"
	"sync/atomic"
	"testing"

	"hashlanes"
	"hashlanes/internal/kernels"
)

// algorithms are functions of each family.
var algorithms = map[kernels.Family]hashlanes.Algorithm{
	kernels.MD5: hashlanes.MD5, kernels.SHA1: hashlanes.SHA1, kernels.SHA256: hashlanes.SHA256,
	kernels.SHA512: hashlanes.SHA512, kernels.SM3: hashlanes.SM3, kernels.Keccak: hashlanes.SHA3_256,
	kernels.BLAKE2b: hashlanes.BLAKE2b, kernels.BLAKE2s: hashlanes.BLAKE2s,
	kernels.BLAKE3: hashlanes.BLAKE3,
}

// A collection of garbage waits for a call: 100 µs at 3 GHz.
const most = 300_000

func TestNoCallTakesLong(t *testing.T) {
	data := make([]byte, 1<<20)
	var calls, longest atomic.Int64
	note := func(cycles int) {
		calls.Add(1)
		for {
			is := longest.Load()
			if is >= int64(cycles) || longest.CompareAndSwap(is, int64(cycles)) {
				return
			}
		}
	}
	kernels.Watch(note, func(f kernels.Family, row string) {
		a := algorithms[f]
		calls.Store(0)
		longest.Store(0)
		for _, size := range []int{64, 500, 1000, 2000, 64 << 10, len(data)} {
			hashlanes.DigestChunks(a, data[:min(len(data), 200*size)], size)
		}
		hashlanes.DigestMany(a, [][]byte{data, data[1:], data[200_000:], data[500_000:], nil})
		if calls.Load() == 0 {
			t.Errorf("%v: no call of row %s was seen", a, row)
		}
		var wait sync.WaitGroup
		for range 6 {
			wait.Add(1)
			go func() {
				defer wait.Done()
				h := a.New()
				h.Write(data)
				h.Sum(nil)
			}()
		}
		wait.Wait()
		if f == kernels.BLAKE3 {
			hashlanes.XOFMany(hashlanes.XOFBLAKE3, nil, [][]byte{data}, 1<<20)
		}
		if longest.Load() > most {
			t.Errorf("%v: a call of row %s takes %d cycles", a, row, longest.Load())
		}
	})
}
