//go:build !cgo || purego || !(hashlanes_system || (linux && (amd64 || arm64)))

package hashlanes

import (
	"encoding/binary"
	"errors"
	"math/bits"
)

// sm3 implements GB/T 32905-2016, which the standard library lacks. It is written for clarity, not
// speed.
type sm3 struct {
	state  [8]uint32
	block  [64]byte
	length uint64
}

const sm3Magic = "sm3\x01"

func newSM3() *sm3 {
	s := new(sm3)
	s.Reset()
	return s
}

func (s *sm3) Reset() {
	*s = sm3{state: [8]uint32{
		0x7380166f, 0x4914b2b9, 0x172442d7, 0xda8a0600,
		0xa96f30bc, 0x163138aa, 0xe38dee4d, 0xb0fb0e4e,
	}}
}

func (s *sm3) Size() int      { return 32 }
func (s *sm3) BlockSize() int { return 64 }

func (s *sm3) Write(p []byte) (int, error) {
	count := len(p)
	for len(p) > 0 {
		n := copy(s.block[s.length%64:], p)
		s.length += uint64(n)
		p = p[n:]
		if s.length%64 == 0 {
			s.compress()
		}
	}
	return count, nil
}

func (s *sm3) Sum(in []byte) []byte {
	end := *s
	length := s.length * 8
	padding := make([]byte, 1+(119-s.length%64)%64, 72)
	padding[0] = 0x80
	end.Write(binary.BigEndian.AppendUint64(padding, length))
	for _, word := range end.state {
		in = binary.BigEndian.AppendUint32(in, word)
	}
	return in
}

// compress implements section 5.3.
func (s *sm3) compress() {
	var w [68]uint32
	for i := range 16 {
		w[i] = binary.BigEndian.Uint32(s.block[4*i:])
	}
	for i := 16; i < 68; i++ {
		x := w[i-16] ^ w[i-9] ^ bits.RotateLeft32(w[i-3], 15)
		x ^= bits.RotateLeft32(x, 15) ^ bits.RotateLeft32(x, 23)
		w[i] = x ^ bits.RotateLeft32(w[i-13], 7) ^ w[i-6]
	}
	a, b, c, d := s.state[0], s.state[1], s.state[2], s.state[3]
	e, f, g, h := s.state[4], s.state[5], s.state[6], s.state[7]
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
		s.state[i] ^= word
	}
}

func (s *sm3) AppendBinary(out []byte) ([]byte, error) {
	out = append(out, sm3Magic...)
	for _, word := range s.state {
		out = binary.BigEndian.AppendUint32(out, word)
	}
	out = append(out, s.block[:s.length%64]...)
	out = append(out, make([]byte, 64-s.length%64)...)
	return binary.BigEndian.AppendUint64(out, s.length), nil
}

func (s *sm3) UnmarshalBinary(saved []byte) error {
	if len(saved) < len(sm3Magic) || string(saved[:len(sm3Magic)]) != sm3Magic {
		return errors.New("hashlanes: not a saved state of sm3")
	}
	if saved = saved[len(sm3Magic):]; len(saved) != 32+64+8 {
		return errors.New("hashlanes: a saved state of sm3 has the wrong length")
	}
	for i := range s.state {
		s.state[i] = binary.BigEndian.Uint32(saved[4*i:])
	}
	copy(s.block[:], saved[32:])
	s.length = binary.BigEndian.Uint64(saved[96:])
	return nil
}
