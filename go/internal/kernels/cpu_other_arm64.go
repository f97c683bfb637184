//go:build gc && !purego && !linux && !windows && !openbsd

package kernels

import "runtime"

// isar0 reads ID_AA64ISAR0_EL1, which FreeBSD emulates for programs. NetBSD does not.
func isar0() uint64

func instructions() (found feature) {
	switch runtime.GOOS {
	case "darwin", "ios":
		// All of Apple's cores for 64-bit systems have the former, those of Macs both.
		if found = armSHA2; runtime.GOOS == "darwin" {
			found |= armSHA3
		}
	case "freebsd":
		register := isar0()
		field := func(at int) uint64 { return register >> at & 0xf }
		if field(8) >= 1 && field(12) >= 1 {
			found |= armSHA2
		}
		if field(12) >= 2 && field(32) >= 1 {
			found |= armSHA3
		}
	}
	return found
}
