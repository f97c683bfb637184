//go:build !cgo || purego || !(hashlanes_system || (linux && (amd64 || arm64)))

package hashlanes

import (
	"crypto/sha3"
	"fmt"
	"math/bits"
)

// xofMany writes the concatenated outputs for messages. The parameters are checked.
func xofMany(x XOF, params *XOFParams, messages [][]byte, outputs []byte, size int) error {
	create := sha3.NewCSHAKE128
	switch x {
	case XOFSHAKE128:
	case XOFSHAKE256:
		create = sha3.NewCSHAKE256
	default:
		return fmt.Errorf("hashlanes: %v needs cgo and the C library", x)
	}
	h := create(params.FunctionName, params.Customization)
	var beginning, ending []byte
	if params.Key != nil {
		h = create([]byte("KMAC"), params.Customization)
		beginning, ending = paddedKey(params.Key, h.BlockSize()), []byte{0, 1}
	}
	for _, message := range messages {
		h.Reset()
		h.Write(beginning)
		h.Write(message)
		h.Write(ending)
		h.Read(outputs[:size])
		outputs = outputs[size:]
	}
	return nil
}

// paddedKey is a key as KMAC begins with it: in whole blocks (NIST SP 800-185 section 4.3).
func paddedKey(key []byte, block int) []byte {
	encode := func(out []byte, number uint64) []byte {
		length := max(1, (bits.Len64(number)+7)/8)
		out = append(out, byte(length))
		for i := length - 1; i >= 0; i-- {
			out = append(out, byte(number>>(8*i)))
		}
		return out
	}
	padded := encode(encode(nil, uint64(block)), 8*uint64(len(key)))
	padded = append(padded, key...)
	if rest := len(padded) % block; rest > 0 {
		padded = append(padded, make([]byte, block-rest)...)
	}
	return padded
}
