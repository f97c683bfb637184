//go:build gc && !purego

package kernels

import "syscall"

func instructions() (found feature) {
	const crypto = 30 // PF_ARM_V8_CRYPTO_INSTRUCTIONS_AVAILABLE
	isPresent := syscall.NewLazyDLL("kernel32.dll").NewProc("IsProcessorFeaturePresent")
	if yes, _, _ := isPresent.Call(crypto); yes != 0 {
		found |= armSHA2
	}
	return found
}
