package hashlanes

import (
	"errors"
	"fmt"
	"strings"
)

// An XOF is an extendable-output function: its output has any length.
type XOF uint32

// The extendable-output functions, with the numbers in hashlanes.h.
const (
	XOFSHAKE128      XOF = 1 + iota // FIPS 202.
	XOFSHAKE256                     // FIPS 202.
	XOFTurboSHAKE128                // RFC 9861.
	XOFTurboSHAKE256                // RFC 9861.
	XOFKT128                        // KangarooTwelve (RFC 9861).
	XOFKT256                        // KangarooTwelve (RFC 9861).
	XOFBLAKE3
)

var xofNames = [...]string{
	XOFSHAKE128:      "shake128",
	XOFSHAKE256:      "shake256",
	XOFTurboSHAKE128: "turboshake128",
	XOFTurboSHAKE256: "turboshake256",
	XOFKT128:         "kt128",
	XOFKT256:         "kt256",
	XOFBLAKE3:        "blake3",
}

// ParseXOF finds an extendable-output function by name. Case and separators are ignored: kt128,
// KT128, turbo-shake-128.
func ParseXOF(name string) (XOF, error) {
	wanted := strings.NewReplacer("-", "", "_", "", "/", "").Replace(strings.ToLower(name))
	for x := XOFSHAKE128; x <= XOFBLAKE3; x++ {
		if xofNames[x] == wanted {
			return x, nil
		}
	}
	return 0, fmt.Errorf("hashlanes: unknown extendable-output function %q", name)
}

// String returns the name in lower case: shake128, kt128.
func (x XOF) String() string {
	if x < XOFSHAKE128 || x > XOFBLAKE3 {
		return fmt.Sprintf("hashlanes.XOF(%d)", uint32(x))
	}
	return xofNames[x]
}

// XOFParams are the parameters that an [XOF] takes besides messages. A nil slice is not set.
//
//   - SHAKE takes Customization and FunctionName (cSHAKE, NIST SP 800-185), or Key and
//     Customization (KMACXOF).
//   - TurboSHAKE takes Domain.
//   - KT128 and KT256 take Customization.
//   - BLAKE3 takes a Key of 32 bytes, or Customization: the context to derive keys for.
type XOFParams struct {
	// Key is a secret. An empty slice that is not nil is a key as well.
	Key []byte
	// Customization makes another function of this one.
	Customization []byte
	// FunctionName is that of a function defined by cSHAKE. NIST reserves it for its own functions.
	FunctionName []byte
	// Domain is the domain separation byte, from 0x01 to 0x7f, or 0 for the usual one, 0x1f.
	Domain byte
}

// XOFMany returns the first size bytes of output for each message, in order. The messages are
// hashed side by side on one core. The parameters may be nil.
//
// It fails if the function does not take a parameter or its value. It panics if size is negative.
func XOFMany(x XOF, params *XOFParams, messages [][]byte, size int) ([][]byte, error) {
	if size < 0 {
		panic("hashlanes: the size of outputs must not be negative")
	}
	if params == nil {
		params = new(XOFParams)
	}
	if err := params.check(x); err != nil {
		return nil, err
	}
	outputs, each := flat(len(messages), size)
	if size > 0 && len(messages) > 0 {
		params.outputs(x, &messageList{messages: messages, out: outputs, size: size}, len(messages))
	}
	return each, nil
}

// check says which parameter the function does not take.
func (p *XOFParams) check(x XOF) error {
	isShake := x == XOFSHAKE128 || x == XOFSHAKE256
	isTurbo := x == XOFTurboSHAKE128 || x == XOFTurboSHAKE256
	refused := func(what string) error { return fmt.Errorf("hashlanes: %v %s", x, what) }
	switch {
	case x < XOFSHAKE128 || x > XOFBLAKE3:
		return fmt.Errorf("hashlanes: unknown extendable-output function number %d", uint32(x))
	case p.Key != nil && !isShake && x != XOFBLAKE3:
		return refused("takes no key")
	case p.Customization != nil && isTurbo:
		return refused("takes no customization string")
	case p.FunctionName != nil && !isShake:
		return refused("takes no function name")
	case p.FunctionName != nil && p.Key != nil:
		return refused("with a key is KMAC, which takes no function name")
	case p.Domain != 0 && !isTurbo:
		return refused("takes no domain separation byte")
	case p.Domain > 0x7f:
		return errors.New("hashlanes: a domain separation byte must be at most 0x7f")
	case x == XOFBLAKE3 && p.Key != nil && p.Customization != nil:
		return refused("takes a key or a customization string, but not both")
	case x == XOFBLAKE3 && p.Key != nil && len(p.Key) != 32:
		return refused(fmt.Sprintf("has keys of 32 bytes, not %d", len(p.Key)))
	}
	return nil
}
