package hashlanes

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"testing"
	"time"

	"hashlanes/internal/kernels"
)

func TestSelfTest(t *testing.T) {
	tested := make(map[string]bool)
	err := selfTest(func(a Algorithm, row string, _ []byte) { tested[a.String()+" "+row] = true })
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for _, a := range Algorithms() {
		rows += max(1, len(a.hashed().family.Choice().Each()))
	}
	if len(tested) != rows {
		t.Errorf("%d of %d rows were tested", len(tested), rows)
	}
	began := time.Now()
	if err := SelfTest(); err != nil {
		t.Error(err)
	}
	t.Log("the self-test takes ", time.Since(began))
}

// One bit of one digest, of each call in turn.
func TestSelfTestNamesWhatIsBroken(t *testing.T) {
	for _, broken := range []Algorithm{MD5, SHA3_256, BLAKE3, SHA256d} {
		last := ""
		selfTest(func(a Algorithm, row string, _ []byte) {
			if a == broken {
				last = row
			}
		})
		for call := range len(sameLengths) + 2 {
			calls := 0
			err := selfTest(func(a Algorithm, row string, digests []byte) {
				if a == broken && row == last {
					if calls == call {
						digests[call*a.Size()] ^= 0x10
					}
					calls++
				}
			})
			if err == nil || !strings.Contains(err.Error(), broken.String()) ||
				!strings.Contains(err.Error(), last) || calls <= call {
				t.Errorf("%v, call %d of %d: %v", broken, call, calls, err)
			}
		}
	}
}

// The standard library's functions know nothing of rows.
func TestSelfTestAnswersAreThoseOfTheStandardLibrary(t *testing.T) {
	for _, a := range Algorithms() {
		if standard(a) == nil {
			continue
		}
		hash := func(message []byte) []byte {
			h := standard(a)
			h.Write(message)
			return h.Sum(nil)
		}
		data := make([]byte, 3000)
		for i := range data {
			data[i] = byte(i % 251)
		}
		var all []byte
		var digests [][]byte
		for _, same := range append(slices.Clone(sameLengths[:]), -1) {
			digests = nil
			for i, length := range mixedLengths {
				if same < 0 {
					digests = append(digests, hash(data[:length]))
				} else {
					digests = append(digests, hash(data[i:i+same]))
				}
			}
			last := digests[len(digests)-1]
			all = append(append(all, bytes.Join(digests, nil)...), last...)
		}
		for i := range digests {
			for range i % 4 {
				digests[i] = hash(digests[i])
			}
		}
		answer := hash(append(all, bytes.Join(digests, nil)...))
		if got := binary.BigEndian.Uint64(answer); got != answers[a] {
			t.Errorf("%v: %x", a, got)
		}
	}
}

func TestARowAloneHashes(t *testing.T) {
	for _, only := range kernels.MD5.Choice().Each() {
		for count := range 65 {
			if only.For(count) != only.One() {
				t.Fatalf("%d messages take another row", count)
			}
		}
	}
}
