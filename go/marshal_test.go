package hashlanes

import (
	"bufio"
	"bytes"
	"crypto/sha3"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

// counted is a message of the shared states.
func counted(length int) []byte {
	message := make([]byte, length)
	for i := range message {
		message[i] = byte(i % 251)
	}
	return message
}

func TestStatesOfOtherLanguages(t *testing.T) {
	file, err := os.Open("../crates/hashlanes/tests/suite/states.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	seen := make(map[Algorithm]bool)
	lines := bufio.NewScanner(file)
	for lines.Buffer(nil, 1<<20); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "#") {
			continue
		}
		var name, text string
		var length int
		if _, err := fmt.Sscanf(lines.Text(), "%s %d %s", &name, &length, &text); err != nil {
			t.Fatalf("%s: %v", lines.Text(), err)
		}
		saved, err := hex.DecodeString(text)
		if err != nil {
			t.Fatal(err)
		}
		a, err := ParseAlgorithm(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, force := range []func(Algorithm){forceLanes, forceStandard} {
			force(a)
			whole := append(counted(length), counted(9000)...)
			h := a.NewHasher()
			if err := h.UnmarshalBinary(saved); err != nil {
				t.Fatalf("%v of %d bytes: %v", a, length, err)
			}
			// Of a whole subtree, the last block no longer matters.
			isAhead := a == BLAKE3 && length%1024 == 0 && length > 0
			again, err := h.MarshalBinary()
			if err != nil || standard(a) == nil && !isAhead && !bytes.Equal(again, saved) {
				t.Errorf("%v of %d bytes: state %x, want %x, %v", a, length, again, saved, err)
			}
			if got := h.Sum(nil); !bytes.Equal(got, Sum(a, whole[:length])) {
				t.Errorf("%v of %d bytes: %x", a, length, got)
			}
			h.Write(whole[length:])
			if got := h.Sum(nil); !bytes.Equal(got, Sum(a, whole)) {
				t.Errorf("%v of %d bytes, continued: %x", a, length, got)
			}
			// The same bytes, unless the standard library has mixed what is held back into a sponge.
			h = a.NewHasher()
			h.Write(whole[:length])
			own, err := h.MarshalBinary()
			if isSponge := a.properties().kind == sponge && standard(a) != nil; err != nil ||
				!isSponge && !isAhead && !bytes.Equal(own, saved) {
				t.Errorf("%v of %d bytes saves %x, want %x, %v", a, length, own, saved, err)
			}
			err = h.UnmarshalBinary(own)
			if err != nil || !bytes.Equal(h.Sum(nil), Sum(a, whole[:length])) {
				t.Errorf("%v of %d bytes does not read its own state: %v", a, length, err)
			}
		}
		seen[a] = true
	}
	for _, a := range Algorithms() {
		if !seen[a] {
			t.Errorf("no state of %v", a)
		}
	}
}

// refused checks that a hasher does not read a state, and keeps its message.
func refused(t *testing.T, a Algorithm, saved []byte, words string) {
	t.Helper()
	h := a.NewHasher()
	h.Write([]byte("abc"))
	if err := h.UnmarshalBinary(saved); err == nil || !strings.Contains(err.Error(), words) {
		t.Errorf("%v reads a state of %d bytes: %v", a, len(saved), err)
	}
	if got := h.Sum(nil); !bytes.Equal(got, Sum(a, []byte("abc"))) {
		t.Errorf("%v: the message was lost: %x", a, got)
	}
}

func TestInvalidStates(t *testing.T) {
	for _, a := range Algorithms() {
		for _, length := range []int{0, 3, 200, 6000} {
			h := a.NewHasher()
			h.Write(counted(length))
			right, err := h.MarshalBinary()
			if err != nil {
				t.Fatal(err)
			}
			for at := range right {
				changed := bytes.Clone(right)
				changed[at] ^= 1 << (at % 8)
				refused(t, a, changed, "state")
				refused(t, a, right[:at], "state")
			}
			refused(t, a, append(right, 0), "damaged")
		}
	}
	foreign, _ := MD5.NewHasher().MarshalBinary()
	refused(t, SHA1, foreign, `a saved state of "md5", not of sha1`)
	refused(t, MD5, []byte("hlst\x02"), "of format version 2; this version reads format 1")
	foreign, _ = sha3.New256().MarshalBinary()
	refused(t, SHA3_256, foreign, "it does not begin with 'hlst'")
}

// Whoever forges the check chooses the state, but nothing else.
func TestForgedStates(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 5))
	for _, a := range Algorithms() {
		for _, length := range []int{0, 1, 64, 1024, 6000, 9 << 10} {
			h := a.NewHasher()
			h.Write(counted(length))
			right, _ := h.MarshalBinary()
			start, end := 7+len(a.String()), len(right)-savedCheck
			for range 300 {
				forged := bytes.Clone(right[:end])
				for range 1 + random.IntN(3) {
					at := start + random.IntN(min(end-start, 100))
					forged[at] = []byte{0, 1, 0xff, 0x40, byte(random.Uint32())}[random.IntN(5)]
				}
				if random.IntN(8) == 0 {
					forged = forged[:start+random.IntN(end-start)]
				}
				forged = append(forged, Sum(a, forged)[:savedCheck]...)
				if h.UnmarshalBinary(forged) == nil {
					h.Write(counted(random.IntN(5000)))
					h.Sum(nil)
				}
			}
		}
	}
	saved, _ := BLAKE3.NewHasher().MarshalBinary()
	forged := saved[:len(saved)-savedCheck]
	forged[5] = 1
	refused(t, BLAKE3, append(forged, Sum(BLAKE3, forged)[:savedCheck]...), "under a key")
	forged[5] = 0
	binary.LittleEndian.PutUint64(forged[7+len("blake3")+8:], 1)
	refused(t, BLAKE3, append(forged, Sum(BLAKE3, forged)[:savedCheck]...), "2^64 bytes or more")
}
