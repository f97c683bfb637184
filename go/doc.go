// Package hashlanes hashes many messages side by side, in the SIMD lanes of one core: MD5, SHA-1,
// SHA-2 and SM3. The digests are the ordinary ones, bit for bit.
//
// A cryptographic hash is serial inside one message, so that one stream leaves most of a core idle.
// Different messages do not depend on each other, and this package puts one into each lane.
//
//   - [DigestMany] and [DigestChunks] hash messages that are all there.
//   - [Algorithm.New] makes a [hash.Hash]. Hashers that many goroutines use at the same time share
//     lanes by themselves. There is no server to start, and nothing has to be closed.
//   - The packages hashlanes/md5simd and hashlanes/sha256simd take the place of minio's.
//
// # One message at a time
//
// A hasher that is the only one at work is hashed by the standard library, and costs what that
// costs. When others are at work too, its bytes are copied to a buffer of 32 KiB, or, from 8 KiB
// on, hashed where they are while the writer waits.
//
// # Goroutines, threads and memory
//
// Goroutines wait in Go's scheduler and never in C. No more of them are in C at a time than
// GOMAXPROCS, for each algorithm. The buffers of all hashers take 32 MiB at most, and 2 KiB for
// each hasher beyond. A hasher that is dropped without Close leaves nothing behind.
//
// # How it is built
//
// The package calls the C library of hashlanes, a static archive, which pkg-config must find. A
// program that is built without cgo, or with the tag purego, has the standard library's functions
// behind the same names: [Available] tells.
//
// # Security
//
// MD5 and SHA-1 are broken: they do not protect against somebody who chooses the messages. They are
// here for ETags, git, BitTorrent and old manifests. States and buffers are not wiped.
package hashlanes
