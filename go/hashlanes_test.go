package hashlanes

import (
	"bytes"
	"crypto/sha3"
	"encoding"
	"fmt"
	"hash"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"
)

func TestVectors(t *testing.T) {
	messages := make(map[Algorithm][][]byte)
	all := vectors(t)
	for _, v := range all {
		v.check(t, "at once", Sum(v.algorithm, v.message))
		if length := len(v.message); length > 0 {
			v.check(t, "as a chunk", DigestChunks(v.algorithm, v.message, length)[0])
		}
		for _, force := range []func(Algorithm){forceLanes, forceStandard} {
			h := v.algorithm.New()
			for i := range 3 {
				force(v.algorithm)
				h.Write(v.message[len(v.message)*i/3 : len(v.message)*(i+1)/3])
			}
			force(v.algorithm)
			v.check(t, "in pieces", h.Sum(nil))
		}
		messages[v.algorithm] = append(messages[v.algorithm], v.message)
	}
	digests := make(map[Algorithm][][]byte)
	for a := range messages {
		digests[a] = DigestMany(a, messages[a])
	}
	for _, v := range all {
		v.check(t, "among many", digests[v.algorithm][0])
		digests[v.algorithm] = digests[v.algorithm][1:]
	}
}

func TestProperties(t *testing.T) {
	for _, a := range Algorithms() {
		h := a.New()
		if h.Size() != a.Size() || h.BlockSize() != a.BlockSize() || len(h.Sum(nil)) != a.Size() {
			t.Errorf("%v: wrong lengths", a)
		}
		if found, err := ParseAlgorithm(a.String()); found != a || err != nil {
			t.Errorf("%v: %v, %v", a, found, err)
		}
		if s := standard(a); s != nil && (s.Size() != a.Size() || s.BlockSize() != a.BlockSize()) {
			t.Errorf("%v: lengths differ from the standard library's", a)
		}
	}
	if a, err := ParseAlgorithm("SHA-512/256"); a != SHA512_256 || err != nil {
		t.Error(a, err)
	}
	if _, err := ParseAlgorithm("sha 256"); err == nil {
		t.Error("a name with a blank was found")
	}
	if _, err := ParseAlgorithm("sha3"); err == nil {
		t.Error("sha3 was found")
	}
	if name := Algorithm(21).String(); name != "hashlanes.Algorithm(21)" {
		t.Error(name)
	}
	panics(t, "hashlanes: unknown algorithm number 21", func() { Algorithm(21).New() })
}

// panics checks that a call panics with a text that has these words.
func panics(t *testing.T, words string, call func()) {
	t.Helper()
	defer func() {
		if text := fmt.Sprint(recover()); !strings.Contains(text, words) {
			t.Errorf("%q instead of %q", text, words)
		}
	}()
	call()
}

// A double pairs one of our hashers with one of the standard library.
type double struct {
	ours *Hasher
	std  hash.Hash
}

func newDouble(a Algorithm) *double { return &double{a.NewHasher(), standard(a)} }

// write appends the bytes, and overwrites the slice that it passed.
func (d *double) write(p []byte) {
	d.std.Write(p)
	lent := bytes.Clone(p)
	if n, err := d.ours.Write(lent); n != len(p) || err != nil {
		panic(fmt.Sprint(n, err))
	}
	for i := range lent {
		lent[i] ^= 0xff
	}
}

func (d *double) check(t *testing.T, where string) {
	t.Helper()
	prefix := []byte("prefix")
	for range 2 {
		if got, want := d.ours.Sum(prefix), d.std.Sum(prefix); !bytes.Equal(got, want) {
			t.Fatalf("%v, %s: %x, want %x", d.ours.BlockSize(), where, got, want)
		}
	}
}

// step performs one random operation.
func (d *double) step(t *testing.T, a Algorithm, random *rand.Rand, data []byte) {
	switch random.IntN(12) {
	case 0:
		d.check(t, "on the way")
	case 1:
		d.ours.Reset()
		d.std.Reset()
	case 2:
		d.reload(t, a)
	case 3:
		if random.IntN(10) == 0 {
			d.ours.Close()
			d.ours.Close()
			d.ours.Reset()
			d.std.Reset()
		}
	default:
		most := min(len(data), []int{1, 70, 300, 5000, 20_000, 60_000}[random.IntN(6)])
		length := random.IntN(most + 1)
		at := random.IntN(len(data) - length + 1)
		d.write(data[at : at+length])
	}
}

