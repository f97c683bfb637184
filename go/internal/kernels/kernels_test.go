package kernels

import (
	"bytes"
	"math/rand/v2"
	"testing"
	"unsafe"
)

// sizes are the words of a lane's state, the bytes of a word, and those of a block for each mode.
var sizes = [families]struct {
	words, word int
	blocks      []int
}{
	MD5: {4, 4, []int{64}}, SHA1: {5, 4, []int{64}}, SHA256: {8, 4, []int{64}},
	SHA512: {8, 8, []int{128}}, SM3: {8, 4, []int{64}},
	Keccak:  {26, 8, []int{136, 168, 144, 104, 72, 168, 136}},
	BLAKE2b: {10, 8, []int{128}}, BLAKE2s: {11, 4, []int{64}}, BLAKE3: {12, 4, []int{64}},
}

// TestAllRowsOfAFamilyComputeTheSame compares all rows that this CPU can run with the first one, or
// with the portable one.
func TestAllRowsOfAFamilyComputeTheSame(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for f := range families {
		size := sizes[f]
		rows := append([]Row{}, f.Choice().rows...)
		if portable[f].run != nil {
			rows = append([]Row{portable[f]}, rows...)
		}
		for mode, block := range size.blocks {
			for _, count := range []int{1, 2, 9} {
				const most = 32
				messages, states := make([][]byte, most), make([][]byte, most)
				for i := range most {
					messages[i] = make([]byte, count*block)
					states[i] = make([]byte, size.words*size.word)
					for k := range messages[i] {
						messages[i][k] = byte(random.Uint32())
					}
					for k := range states[i] {
						states[i][k] = byte(random.Uint32())
					}
				}
				var right [][]byte
				for _, row := range rows {
					var got [][]byte
					for i := 0; i < most; i += row.Lanes {
						got = append(got, run(&row, states[i:i+row.Lanes], messages[i:i+row.Lanes],
							size.word, count, mode)...)
					}
					if right == nil {
						right = got
					}
					for i := range got {
						if !bytes.Equal(got[i], right[i]) {
							t.Errorf("family %d, mode %d, row %s: lane %d differs", f, mode, row.Name, i)
							break
						}
					}
				}
			}
		}
	}
}

// run runs a row and returns the states after it.
func run(row *Row, states, messages [][]byte, word, count, mode int) [][]byte {
	words := len(states[0]) / word
	memory := make([]uint64, 256)
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(&memory[0])), 2048)
	data := make([]unsafe.Pointer, row.Lanes)
	for l := range row.Lanes {
		for w := range words {
			copy(bytes[(w*row.Lanes+l)*word:], states[l][w*word:][:word])
		}
		data[l] = unsafe.Pointer(&messages[l][0])
	}
	row.Run(unsafe.Pointer(&memory[0]), &data[0], count, mode)
	after := make([][]byte, row.Lanes)
	for l := range row.Lanes {
		for w := range words {
			after[l] = append(after[l], bytes[(w*row.Lanes+l)*word:][:word]...)
		}
	}
	return after
}

func TestASingleMessageDoesNotGoToLanes(t *testing.T) {
	for f := range families {
		choice := f.Choice()
		if len(choice.rows) > 0 && (choice.For(1).Lanes != 1 || choice.For(maxLanes).Lanes < 1) {
			t.Errorf("family %d: a message goes to %s", f, choice.For(1).Name)
		}
	}
}
