// Command main compares digests with the standard library's, and says whether lanes were used.
// The imports get the module's public path.
package main

import (
	"bytes"
	"crypto/md5"
	"crypto/sha256"
	"fmt"
	"log"

	"hashlanes"
	"hashlanes/md5simd"
)

func main() {
	messages := make([][]byte, 1000)
	for i := range messages {
		messages[i] = bytes.Repeat([]byte{byte(i)}, i)
	}
	for i, digest := range hashlanes.DigestMany(hashlanes.SHA256, messages) {
		if right := sha256.Sum256(messages[i]); !bytes.Equal(digest, right[:]) {
			log.Fatalf("SHA-256 of message %d: %x", i, digest)
		}
	}
	hasher := md5simd.NewServer().NewHash()
	for _, message := range messages {
		hasher.Write(message)
	}
	if right := md5.Sum(bytes.Join(messages, nil)); !bytes.Equal(hasher.Sum(nil), right[:]) {
		log.Fatal("MD5 in pieces")
	}
	fmt.Println("lanes:", hashlanes.Available())
}
