//go:build gc && !purego

package kernels

import (
	"encoding/binary"
	"os"
)

// instructions reads the auxiliary vector, which has pairs of numbers.
func instructions() (found feature) {
	vector, _ := os.ReadFile("/proc/self/auxv")
	for ; len(vector) >= 16; vector = vector[16:] {
		const hwcap = 16
		if binary.NativeEndian.Uint64(vector) == hwcap {
			bits := binary.NativeEndian.Uint64(vector[8:])
			if bits>>5&bits>>6&1 == 1 {
				found |= armSHA2
			}
			if bits>>17&bits>>21&1 == 1 {
				found |= armSHA3
			}
		}
	}
	return found
}
