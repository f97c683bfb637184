package hashlanes

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

// noise returns pseudo-random bytes, which depend only on the seed.
func noise(seed uint64, length int) []byte {
	random := rand.New(rand.NewPCG(seed, 7))
	bytes := make([]byte, length)
	for i := range bytes {
		bytes[i] = byte(random.Uint32())
	}
	return bytes
}

// standardSum returns the expected digest. It comes from the standard library, or from our own Sum,
// which the vectors check.
func standardSum(a Algorithm, message []byte) []byte {
	h := standard(a)
	if h == nil {
		return Sum(a, message)
	}
	h.Write(message)
	return h.Sum(nil)
}

// A vector is a message with its digest, from the file that all language interfaces share.
type vector struct {
	algorithm Algorithm
	message   []byte
	digest    string
}

func vectors(t *testing.T) []vector {
	t.Helper()
	file, err := os.Open("../vectors/digests.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var vectors []vector
	seen := make(map[Algorithm]bool)
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if !strings.HasPrefix(lines.Text(), "digest ") {
			continue
		}
		var name, digest string
		var length int
		if _, err := fmt.Sscanf(lines.Text(), "digest %s %d %s", &name, &length, &digest); err != nil {
			t.Fatalf("%s: %v", lines.Text(), err)
		}
		a, err := ParseAlgorithm(name)
		if err != nil {
			t.Fatal(err)
		}
		message := make([]byte, length)
		for i := range message {
			message[i] = byte(i % 251)
		}
		vectors = append(vectors, vector{a, message, digest})
		seen[a] = true
	}
	for _, a := range Algorithms() {
		if !seen[a] {
			t.Errorf("no vector of %v", a)
		}
	}
	if len(vectors) < 700 {
		t.Fatalf("only %d vectors", len(vectors))
	}
	return vectors
}

func (v vector) check(t *testing.T, how string, got []byte) {
	t.Helper()
	if hex.EncodeToString(got) != v.digest {
		t.Errorf("%v of %d bytes %s: %x", v.algorithm, len(v.message), how, got)
	}
}
