// Benchmarks streaming hashers in many goroutines: those of this module, of minio's md5-simd and
// sha256-simd, and of the standard library.
//
// Each turn of an engine runs in its own process, so that none inherits another's goroutines,
// threads or memory. The engines take turns, and the median of each engine's turns is reported.
package main

import (
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

func fail(format string, arguments ...any) {
	fmt.Fprintf(os.Stderr, "bench: "+format+"\n", arguments...)
	os.Exit(1)
}

func numbers(list string) []int {
	var numbers []int
	for _, word := range strings.Split(list, ",") {
		number, err := strconv.Atoi(word)
		if err != nil || number < 1 {
			fail("not a positive number: %s", word)
		}
		numbers = append(numbers, number)
	}
	return numbers
}

func main() {
	algorithms := flag.String("algorithms", "md5,sha256", "algorithms to measure")
	counts := flag.String("goroutines", "1,2,4,16,64,1000", "numbers of concurrent writers")
	sizes := flag.String("writes", "4096,32768,1048576", "lengths of a write, in bytes")
	turns := flag.Int("turns", 5, "turns per engine")
	duration := flag.Duration("time", 150*time.Millisecond, "duration of a turn")
	cores := flag.Int("cores", runtime.NumCPU(), "GOMAXPROCS")
	only := flag.String("engines", "", "engines to measure (default all)")
	turn := flag.String("turn", "", "measure one turn of this engine, and print two numbers")
	pauses := flag.Bool("stops", false, "measure how long collections wait for goroutines to stop")
	flag.Parse()
	if *turn != "" {
		runtime.GOMAXPROCS(*cores)
		rate, cpu := measure(*algorithms, *turn, numbers(*counts)[0], numbers(*sizes)[0], *duration)
		fmt.Println(rate, cpu)
		return
	}
	if *pauses {
		runtime.GOMAXPROCS(*cores)
		fmt.Println("function\tengine\tgoroutines\twrite\tstops\tmedian µs\t90 %\t99 %\tmost")
		for _, algorithm := range strings.Split(*algorithms, ",") {
			for _, name := range enginesOf(algorithm) {
				for _, size := range numbers(*sizes) {
					measureStops(algorithm, name, numbers(*counts)[0], size, *duration)
				}
			}
		}
		return
	}
	fmt.Printf("GB/s · CPU seconds per GB: medians of %d turns of %v, GOMAXPROCS %d.\n"+
		"to std, to minio (its better package): ratio of GB/s · ratio of bytes per CPU second.\n",
		*turns, *duration, *cores)
	for _, algorithm := range strings.Split(*algorithms, ",") {
		names := enginesOf(algorithm)
		if *only != "" {
			names = strings.Split(*only, ",")
		}
		heading(algorithm, names)
		for _, count := range numbers(*counts) {
			for _, size := range numbers(*sizes) {
				c := cell{algorithm, count, size, *duration, *cores, *turns}
				c.row(names)
			}
		}
	}
}

func heading(algorithm string, names []string) {
	fmt.Printf("\n| %s: goroutines | write | %s | to std | to minio |\n", algorithm,
		strings.Join(names, " | "))
	fmt.Println("|---:|---:|" + strings.Repeat("---:|", len(names)+2))
}

// A cell is a number of goroutines and a length of writes.
type cell struct {
	algorithm   string
	count, size int
	duration    time.Duration
	cores       int
	turns       int
}

// row measures the cell and prints a row of the table.
func (c cell) row(names []string) {
	rates, cpus := make([][]float64, len(names)), make([][]float64, len(names))
	for range c.turns {
		for i, name := range names {
			rate, cpu := c.turn(name)
			rates[i], cpus[i] = append(rates[i], rate), append(cpus[i], cpu)
		}
	}
	var ours, std, minio result
	fmt.Printf("| %d | %d |", c.count, c.size)
	for i, name := range names {
		of := result{median(rates[i]), median(cpus[i])}
		fmt.Printf(" %.2f · %.3f |", of.rate/1e9, of.cpu*1e9)
		switch {
		case name == "hashlanes":
			ours = of
		case name == "std":
			std = of
		case minio.rate < of.rate:
			minio = of
		}
	}
	fmt.Printf(" %.2f · %.2f | %.2f · %.2f |\n", ours.rate/std.rate, std.cpu/ours.cpu,
		ours.rate/minio.rate, minio.cpu/ours.cpu)
}

// A result is bytes per second, and CPU seconds per byte.
type result struct{ rate, cpu float64 }

func median(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}

// turn measures one turn in another process.
func (c cell) turn(name string) (rate, cpu float64) {
	command := exec.Command(os.Args[0], "-turn", name, "-algorithms", c.algorithm,
		"-goroutines", strconv.Itoa(c.count), "-writes", strconv.Itoa(c.size),
		"-time", c.duration.String(), "-cores", strconv.Itoa(c.cores))
	command.Stderr = os.Stderr
	out, err := command.Output()
	if err != nil {
		fail("%s: %v", name, err)
	}
	if _, err := fmt.Sscan(string(out), &rate, &cpu); err != nil {
		fail("%s: %v", name, err)
	}
	return rate, cpu
}

// abc holds the digests of "abc", from RFC 1321 and FIPS 180-4.
var abc = map[string]string{
	"md5":    "900150983cd24fb0d6963f7d28e17f72",
	"sha256": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
}

// verify exits if an engine gives a wrong digest.
func verify(algorithm, name string, newHash maker) {
	h, closeHash := newHash()
	h.Write([]byte("abc"))
	if hex.EncodeToString(h.Sum(nil)) != abc[algorithm] {
		fail("wrong digest of %s by %s", algorithm, name)
	}
	closeHash()
}
