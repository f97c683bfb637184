// Measures minio's md5-simd and sha256-simd under the loads of benches/server, which runs this
// program. It measures one turn of one load, and prints bytes per second, CPU seconds per byte, and
// the median, the 99th percentile and the maximum of single updates in microseconds.
package main

import (
	"encoding/hex"
	"flag"
	"fmt"
	"hash"
	"os"
	"runtime"
	"sort"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	md5simd "github.com/minio/md5-simd"
	sha256 "github.com/minio/sha256-simd"
)

// Length of a message, after which its digest is taken and the next one begins.
const message = 4 << 20

// Bytes that a writer writes over and over.
const source = 1 << 20

type writer struct {
	hash    hash.Hash
	close   func()
	source  []byte
	at      int
	written int
	sum     []byte
}

func newWriter(newHash func() (hash.Hash, func()), size, seed, source int) *writer {
	if source < size {
		source = size
	}
	bytes := make([]byte, source)
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
	w.written += size
	if w.written%message == 0 {
		w.finish()
	}
}

func cpuSeconds() float64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	seconds := func(t syscall.Timeval) float64 { return float64(t.Sec) + float64(t.Usec)/1e6 }
	return seconds(usage.Utime) + seconds(usage.Stime)
}

func fail(text string) {
	fmt.Fprintln(os.Stderr, "minio peer: "+text)
	os.Exit(1)
}

// Creates the hashers of one run. Those of MD5 share one server of minio's library.
func engine(algorithm string) func() (hash.Hash, func()) {
	switch algorithm {
	case "md5":
		server := md5simd.NewServer()
		return func() (hash.Hash, func()) {
			h := server.NewHash()
			return h, h.Close
		}
	case "sha256":
		return func() (hash.Hash, func()) { return sha256.New(), func() {} }
	case "sha256-avx512":
		server := sha256.NewAvx512Server()
		return func() (hash.Hash, func()) { return sha256.NewAvx512(server), func() {} }
	}
	fail("no such algorithm: " + algorithm)
	return nil
}

// The digests of "abc" from RFC 1321 and FIPS 180-4.
var abc = map[string]string{
	"md5":           "900150983cd24fb0d6963f7d28e17f72",
	"sha256":        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
	"sha256-avx512": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
}

func main() {
	algorithm := flag.String("algorithm", "md5", "md5, sha256 or sha256-avx512")
	load := flag.String("load", "writers", "writers, robin or latency")
	count := flag.Int("count", 16, "writers or hashers")
	size := flag.Int("write", 32<<10, "bytes of one write")
	duration := flag.Duration("time", 150*time.Millisecond, "length of the turn")
	cores := flag.Int("cores", 2, "GOMAXPROCS")
	flag.Parse()
	runtime.GOMAXPROCS(*cores)

	newHash := engine(*algorithm)
	check, closeCheck := newHash()
	check.Write([]byte("abc"))
	if hex.EncodeToString(check.Sum(nil)) != abc[*algorithm] {
		fail("wrong digest of " + *algorithm)
	}
	closeCheck()

	bytesOfSource := source
	if *load == "robin" && *count > 64 {
		bytesOfSource = 64 << 10
	}
	writers := make([]*writer, *count)
	for i := range writers {
		writers[i] = newWriter(newHash, *size, i, bytesOfSource)
	}
	updates := make([][]float64, *count)

	begin, cpu := time.Now(), cpuSeconds()
	if *load == "robin" {
		for time.Since(begin) < *duration {
			for _, w := range writers {
				w.step(*size)
			}
		}
		for _, w := range writers {
			w.finish()
		}
	} else {
		var stop atomic.Bool
		var wait sync.WaitGroup
		for i, w := range writers {
			wait.Add(1)
			go func() {
				defer wait.Done()
				for !stop.Load() {
					if *load == "latency" {
						begin := time.Now()
						w.step(*size)
						updates[i] = append(updates[i], time.Since(begin).Seconds()*1e6)
					} else {
						w.step(*size)
					}
				}
				w.finish()
			}()
		}
		time.Sleep(*duration)
		stop.Store(true)
		wait.Wait()
	}
	seconds, cpu := time.Since(begin).Seconds(), cpuSeconds()-cpu

	bytes := 0
	var all []float64
	for i, w := range writers {
		bytes += w.written
		all = append(all, updates[i]...)
		w.close()
	}
	sort.Float64s(all)
	at := func(part float64) float64 {
		if len(all) == 0 {
			return 0
		}
		return all[int(float64(len(all)-1)*part)]
	}
	fmt.Printf("%g\t%g\t", float64(bytes)/seconds, cpu/float64(bytes))
	fmt.Printf("%g\t%g\t%g\n", at(0.5), at(0.99), at(1))
}
