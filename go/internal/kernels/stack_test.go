package kernels

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"
)

// args are the arguments of a call, on the heap.
type args struct {
	states [26 * 8]uint64
	data   [32]unsafe.Pointer
	blocks [2 * 168]byte
}

func newArgs() *args {
	a := new(args)
	for i := range a.data {
		a.data[i] = unsafe.Pointer(&a.blocks)
	}
	return a
}

func (a *args) run(row *Row, blocks int) {
	row.Run(unsafe.Pointer(&a.states), &a.data[0], blocks, 0)
}

// everyRow calls f with each row that this CPU can run.
func everyRow(f func(row *Row)) {
	for family := range families {
		choice := family.Choice()
		for i := range choice.rows {
			f(&choice.rows[i])
		}
	}
}

// painted calls f with bytes of a pattern around its frame, and reports whether they are left
// alone.
//
//go:noinline
func painted(f func()) bool {
	var above [512]byte
	for i := range above {
		above[i] = byte(i) ^ 0xa5
	}
	f()
	for i := range above {
		if above[i] != byte(i)^0xa5 {
			return false
		}
	}
	return true
}

// deep calls f with this many frames above it.
//
//go:noinline
func deep(n int, f func() bool) bool {
	var pad [40]byte
	pad[n%40] = 1
	if n > 0 {
		return deep(n-1, f) && pad[n%40] == 1
	}
	return f()
}

// Fresh goroutines have small stacks, which grow in the function before the kernel. The depths
// differ by less than any frame, so that the end of a stack comes to be everywhere in one.
func TestStacksGrowAtEveryDepth(t *testing.T) {
	everyRow(func(row *Row) {
		var want args
		first := newArgs()
		first.run(row, 2)
		want = *first
		var all sync.WaitGroup
		for depth := range 150 {
			all.Add(1)
			go func() {
				defer all.Done()
				left := deep(depth, func() bool {
					return painted(func() {
						a := newArgs()
						a.run(row, 2)
						if a.states != want.states {
							t.Errorf("%s at depth %d: another result", row.Name, depth)
						}
					})
				})
				if !left {
					t.Errorf("%s at depth %d wrote to the stack of its caller", row.Name, depth)
				}
			}()
		}
		all.Wait()
	})
}

// Collections, stacks that shrink, signals and tracebacks while kernels run.
func TestKernelsUnderStress(t *testing.T) {
	end := time.Now().Add(300 * time.Millisecond)
	var stop atomic.Bool
	var around sync.WaitGroup
	around.Add(1)
	go func() {
		defer around.Done()
		buffer := make([]byte, 1<<16)
		for time.Now().Before(end) {
			runtime.GC()
			runtime.Stack(buffer, true)
		}
		stop.Store(true)
	}()
	var all sync.WaitGroup
	for depth := range 16 {
		all.Add(1)
		go func() {
			defer all.Done()
			for !stop.Load() {
				everyRow(func(row *Row) {
					if !deep(depth, func() bool {
						return painted(func() { newArgs().run(row, 1) })
					}) {
						t.Errorf("%s wrote to the stack of its caller", row.Name)
					}
				})
			}
		}()
	}
	all.Wait()
	around.Wait()
}
