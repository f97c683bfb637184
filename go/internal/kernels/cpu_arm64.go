//go:build gc && !purego && !openbsd

package kernels

// The features, in the order of `cargo xtask go-assembly`.
const (
	neon    feature = 1 << iota
	armSHA2         // SHA-1 and SHA-256.
	armSHA3         // SHA-512, and the instructions of SHA-3.
)

// detect asks the system: not all let programs ask the CPU.
func detect() feature { return neon | instructions() }

func core() int { return arm }
