// Go's engines, in a process that hashes the messages that it receives and reports the time taken.
//
// It first writes one line of JSON that lists its engines. For each request it then reads a line of
// JSON (see request) and the concatenated bytes of all messages. It answers with a line of JSON
// (see reply) and the bytes of all digests.
package main

import (
	"bufio"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"log"
	"os"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/klauspost/cpuid/v2"
	md5simd "github.com/minio/md5-simd"
	sha256simd "github.com/minio/sha256-simd"
)

// An engine hashes messages of one algorithm; digests has room for all digests.
type engine struct {
	Name       string   `json:"name"`
	Version    string   `json:"version"`
	Algorithms []string `json:"algorithms"`
	hash       map[string]func(messages [][]byte, digests []byte)
}

type request struct {
	Engine    string `json:"engine"`
	Algorithm string `json:"algorithm"`
	// How many times to hash all messages in the timed part. If Warm, they are hashed once before.
	Times   int   `json:"times"`
	Warm    bool  `json:"warm"`
	Lengths []int `json:"lengths"`
}

type reply struct {
	// CPU time of this process in the timed part.
	Nanoseconds int64 `json:"nanoseconds"`
	Digests     int   `json:"digests"`
}

// oneByOne hashes the messages one after another with a function that returns an array.
func oneByOne[D any](sum func([]byte) D, bytes func(*D) []byte) func([][]byte, []byte) {
	return func(messages [][]byte, digests []byte) {
		for _, message := range messages {
			digest := sum(message)
			digests = digests[copy(digests, bytes(&digest)):]
		}
	}
}

// The number of writers on a server that packs their writes into lanes. No server has more lanes.
const writers = 16

// throughServer hashes the messages in goroutines. Each takes the next message when it is free.
func throughServer(newHash func() hash.Hash) func([][]byte, []byte) {
	hashers := make([]hash.Hash, writers)
	for i := range hashers {
		hashers[i] = newHash()
	}
	return func(messages [][]byte, digests []byte) {
		var next atomic.Int64
		var group sync.WaitGroup
		for _, hasher := range hashers[:min(writers, len(messages))] {
			group.Add(1)
			go func() {
				defer group.Done()
				size := hasher.Size()
				for {
					i := int(next.Add(1)) - 1
					if i >= len(messages) {
						return
					}
					hasher.Reset()
					hasher.Write(messages[i])
					hasher.Sum(digests[i*size : i*size])
				}
			}()
		}
		group.Wait()
	}
}

func engines() []engine {
	versions := map[string]string{}
	const md5Path, sha256Path = "github.com/minio/md5-simd", "github.com/minio/sha256-simd"
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, module := range info.Deps {
			versions[module.Path] = module.Version
		}
	}
	all := []engine{
		{
			Name:    "Go crypto",
			Version: runtime.Version(),
			hash: map[string]func([][]byte, []byte){
				"md5":    oneByOne(md5.Sum, func(d *[16]byte) []byte { return d[:] }),
				"sha1":   oneByOne(sha1.Sum, func(d *[20]byte) []byte { return d[:] }),
				"sha256": oneByOne(sha256.Sum256, func(d *[32]byte) []byte { return d[:] }),
				"sha512": oneByOne(sha512.Sum512, func(d *[64]byte) []byte { return d[:] }),
			},
		},
		{
			Name:    "minio",
			Version: "md5-simd " + versions[md5Path] + " (server), sha256-simd " + versions[sha256Path],
			hash: map[string]func([][]byte, []byte){
				"md5": throughServer(func() func() hash.Hash {
					server := md5simd.NewServer()
					return func() hash.Hash { return server.NewHash() }
				}()),
				"sha256": oneByOne(sha256simd.Sum256, func(d *[32]byte) []byte { return d[:] }),
			},
		},
	}
	if cpuid.CPU.Supports(cpuid.AVX512F, cpuid.AVX512DQ, cpuid.AVX512BW, cpuid.AVX512VL) {
		server := sha256simd.NewAvx512Server()
		all = append(all, engine{
			Name:    "minio AVX-512 server",
			Version: "sha256-simd " + versions[sha256Path],
			hash: map[string]func([][]byte, []byte){
				"sha256": throughServer(func() hash.Hash { return sha256simd.NewAvx512(server) }),
			},
		})
	}
	for i := range all {
		for algorithm := range all[i].hash {
			all[i].Algorithms = append(all[i].Algorithms, algorithm)
		}
	}
	return all
}

// cpuTime is the CPU time of this process so far, in nanoseconds.
func cpuTime() int64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		log.Fatal(err)
	}
	return usage.Utime.Nano() + usage.Stime.Nano()
}

func serve(all []engine, in *bufio.Reader, out *bufio.Writer) error {
	sizes := map[string]int{
		"md5": md5.Size, "sha1": sha1.Size, "sha256": sha256.Size, "sha512": sha512.Size,
	}
	answer := json.NewEncoder(out)
	for {
		line, err := in.ReadBytes('\n')
		if err == io.EOF && len(line) == 0 {
			return nil
		} else if err != nil {
			return err
		}
		var wanted request
		if err := json.Unmarshal(line, &wanted); err != nil {
			return err
		}
		total := 0
		for _, length := range wanted.Lengths {
			total += length
		}
		data := make([]byte, total)
		if _, err := io.ReadFull(in, data); err != nil {
			return err
		}
		messages := make([][]byte, len(wanted.Lengths))
		for i, length := range wanted.Lengths {
			messages[i], data = data[:length:length], data[length:]
		}
		digests := make([]byte, len(messages)*sizes[wanted.Algorithm])
		var hash func([][]byte, []byte)
		for _, engine := range all {
			if engine.Name == wanted.Engine {
				hash = engine.hash[wanted.Algorithm]
			}
		}
		if hash == nil {
			return fmt.Errorf("%s has no %s", wanted.Engine, wanted.Algorithm)
		}
		runtime.GC()
		if wanted.Warm {
			hash(messages, digests)
		}
		start := cpuTime()
		for range wanted.Times {
			hash(messages, digests)
		}
		if err := answer.Encode(reply{cpuTime() - start, len(digests)}); err != nil {
			return err
		}
		if _, err := out.Write(digests); err != nil {
			return err
		}
		if err := out.Flush(); err != nil {
			return err
		}
	}
}

func main() {
	log.SetFlags(0)
	all := engines()
	out := bufio.NewWriter(os.Stdout)
	if err := json.NewEncoder(out).Encode(all); err != nil {
		log.Fatal(err)
	}
	if err := out.Flush(); err != nil {
		log.Fatal(err)
	}
	if err := serve(all, bufio.NewReaderSize(os.Stdin, 1<<20), out); err != nil {
		log.Fatal(err)
	}
}
