package hashlanes_test

import (
	"fmt"
	"io"
	"strings"
	"sync"

	"hashlanes"
)

// Messages that are complete in memory.
func ExampleDigestMany() {
	messages := [][]byte{[]byte("abc"), []byte(""), []byte("any lengths, any number")}
	for i, digest := range hashlanes.DigestMany(hashlanes.MD5, messages) {
		fmt.Printf("%x %q\n", digest, messages[i])
	}
	// Output:
	// 900150983cd24fb0d6963f7d28e17f72 "abc"
	// d41d8cd98f00b204e9800998ecf8427e ""
	// 304a906657f0ececcd17ee59a559803b "any lengths, any number"
}

// The leaves of a Merkle tree.
func ExampleDigestChunks() {
	leaves := hashlanes.DigestChunks(hashlanes.SHA256, make([]byte, 1000), 64)
	fmt.Println(len(leaves), len(leaves[0]))
	// Output: 16 32
}

// Uploads in goroutines. Each has its own hasher, and the hashers share lanes automatically.
func ExampleAlgorithm_New() {
	uploads := []string{"first", "second", "third"}
	tags := make([]string, len(uploads))
	var wait sync.WaitGroup
	for i, upload := range uploads {
		wait.Add(1)
		go func() {
			defer wait.Done()
			h := hashlanes.MD5.New()
			io.Copy(h, strings.NewReader(upload))
			tags[i] = fmt.Sprintf("%x", h.Sum(nil))
		}()
	}
	wait.Wait()
	fmt.Println(tags[0])
	// Output: 8b04d5e3775d298e78455efc5ca404d5
}

// Another process can continue the message, in another language too.
func ExampleHasher_MarshalBinary() {
	h := hashlanes.SHA256.NewHasher()
	h.Write([]byte("ab"))
	state, err := h.MarshalBinary()
	if err != nil {
		panic(err)
	}
	other := hashlanes.SHA256.NewHasher()
	if err := other.UnmarshalBinary(state); err != nil {
		panic(err)
	}
	other.Write([]byte("c"))
	fmt.Printf("%x\n", other.Sum(nil)[:4])
	// Output: ba7816bf
}

// Finds an algorithm by its name.
func ExampleParseAlgorithm() {
	algorithm, err := hashlanes.ParseAlgorithm("SHA-256")
	if err != nil {
		panic(err)
	}
	fmt.Printf("%v %x\n", algorithm, algorithm.Sum([]byte("abc"))[:4])
	// Output: sha256 ba7816bf
}
