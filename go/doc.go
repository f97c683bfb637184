// Package hashlanes hashes many messages side by side, in the SIMD lanes of one core, with MD5,
// SHA-1, SHA-2, SM3, SHA-3, SHAKE, Keccak, BLAKE2, BLAKE3 and SHA-256d. The digests are identical to
// those of any other implementation.
//
// A cryptographic hash is serial within a message, so a single stream leaves most of a core idle.
// Different messages are independent, and this package hashes one in each lane.
//
//   - [DigestMany] and [DigestChunks] hash messages that are complete in memory.
//   - [Algorithm.New] returns a [hash.Hash]. Hashers of MD5, SHA-1, SHA-2 and SM3 in different
//     goroutines share lanes automatically; others hash each message by itself. There is no server
//     to start and nothing to close.
//   - The packages hashlanes/md5simd and hashlanes/sha256simd replace minio's.
//
// # One message at a time
//
// While no other hasher is at work, the standard library hashes the message, at its usual cost.
// When others are at work too, writes of less than 8 KiB are copied to a buffer of 32 KiB. Larger
// writes are hashed in place while the writer waits.
//
// # Goroutines, threads and memory
//
// Goroutines wait in Go's scheduler and never in C. For each algorithm, at most GOMAXPROCS
// goroutines are in C at a time. The buffers of all hashers take at most 32 MiB, plus 2 KiB for
// each hasher beyond that. A hasher that is dropped without Close leaks nothing.
//
// # How it is built
//
// With cgo, on Linux on amd64 and arm64, a program links a static library that comes with the
// module, for glibc 2.17 and newer. With the tag hashlanes_system it links the C library of
// hashlanes that pkg-config finds, on any system. In other programs, or with the tag purego, the
// same functions use the standard library, which lacks Keccak, BLAKE2 and BLAKE3: see [Available]
// and [Algorithms]. Systems with musl, such as Alpine, need one of the tags, or no cgo.
//
// # Security
//
// MD5 and SHA-1 are broken: they do not protect against an attacker who chooses the messages. They
// are here for ETags, git, BitTorrent and old manifests. States and buffers are not wiped.
package hashlanes
