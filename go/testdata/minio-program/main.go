// A program written for minio's packages. It uses every function that they offer to programs.
package main

import (
	"encoding"
	"fmt"
	"hash"
	"sync"

	md5simd "github.com/minio/md5-simd"
	"github.com/minio/sha256-simd"
)

// message returns a message of i bytes.
func message(i int) []byte {
	bytes := make([]byte, i)
	for k := range bytes {
		bytes[k] = byte(k*k + i)
	}
	return bytes
}

// digests hashes messages in goroutines, each with its own hasher, which it uses twice.
func digests(open func() hash.Hash, closeHash func(hash.Hash)) []string {
	all := make([]string, 40)
	var wait sync.WaitGroup
	for i := range all {
		wait.Add(1)
		go func() {
			defer wait.Done()
			h := open()
			defer closeHash(h)
			h.Write([]byte("something else"))
			h.Reset()
			whole := message(i * i * 97)
			for len(whole) > 0 {
				n := min(1+i*1000, len(whole))
				h.Write(whole[:n])
				whole = whole[n:]
			}
			all[i] = fmt.Sprintf("%x", h.Sum([]byte{byte(i)}))
		}()
	}
	wait.Wait()
	return all
}

func main() {
	var server md5simd.Server = md5simd.NewServer()
	defer server.Close()
	fmt.Println(digests(
		func() hash.Hash { return server.NewHash() },
		func(h hash.Hash) { h.(md5simd.Hasher).Close() }))
	fmt.Println(digests(
		func() hash.Hash { return md5simd.StdlibHasher() },
		func(h hash.Hash) { h.(md5simd.Hasher).Close() }))
	fmt.Println(digests(sha256.New, func(hash.Hash) {}))

	var avx512 *sha256.Avx512Server = sha256.NewAvx512Server()
	h := sha256.NewAvx512(avx512)
	_ = h.Size() + h.BlockSize()

	closed := server.NewHash()
	closed.Close()
	closed.Close()
	_, err := closed.Write([]byte("late"))
	fmt.Println(md5simd.Size, md5simd.BlockSize, err != nil)

	fmt.Printf("%x %d %d\n", sha256.Sum256(message(1000)), sha256.Size, sha256.BlockSize)
	first := sha256.New()
	first.Write(message(1234))
	state, err := first.(encoding.BinaryMarshaler).MarshalBinary()
	fmt.Printf("%x %v\n", state, err)
	second := sha256.New()
	fmt.Println(second.(encoding.BinaryUnmarshaler).UnmarshalBinary(state))
	fmt.Printf("%x\n", second.Sum(nil))
}
