package main

import (
	"fmt"
	"math"
	"runtime"
	"runtime/metrics"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// stopping is how long collections have waited until all goroutines had stopped.
const stopping = "/sched/pauses/stopping/gc:seconds"

func stops() *metrics.Float64Histogram {
	samples := []metrics.Sample{{Name: stopping}}
	metrics.Read(samples)
	return samples[0].Value.Float64Histogram()
}

// measureStops collects garbage again and again while goroutines write, and prints how long the
// world took to stop.
func measureStops(algorithm, name string, count, size int, duration time.Duration) {
	newHash := engine(algorithm, name)
	var stop atomic.Bool
	var wait sync.WaitGroup
	for i := range count {
		w := newWriter(newHash, size, i)
		wait.Add(1)
		go func() {
			defer wait.Done()
			for !stop.Load() {
				w.step(size)
			}
			w.close()
		}()
	}
	before := stops()
	for begin := time.Now(); time.Since(begin) < duration; time.Sleep(time.Millisecond) {
		runtime.GC()
	}
	after := stops()
	stop.Store(true)
	wait.Wait()
	var total uint64
	for i := range after.Counts {
		after.Counts[i] -= before.Counts[i]
		total += after.Counts[i]
	}
	// The upper bound of the bucket in which a part of all stops ends.
	quantile := func(part float64) string {
		left := uint64(math.Ceil(part * float64(total)))
		for i, count := range after.Counts {
			if count >= left {
				return fmt.Sprintf("%.0f", after.Buckets[i+1]*1e6)
			}
			left -= count
		}
		return "?"
	}
	fmt.Println(strings.Join([]string{
		algorithm, name, fmt.Sprint(count), fmt.Sprint(size), fmt.Sprint(total),
		quantile(.5), quantile(.9), quantile(.99), quantile(1),
	}, "\t"))
}
