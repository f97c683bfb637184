// Package hashlanes hashes many messages side by side, in the SIMD lanes of one core, with MD5,
// SHA-1, SHA-2, SM3, SHA-3, SHAKE, Keccak, BLAKE2, BLAKE3 and SHA-256d. The digests are identical
// to those of any other implementation.
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
// # Goroutines and memory
//
// Goroutines wait in Go's scheduler. A call of a kernel, which cannot be preempted, takes about
// 100 µs at most. The buffers of all hashers take at most 32 MiB, plus 2 KiB for each hasher beyond
// that. A hasher that is dropped without Close leaks nothing.
//
// # How it is built
//
// The kernels are Go assembly, made from those of the Rust library, for amd64 and arm64 on every
// system but OpenBSD. No cgo is used, and no other module. With the tag purego, with other
// compilers than Go's own and on other architectures, the standard library hashes, and portable
// code what that library lacks: see [Available].
//
// The environment variable HASHLANES_KERNEL chooses a kernel by its name, as for the Rust library.
//
// # Security
//
// MD5 and SHA-1 are broken: they do not protect against an attacker who chooses the messages. They
// are here for ETags, git, BitTorrent and old manifests. States and buffers are not wiped.
package hashlanes
