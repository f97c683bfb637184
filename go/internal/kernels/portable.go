package kernels

import (
	"encoding/binary"
	"math/bits"
	"unsafe"
)

// portable has a row for families that the standard library lacks, in whole or in part. It is for
// builds without assembly, and written for clarity.
var portable = [families]Row{
	SM3:     {Name: "go", Lanes: 1, run: sm3},
	Keccak:  {Name: "go", Lanes: 1, run: keccak},
	BLAKE2b: {Name: "go", Lanes: 1, run: blake2b},
	BLAKE2s: {Name: "go", Lanes: 1, run: blake2s},
	BLAKE3:  {Name: "go", Lanes: 1, run: blake3},
}

// blocks calls f with each of the blocks of the only lane.
func blocks(data *unsafe.Pointer, count, size int, f func(block []byte)) {
	if count == 0 {
		return
	}
	bytes := unsafe.Slice((*byte)(*data), count*size)
	for ; len(bytes) > 0; bytes = bytes[size:] {
		f(bytes[:size])
	}
}

func sm3(states unsafe.Pointer, data *unsafe.Pointer, count, _ int) {
	state := (*[8]uint32)(states)
	blocks(data, count, 64, func(block []byte) { sm3Block(state, block) })
}

// sm3Block implements GB/T 32905-2016 section 5.3.
func sm3Block(state *[8]uint32, block []byte) {
	var w [68]uint32
	for i := range 16 {
		w[i] = binary.BigEndian.Uint32(block[4*i:])
	}
	for i := 16; i < 68; i++ {
		x := w[i-16] ^ w[i-9] ^ bits.RotateLeft32(w[i-3], 15)
		x ^= bits.RotateLeft32(x, 15) ^ bits.RotateLeft32(x, 23)
		w[i] = x ^ bits.RotateLeft32(w[i-13], 7) ^ w[i-6]
	}
	a, b, c, d := state[0], state[1], state[2], state[3]
	e, f, g, h := state[4], state[5], state[6], state[7]
	for i := range 64 {
		t, ff, gg := uint32(0x79cc4519), a^b^c, e^f^g
		if i >= 16 {
			t, ff, gg = 0x7a879d8a, a&b|a&c|b&c, e&f|^e&g
		}
		ss1 := bits.RotateLeft32(bits.RotateLeft32(a, 12)+e+bits.RotateLeft32(t, i%32), 7)
		tt1 := ff + d + (ss1 ^ bits.RotateLeft32(a, 12)) + (w[i] ^ w[i+4])
		tt2 := gg + h + ss1 + w[i]
		a, b, c, d = tt1, a, bits.RotateLeft32(b, 9), c
		e, f, g, h = tt2^bits.RotateLeft32(tt2, 9)^bits.RotateLeft32(tt2, 17), e,
			bits.RotateLeft32(f, 19), g
	}
	for i, word := range []uint32{a, b, c, d, e, f, g, h} {
		state[i] ^= word
	}
}

// keccakConstants are those of iota (FIPS 202 section 3.2.5).
var keccakConstants = [24]uint64{
	0x0000000000000001, 0x0000000000008082, 0x800000000000808a, 0x8000000080008000,
	0x000000000000808b, 0x0000000080000001, 0x8000000080008081, 0x8000000000008009,
	0x000000000000008a, 0x0000000000000088, 0x0000000080008009, 0x000000008000000a,
	0x000000008000808b, 0x800000000000008b, 0x8000000000008089, 0x8000000000008003,
	0x8000000000008002, 0x8000000000000080, 0x000000000000800a, 0x800000008000000a,
	0x8000000080008081, 0x8000000000008080, 0x0000000080000001, 0x8000000080008008,
}

// keccakRho has the rotation of word x + 5*y.
var keccakRho = [25]int{
	0, 1, 62, 28, 27, 36, 44, 6, 55, 20, 3, 10, 43, 25, 39, 41, 45, 15, 21, 8, 18, 2, 61, 56, 14,
}

func keccak(states unsafe.Pointer, data *unsafe.Pointer, count, mode int) {
	a := (*[25]uint64)(states)
	rate, rounds := [...]int{136, 168, 144, 104, 72, 168, 136}[mode], 24
	if mode >= Rate168Rounds12 {
		rounds = 12
	}
	blocks(data, count, rate, func(block []byte) {
		for i := range rate / 8 {
			a[i] ^= binary.LittleEndian.Uint64(block[8*i:])
		}
		for _, constant := range keccakConstants[24-rounds:] {
			keccakRound(a, constant)
		}
	})
}