// reload continues with hashers that have read states. Ours has read its own, or that of the
// standard library.
func (d *double) reload(t *testing.T, a Algorithm) {
	t.Helper()
	std, err := d.std.(encoding.BinaryMarshaler).MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	same, err := d.ours.AppendStandard(nil)
	if err != nil || !bytes.Equal(same, std) {
		t.Fatalf("%v: state %x, want %x, %v", a, same, std, err)
	}
	ours, err := d.ours.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	other := newDouble(a)
	if err := other.std.(encoding.BinaryUnmarshaler).UnmarshalBinary(std); err != nil {
		t.Fatal(err)
	}
	for _, saved := range [][]byte{std, ours} {
		if err := other.ours.UnmarshalBinary(saved); err != nil {
			t.Fatal(err)
		}
		again, err := other.ours.MarshalBinary()
		if err != nil || !bytes.Equal(again, ours) {
			t.Fatalf("%v: state %x, want %x, %v", a, again, ours, err)
		}
	}
	*d = *other
}

func withStandard() []Algorithm {
	return []Algorithm{MD5, SHA1, SHA224, SHA256, SHA384, SHA512, SHA512_256}
}

func TestRandomSplitsAgainstTheStandardLibrary(t *testing.T) {
	data := noise(3, 100_000)
	for _, a := range withStandard() {
		random := rand.New(rand.NewPCG(uint64(a), 1))
		d := newDouble(a)
		for range 600 {
			switch random.IntN(4) {
			case 0:
				forceStandard(a)
			case 1, 2:
				forceLanes(a)
			}
			d.step(t, a, random, data)
		}
		d.check(t, "at the end")
	}
}

// maxProcs is the largest GOMAXPROCS of any test.
const maxProcs = 8

func TestManyGoroutines(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, procs := range []int{1, 2, maxProcs} {
		runtime.GOMAXPROCS(procs)
		for _, count := range []int{2, 5, 40, 300} {
			manyGoroutines(t, count, 4000/(count+40))
		}
	}
}

func manyGoroutines(t *testing.T, count, steps int) {
	data := noise(4, 60_000)
	var wait sync.WaitGroup
	for i := range count {
		wait.Add(1)
		go func() {
			defer wait.Done()
			a := []Algorithm{MD5, SHA256, MD5, SHA512}[i%4]
			random := rand.New(rand.NewPCG(uint64(i), 2))
			d := newDouble(a)
			for range steps {
				d.step(t, a, random, data)
			}
			d.check(t, "at the end")
		}()
	}
	wait.Wait()
}

func TestInPieces(t *testing.T) {
	data := noise(5, 50_000)
	for _, a := range Algorithms() {
		right := standardSum(a, data)
		var wait sync.WaitGroup
		for i := range 20 {
			wait.Add(1)
			go func() {
				defer wait.Done()
				random := rand.New(rand.NewPCG(uint64(i), 3))
				if got := sumInPieces(t, a, random, data); !bytes.Equal(got, right) {
					t.Errorf("%v: %x, want %x", a, got, right)
				}
			}()
		}
		wait.Wait()
	}
}

// sumInPieces hashes data in random pieces. Some of the states are saved and read again.
func sumInPieces(t *testing.T, a Algorithm, random *rand.Rand, data []byte) []byte {
	h := a.NewHasher()
	for rest := data; len(rest) > 0; {
		n := random.IntN(min(len(rest), 12_000) + 1)
		h.Write(rest[:n])
		rest = rest[n:]
		if random.IntN(5) == 0 {
			h.Sum(nil)
			state, err := h.MarshalBinary()
			if h = a.NewHasher(); err != nil || h.UnmarshalBinary(state) != nil {
				t.Errorf("%v: a state was rejected: %v", a, err)
			}
		}
	}
	return h.Sum(nil)
}

func TestClosedHashers(t *testing.T) {
	for _, force := range []func(Algorithm){forceLanes, forceStandard} {
		for _, a := range Algorithms() {
			force(a)
			h := a.NewHasher()
			h.Write(make([]byte, 3000))
			h.Close()
			h.Close()
			if n, err := h.Write([]byte("late")); n != 0 || err == nil {
				t.Error("a closed hasher accepts bytes: ", n, err)
			}
			if _, err := h.MarshalBinary(); err == nil {
				t.Error("a closed hasher has a state")
			}
			panics(t, errClosed.Error(), func() { h.Sum(nil) })
			h.Reset()
			h.Write([]byte("abc"))
			if got := h.Sum(nil); !bytes.Equal(got, Sum(a, []byte("abc"))) {
				t.Errorf("%v: %x", a, got)
			}
		}
	}
}

