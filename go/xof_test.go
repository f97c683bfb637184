package hashlanes

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
)

// An xofVector is an output, from the file that all language interfaces share.
type xofVector struct {
	x      XOF
	params XOFParams
	length int
	output []byte
}

func fromHex(t *testing.T, digits string) []byte {
	t.Helper()
	bytes, err := hex.DecodeString(digits)
	if err != nil {
		t.Fatal(err)
	}
	return append([]byte{}, bytes...) // An empty key is not nil.
}

func xofVectors(t *testing.T) (vectors []xofVector) {
	t.Helper()
	file, err := os.Open("../crates/hashlanes/tests/suite/outputs.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		if strings.HasPrefix(lines.Text(), "#") {
			continue
		}
		v := xofVector{output: fromHex(t, fields[2])}
		if _, err := fmt.Sscan(fields[1], &v.length); err != nil {
			t.Fatal(err)
		}
		name, parameters, _ := strings.Cut(fields[0], ",")
		if v.x, err = ParseXOF(name); err != nil {
			t.Fatal(err)
		}
		for _, parameter := range strings.Split(parameters, ",") {
			name, digits, _ := strings.Cut(parameter, "=")
			switch value := fromHex(t, digits); name {
			case "":
			case "key":
				v.params.Key = value
			case "customization":
				v.params.Customization = value
			case "function_name":
				v.params.FunctionName = value
			case "domain":
				v.params.Domain = value[0]
			default:
				t.Fatalf("unknown parameter %q", name)
			}
		}
		vectors = append(vectors, v)
	}
	if len(vectors) < 250 {
		t.Fatalf("only %d vectors", len(vectors))
	}
	return vectors
}

func TestOutputsOfTheVectorFile(t *testing.T) {
	all := make([]byte, 100_000)
	for i := range all {
		all[i] = byte(i % 251)
	}
	compared := 0
	for _, v := range xofVectors(t) {
		// Beside messages of other lengths, and of the same one.
		same := all[:v.length]
		for _, messages := range [][][]byte{{same, nil, all[:500], same}, {same, same, same}} {
			outputs, err := XOFMany(v.x, &v.params, messages, len(v.output))
			if err != nil {
				t.Fatal(err)
			}
			for i, output := range outputs {
				if len(messages[i]) == v.length && !bytes.Equal(output, v.output) {
					t.Errorf("%v of %d bytes: %x", v.x, v.length, output[:32])
				}
			}
			compared++
		}
	}
	if compared < 100 {
		t.Fatalf("only %d outputs were compared", compared)
	}
}

func TestOutputsOfManyMessages(t *testing.T) {
	var messages [][]byte
	for i := range 600 { // More than a batch, some of them not copied to its memory.
		messages = append(messages, noise(uint64(i), i*7%1500))
	}
	for _, size := range []int{0, 1, 32, 1000} {
		outputs, err := XOFMany(XOFSHAKE256, nil, messages, size)
		if err != nil {
			t.Fatal(err)
		}
		for i, output := range outputs {
			one, err := XOFMany(XOFSHAKE256, nil, messages[i:i+1], 64)
			if err != nil || len(output) != size {
				t.Fatal(err, len(output))
			}
			if n := min(size, 64); !bytes.Equal(one[0][:n], output[:n]) {
				t.Fatalf("message %d has another output among others", i)
			}
			if digest := Sum(SHAKE256, messages[i]); !bytes.Equal(one[0], digest) {
				t.Fatalf("the digest of message %d is %x", i, digest)
			}
		}
	}
	if outputs, err := XOFMany(XOFSHAKE128, nil, nil, 5); err != nil || len(outputs) != 0 {
		t.Fatal(outputs, err)
	}
}

func TestParametersThatAFunctionDoesNotTake(t *testing.T) {
	for _, c := range []struct {
		x      XOF
		params XOFParams
		err    string
	}{
		{0, XOFParams{}, "unknown extendable-output function number 0"},
		{8, XOFParams{}, "unknown extendable-output function number 8"},
		{XOFTurboSHAKE128, XOFParams{Key: []byte{}}, "turboshake128 takes no key"},
		{XOFKT128, XOFParams{Key: []byte{1}}, "kt128 takes no key"},
		{XOFTurboSHAKE256, XOFParams{Customization: []byte{}}, "takes no customization string"},
		{XOFTurboSHAKE256, XOFParams{Domain: 0x80}, "at most 0x7f"},
		{XOFKT256, XOFParams{FunctionName: []byte("a")}, "kt256 takes no function name"},
		{XOFSHAKE128, XOFParams{Domain: 1}, "shake128 takes no domain separation byte"},
		{XOFSHAKE128, XOFParams{Key: []byte{1}, FunctionName: []byte("KMAC")}, "with a key is KMAC"},
		{XOFBLAKE3, XOFParams{Key: make([]byte, 31)}, "keys of 32 bytes, not 31"},
		{XOFBLAKE3, XOFParams{Key: make([]byte, 32), Customization: []byte{}}, "but not both"},
	} {
		_, err := XOFMany(c.x, &c.params, [][]byte{nil}, 8)
		if err == nil || !strings.Contains(err.Error(), c.err) {
			t.Errorf("%v: %v instead of %s", c.x, err, c.err)
		}
	}
	if x, err := ParseXOF("Turbo-SHAKE_128"); x != XOFTurboSHAKE128 || err != nil {
		t.Error(x, err)
	}
	if _, err := ParseXOF("sha256"); err == nil {
		t.Error("sha256 has no output of any length")
	}
	panics(t, "the size of outputs must not be negative", func() { XOFMany(XOFSHAKE128, nil, nil, -1) })
	panics(t, fmt.Sprintf("2 outputs of %d bytes do not fit", math.MaxInt), func() {
		XOFMany(XOFBLAKE3, nil, make([][]byte, 2), math.MaxInt)
	})
}