// keccakRound implements FIPS 202 section 3.3.
func keccakRound(a *[25]uint64, constant uint64) {
	var c [5]uint64
	for x := range 5 {
		c[x] = a[x] ^ a[x+5] ^ a[x+10] ^ a[x+15] ^ a[x+20]
	}
	var b [25]uint64
	for y := range 5 {
		for x := range 5 {
			d := c[(x+4)%5] ^ bits.RotateLeft64(c[(x+1)%5], 1)
			b[y+5*((2*x+3*y)%5)] = bits.RotateLeft64(a[x+5*y]^d, keccakRho[x+5*y])
		}
	}
	for y := 0; y < 25; y += 5 {
		for x := range 5 {
			a[y+x] = b[y+x] ^ ^b[y+(x+1)%5]&b[y+(x+2)%5]
		}
	}
	a[0] ^= constant
}

// IV256 are the first words of SHA-256, with which BLAKE2s and BLAKE3 begin too.
var IV256 = [8]uint32{
	0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
}

// IV512 are the first words of SHA-512, with which BLAKE2b begins too.
var IV512 = [8]uint64{
	0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
	0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
}

// sigma has the order of the words of a message in each round of BLAKE2 (RFC 7693 section 2.7).
var sigma = [10][16]uint8{
	{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
	{14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
	{11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4},
	{7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
	{9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13},
	{2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
	{12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11},
	{13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
	{6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5},
	{10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0},
}

// blakeRound mixes the columns and then the diagonals. A word is rotated to the right by r.
func blakeRound[W uint32 | uint64](v, m *[16]W, order *[16]uint8, r [4]int) {
	size := 8 * int(unsafe.Sizeof(v[0]))
	rotate := func(w W, by int) W { return w>>by | w<<(size-by) }
	for i := range 8 {
		shift := i / 4
		a, b := i%4, 4+(i+shift)%4
		c, d := 8+(i+2*shift)%4, 12+(i+3*shift)%4
		for half := range 2 {
			v[a] += v[b] + m[order[2*i+half]]
			v[d] = rotate(v[d]^v[a], r[2*half])
			v[c] += v[d]
			v[b] = rotate(v[b]^v[c], r[2*half+1])
		}
	}
}

func blake2b(states unsafe.Pointer, data *unsafe.Pointer, count, _ int) {
	h := (*[10]uint64)(states)
	blocks(data, count, 128, func(block []byte) {
		var v, m [16]uint64
		for i := range m {
			m[i] = binary.LittleEndian.Uint64(block[8*i:])
		}
		h[8] += 128
		copy(v[:8], h[:8])
		copy(v[8:], IV512[:])
		v[12] ^= h[8]
		v[14] ^= h[9]
		for round := range 12 {
			blakeRound(&v, &m, &sigma[round%10], [4]int{32, 24, 16, 63})
		}
		for i := range 8 {
			h[i] ^= v[i] ^ v[8+i]
		}
	})
}

func blake2s(states unsafe.Pointer, data *unsafe.Pointer, count, _ int) {
	h := (*[11]uint32)(states)
	blocks(data, count, 64, func(block []byte) {
		var v, m [16]uint32
		for i := range m {
			m[i] = binary.LittleEndian.Uint32(block[4*i:])
		}
		if h[8] += 64; h[8] < 64 {
			h[9]++
		}
		copy(v[:8], h[:8])
		copy(v[8:], IV256[:])
		v[12] ^= h[8]
		v[13] ^= h[9]
		v[14] ^= h[10]
		for round := range 10 {
			blakeRound(&v, &m, &sigma[round], [4]int{16, 12, 8, 7})
		}
		for i := range 8 {
			h[i] ^= v[i] ^ v[8+i]
		}
	})
}

// blake3 implements section 2.2 of BLAKE3's paper.
func blake3(states unsafe.Pointer, data *unsafe.Pointer, count, mode int) {
	h := (*[12]uint32)(states)
	blocks(data, count, 64, func(block []byte) {
		var v, m [16]uint32
		for i := range m {
			m[i] = binary.LittleEndian.Uint32(block[4*i:])
		}
		copy(v[:8], h[:8])
		copy(v[8:12], IV256[:])
		copy(v[12:], h[8:])
		order := sigma[0]
		for range 7 {
			blakeRound(&v, &m, &order, [4]int{16, 12, 8, 7})
			before := order
			for i, from := range [16]uint8{2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8} {
				order[i] = before[from]
			}
		}
		if mode == Output {
			out := (*[16]uint32)(states)
			for i := range 8 {
				v[i] ^= v[8+i]
				v[8+i] ^= h[i]
			}
			*out = v
			return
		}
		for i := range 8 {
			h[i] = v[i] ^ v[8+i]
		}
		h[11] &^= 1 // No other block is the first one of its chunk.
	})
}
