package hashlanes

import (
	"encoding/binary"
	"hash"
	"unsafe"

	"hashlanes/internal/kernels"
)

// newSingle returns a hasher for one message by itself.
func (p *properties) newSingle(a Algorithm) hash.Hash {
	if h := standard(a); h != nil {
		return h
	}
	s := single{properties: p, row: p.family.Choice().One()}
	if p.kind == blake3 {
		return &singleBLAKE3{single: s, tree: *newBLAKE3(nil, 0)}
	}
	s.Reset()
	return &s
}

// A single hashes one message of a function that the standard library lacks.
type single struct {
	*properties
	row *kernels.Row
	// state has the words as rows have them.
	state [26]uint64
	// The first n bytes of buffer follow the blocks hashed so far.
	buffer [maxTail / 2]byte
	n      int
	length uint64
	data   unsafe.Pointer
}

func (s *single) Size() int { return s.size }

func (s *single) BlockSize() int { return s.blockSize }

func (s *single) words32() *[52]uint32 { return (*[52]uint32)(unsafe.Pointer(&s.state)) }

func (s *single) set(w int, word uint64) {
	if s.wordSize == 8 {
		s.state[w] = word
	} else {
		s.words32()[w] = uint32(word)
	}
}

func (s *single) word(w int) uint64 {
	if s.wordSize == 8 {
		return s.state[w]
	}
	return uint64(s.words32()[w])
}

func (s *single) Reset() {
	s.n, s.length = 0, 0
	for w, word := range s.initial {
		s.set(w, word)
	}
}

// compress hashes whole blocks.
func (s *single) compress(blocks []byte) {
	for len(blocks) > 0 {
		n := min(len(blocks)/s.blockSize, s.row.Most())
		s.data = unsafe.Pointer(unsafe.SliceData(blocks))
		s.row.Run(unsafe.Pointer(&s.state), &s.data, n, s.mode)
		blocks = blocks[n*s.blockSize:]
	}
	s.data = nil
}

func (s *single) Write(p []byte) (int, error) {
	count := len(p)
	s.length += uint64(count)
	for len(p) > 0 {
		// What is held back is hashed if something follows.
		if s.n == s.blockSize {
			s.compress(s.buffer[:s.n])
			s.n = 0
		}
		if s.n == 0 && len(p) > s.blockSize {
			whole := (len(p) - 1) / s.blockSize * s.blockSize
			s.compress(p[:whole])
			p = p[whole:]
		}
		n := copy(s.buffer[s.n:s.blockSize], p)
		s.n += n
		p = p[n:]
	}
	return count, nil
}

func (s *single) Sum(in []byte) []byte {
	end := *s
	if whole := s.whole(s.n); whole > 0 {
		end.compress(end.buffer[:whole])
	}
	end.enterTail(s.length, end.set)
	var tail [maxTail]byte
	end.compress(end.pad(&tail, s.buffer[s.whole(s.n):s.n], s.before+s.length))
	digest := make([]byte, s.size)
	putWords(digest, s.wordSize, s.littleEndian, end.word)
	return append(in, digest...)
}

// A singleBLAKE3 is one of BLAKE3.
type singleBLAKE3 struct {
	single
	tree blake3Tree
}

func (s *singleBLAKE3) Reset() {
	t := &s.tree
	t.values, t.chunks, t.n, t.done, t.ahead.chunks = t.values[:0], 0, 0, 0, 0
}

func (s *singleBLAKE3) Write(p []byte) (int, error) {
	s.tree.write(p)
	return len(p), nil
}

func (s *singleBLAKE3) Sum(in []byte) []byte {
	digest := make([]byte, s.size)
	s.tree.root().output(digest)
	return append(in, digest...)
}

// A state is the state of a message after some of its blocks.
type state struct{ words [8]uint64 }

// initialState returns the state of an empty message.
func (p *properties) initialState() (s state) {
	copy(s.words[:], p.initial)
	return s
}

// compress hashes blocks of one message.
func (p *properties) compress(s *state, blocks []byte) {
	g := newGroup(p)
	defer g.end()
	g.row = g.choice.One()
	g.fill(s.words[:p.words])
	g.put(0, blocks)
	g.run(1, g.left[0])
	for w := range p.words {
		s.words[w] = g.word(0, w)
	}
}

// encode appends a number as in NIST SP 800-185 section 2.3.1, without its length.
func encode(out []byte, number uint64) []byte {
	var bytes [8]byte
	binary.BigEndian.PutUint64(bytes[:], number)
	first := 0
	for first < 7 && bytes[first] == 0 {
		first++
	}
	return append(out, bytes[first:]...)
}
