package hashlanes

import (
	"math/rand/v2"
	"sync"
	"testing"
)

// FuzzHashers compares hashers in several goroutines with those of the standard library. Each byte
// of the input is a step of one of them.
func FuzzHashers(f *testing.F) {
	data := noise(8, 40_000)
	f.Add([]byte("some steps"), uint64(1))
	f.Add([]byte{0, 1, 2, 3, 4, 5, 6, 7, 0xff, 0xfe, 0x80, 0x40, 0x20}, uint64(2))
	f.Fuzz(func(t *testing.T, steps []byte, seed uint64) {
		const goroutines = 8
		var wait sync.WaitGroup
		for g := range goroutines {
			wait.Add(1)
			go func() {
				defer wait.Done()
				a := withStandard()[g%len(withStandard())]
				d, random := newDouble(a), rand.New(rand.NewPCG(seed, uint64(g)))
				for i := g % 4; i < min(len(steps), 200); i++ {
					switch step := steps[i]; {
					case step&3 == 0:
						forceStandard(a)
					case step&3 == 1:
						forceLanes(a)
					default:
						d.step(t, a, random, data[:1+int(step)*100])
					}
				}
				d.check(t, "at the end")
			}()
		}
		wait.Wait()
	})
}
