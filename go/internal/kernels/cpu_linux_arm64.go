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
			found = ofCapabilities(binary.NativeEndian.Uint64(vector[8:]))
		}
	}
	return found
}

// ofCapabilities tells from the kernel's bits: SHA1 and SHA2, SHA3 and SHA512.
func ofCapabilities(bits uint64) (found feature) {
	const sha2, sha3 = 1<<5 | 1<<6, 1<<17 | 1<<21
	if bits&sha2 == sha2 {
		found |= armSHA2
	}
	if bits&sha3 == sha3 {
		found |= armSHA3
	}
	return found
}
