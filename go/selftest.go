package hashlanes

import (
	"encoding/binary"
	"fmt"

	"hashlanes/internal/kernels"
)

// The self-test has messages of these lengths, and as many of each of the same lengths: those of
// crates/hashlanes/src/api/known_answers.rs, which has more bytes of the answers.
var (
	mixedLengths = [...]int{
		0, 1, 3, 55, 56, 63, 64, 65, 71, 72, 73, 103, 104, 105, 111, 112, 119, 127, 128, 129, 135, 136,
		137, 143, 144, 167, 168, 255, 1000, 1023, 1024, 1025, 3000,
	}
	sameLengths = [...]int{32, 64, 150}
)

// answers are the first eight bytes of the digests of all digests.
var answers = [...]uint64{
	MD5: 0x6ba550ac5381f0b4, SHA1: 0x7d6afcbf78951169, SHA224: 0xf4e422447077c79a,
	SHA256: 0x538bf48780620b3c, SHA384: 0x9516dfbb1f3ada25, SHA512: 0xd74e67ae9e1eb079,
	SHA512_256: 0x75870b8a737af8bf, SM3: 0x7e71572e11fc85ba, SHA3_224: 0x6db874de2b10cba4,
	SHA3_256: 0xa998a5c816e326d2, SHA3_384: 0xd165905b112a5d7e, SHA3_512: 0x493801363e8302c4,
	Keccak256: 0xc39a48263b558665, Keccak512: 0x302d29348d505f28, SHAKE128: 0xba803909de1b31b0,
	SHAKE256: 0xc38006981fe6e4b6, BLAKE2b: 0xea5bdf8bb85a90f2, BLAKE2s: 0xf087d55c837aae2b,
	BLAKE3: 0x0157f5eb37114475, SHA256d: 0x0613b3099a6b2bde,
}

// SelfTest hashes known messages with every algorithm in every row that this CPU can run, and
// compares the digests with known ones: short messages, of one block and of several, of mixed
// lengths and of equal ones, in one call, one at a time, and chains of digests. Outputs of any
// length are not tested. It takes a few milliseconds. The error names the first algorithm and row
// that give a wrong digest.
func SelfTest() error { return selfTest(func(Algorithm, string, []byte) {}) }

// selfTest lets disturb change digests, in place of a row that is broken.
func selfTest(disturb func(a Algorithm, row string, digests []byte)) error {
	for _, a := range Algorithms() {
		rows := a.hashed().family.Choice().Each()
		if len(rows) == 0 {
			rows = append(rows, nil)
		}
		for _, only := range rows {
			row := "of Go's standard library"
			if only != nil {
				row = only.One().Name
			}
			answer := a.answer(only, func(digests []byte) { disturb(a, row, digests) })
			if binary.BigEndian.Uint64(answer) != answers[a] {
				const wrong = "hashlanes: self-test: row %q of %v does not give the known digests"
				return fmt.Errorf(wrong, row, a)
			}
		}
	}
	return nil
}

// answer returns the digest of all digests, computed in one row.
func (a Algorithm) answer(only *kernels.Choice, disturb func(digests []byte)) []byte {
	const count = len(mixedLengths)
	bytes := make([]byte, mixedLengths[count-1])
	for i := range bytes {
		bytes[i] = byte(i % 251)
	}
	hash := func(messages ...[]byte) []byte {
		out := make([]byte, len(messages)*a.Size())
		digestMessages(a, &messageList{messages: messages, out: out, only: only}, len(messages))
		return out
	}
	var all, digests []byte
	var messages [count][]byte
	for same := range len(sameLengths) + 1 {
		for i := range messages {
			if same < len(sameLengths) {
				messages[i] = bytes[i:][:sameLengths[same]]
			} else {
				messages[i] = bytes[:mixedLengths[i]]
			}
		}
		digests = hash(messages[:]...)
		disturb(digests)
		all = append(append(all, digests...), hash(messages[count-1])...)
	}
	for link := range 3 {
		var values [][]byte
		for i := range count {
			if i%4 > link {
				values = append(values, digests[i*a.Size():][:a.Size()])
			}
		}
		next := hash(values...)
		for i, value := range values {
			copy(value, next[i*a.Size():])
		}
	}
	disturb(digests)
	return hash(append(all, digests...))
}