func TestDigestManyOfAnyLengths(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 4))
	data := noise(6, 70_000)
	for _, a := range Algorithms() {
		for _, count := range []int{0, 1, 2, 17, 700} {
			messages := make([][]byte, count)
			for i := range messages {
				length := random.IntN([]int{1, 100, 2000, 60_000}[random.IntN(4)])
				messages[i] = data[i%9:][:length]
			}
			for i, got := range DigestMany(a, messages) {
				if !bytes.Equal(got, standardSum(a, messages[i])) {
					t.Fatalf("%v, message %d of %d bytes: %x", a, i, len(messages[i]), got)
				}
			}
		}
	}
}

func TestDigestChunks(t *testing.T) {
	data := noise(7, 10_000)
	for _, a := range Algorithms() {
		for _, chunk := range []int{1, 64, 999, 5000, 10_000, 20_000} {
			digests := DigestChunks(a, data, chunk)
			if len(digests) != (len(data)+chunk-1)/chunk {
				t.Fatalf("%v: %d chunks of %d bytes", a, len(digests), chunk)
			}
			for i, got := range digests {
				right := standardSum(a, data[i*chunk:min((i+1)*chunk, len(data))])
				if !bytes.Equal(got, right) {
					t.Fatalf("%v, chunk %d of %d bytes: %x", a, i, chunk, got)
				}
			}
		}
		if len(DigestChunks(a, nil, 5)) != 0 {
			t.Error("empty data has chunks")
		}
	}
	panics(t, "the chunk size must be positive", func() { DigestChunks(MD5, data, 0) })
}

// The trees of several messages, of one in memory and of one in pieces are built in different ways.
func TestTreesOfBLAKE3(t *testing.T) {
	data := noise(12, blake3Most*blake3Chunk+5000)
	var messages [][]byte
	for _, chunks := range []int{1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 31, 64, 65, 100, 255, 256, 257, 1000} {
		for _, more := range []int{-1, 0, 1, 63, 64, 65} {
			messages = append(messages, data[len(messages):][:chunks*blake3Chunk+more])
		}
	}
	messages = append(messages, data[:blake3Most*blake3Chunk], data, data[1:])
	random := rand.New(rand.NewPCG(12, 1))
	for i, got := range DigestMany(BLAKE3, messages) {
		message := messages[i]
		if right := sumInPieces(t, BLAKE3, random, message); !bytes.Equal(got, right) {
			t.Fatalf("%d bytes among many: %x, want %x", len(message), got, right)
		}
		if one := Sum(BLAKE3, message); !bytes.Equal(got, one) {
			t.Fatalf("%d bytes alone: %x, want %x", len(message), one, got)
		}
		long, err := XOFMany(XOFBLAKE3, nil, messages[i:i+1], 100)
		if err != nil || !bytes.Equal(long[0][:32], got) {
			t.Fatalf("%d bytes of output of any length: %x, %v", len(message), long, err)
		}
	}
}

func TestAHasherThatNewHasherHasNotMade(t *testing.T) {
	for _, call := range []func(*Hasher){
		func(h *Hasher) { h.Write(nil) }, func(h *Hasher) { h.Sum(nil) }, (*Hasher).Reset,
		(*Hasher).Close, func(h *Hasher) { h.Size() }, func(h *Hasher) { h.BlockSize() },
		func(h *Hasher) { h.MarshalBinary() }, func(h *Hasher) { h.UnmarshalBinary(nil) },
	} {
		panics(t, "that NewHasher has not made", func() { call(new(Hasher)) })
		panics(t, "that NewHasher has not made", func() { call(nil) })
	}
}

func TestAStateFromWhichOutputWasReadIsRefused(t *testing.T) {
	std := sha3.NewSHAKE128()
	std.Write([]byte("abc"))
	std.Read(make([]byte, 10))
	saved, err := std.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	h := SHAKE128.NewHasher()
	h.Write([]byte("abc"))
	expected := h.Sum(nil)
	if h.UnmarshalBinary(saved) == nil {
		t.Error("it was continued")
	}
	if !bytes.Equal(h.Sum(nil), expected) {
		t.Error("the hasher has changed")
	}
}
