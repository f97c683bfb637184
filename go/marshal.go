package hashlanes

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
)

// appendWords appends the first words of a state.
func (p *properties) appendWords(out []byte, s *state, words int, littleEndian bool) []byte {
	for _, word := range s.words[:words] {
		switch {
		case p.wordSize == 8 && littleEndian:
			out = binary.LittleEndian.AppendUint64(out, word)
		case p.wordSize == 8:
			out = binary.BigEndian.AppendUint64(out, word)
		case littleEndian:
			out = binary.LittleEndian.AppendUint32(out, uint32(word))
		default:
			out = binary.BigEndian.AppendUint32(out, uint32(word))
		}
	}
	return out
}

// appendDigest appends the digest in a final state.
func (p *properties) appendDigest(out []byte, s *state) []byte {
	return p.appendWords(out, s, p.size/p.wordSize, p.littleEndian)
}

// appendState appends a message's state in the standard library's format: the state after its
// complete blocks, the remaining bytes, and the length of the message.
func (p *properties) appendState(out []byte, s *state, rest []byte, length uint64) []byte {
	out = append(out, p.magic...)
	out = p.appendWords(out, s, p.words, false)
	out = append(out, rest...)
	var zeros [128]byte
	out = append(out, zeros[:p.blockSize-len(rest)]...)
	return binary.BigEndian.AppendUint64(out, length)
}

// parseState is the inverse of appendState. The returned rest is a part of saved.
func (p *properties) parseState(s *state, saved []byte) (length uint64, rest []byte, err error) {
	if len(saved) < len(p.magic) || string(saved[:len(p.magic)]) != p.magic {
		return 0, nil, errors.New("hashlanes: not a saved state of " + p.name)
	}
	words := saved[len(p.magic):]
	if len(words) != p.words*p.wordSize+p.blockSize+8 {
		return 0, nil, errors.New("hashlanes: a saved state of " + p.name + " has the wrong length")
	}
	*s = state{}
	for i := range p.words {
		if p.wordSize == 8 {
			s.words[i] = binary.BigEndian.Uint64(words[8*i:])
		} else {
			s.words[i] = uint64(binary.BigEndian.Uint32(words[4*i:]))
		}
	}
	after := words[p.words*p.wordSize:]
	length = binary.BigEndian.Uint64(after[p.blockSize:])
	return length, after[:length%uint64(p.blockSize)], nil
}

// A saved state begins with the format's name and its version. Rust's Hasher::save describes it.
const (
	savedMagic   = "hlst"
	savedVersion = 1
	// savedCheck is the number of bytes of the check at the end.
	savedCheck = 8
)

// A saver hashes one message, and saves it in the format of all languages.
type saver interface {
	// appendBody appends the state and the bytes that are held back.
	appendBody(out []byte) []byte
	// readBody continues a message of length bytes from its state and the bytes that are held back. It
	// reports whether there can be such a state.
	readBody(length uint64, words, rest []byte) bool
}

// inner returns the properties of the function that hashes the message itself.
func (s *server) inner() *properties {
	if s.algorithm == SHA256d {
		return SHA256.properties()
	}
	return s.properties
}

// AppendBinary appends the state of the message so far, in the format of hashlanes for all
// languages. Anyone who has the state can extend the message, and read the last bytes of it.
func (h *Hasher) AppendBinary(out []byte) ([]byte, error) {
	h.begin()
	defer h.end()
	if h.closed {
		return nil, errClosed
	}
	start := len(out)
	out = append(out, savedMagic...)
	out = append(out, savedVersion, 0, byte(len(h.server.name)))
	out = append(out, h.server.name...)
	out = binary.LittleEndian.AppendUint64(out, h.length)
	out = binary.LittleEndian.AppendUint64(out, 0)
	out = h.appendBody(out)
	return append(out, Sum(h.server.algorithm, out[start:])[:savedCheck]...), nil
}

// AppendStandard appends the state of the message so far, in the format of crypto/md5, crypto/sha1,
// crypto/sha256 or crypto/sha512, which can read it. It fails for other functions.
func (h *Hasher) AppendStandard(out []byte) ([]byte, error) {
	h.begin()
	defer h.end()
	switch p := h.server.inner(); {
	case h.closed:
		return nil, errClosed
	case p.magic == "":
		return nil, errors.New("hashlanes: the standard library has no format for a state of " + p.name)
	case h.inLanes:
		h.flush()
		return p.appendState(out, &h.state, h.buffer[:h.n], h.length), nil
	default:
		return h.std.(standardHash).AppendBinary(out)
	}
}

func (h *Hasher) appendBody(out []byte) []byte {
	if h.inLanes {
		h.flush()
		out = h.server.appendWords(out, &h.state, h.server.words, true)
		return append(out, h.buffer[:h.n]...)
	}
	if s, ok := h.std.(saver); ok {
		return s.appendBody(out)
	}
	saved, err := h.std.(standardHash).AppendBinary(nil)
	check(err)
	p := h.server.inner()
	if p.kind == sponge {
		// The bytes that are held back are in the state already, to which zeros change nothing.
		out = append(out, saved[sha3State:][:sha3Bytes]...)
		return append(out, make([]byte, p.held(h.length))...)
	}
	var s state
	_, rest, err := p.parseState(&s, saved)
	check(err)
	return append(p.appendWords(out, &s, p.words, true), rest...)
}

// The place of the state in a saved state of crypto/sha3, and its number of bytes. The bytes of the
// block so far follow, in a number, and whether output was read.
const sha3State, sha3Bytes = 5, 200

// held is how many of the last bytes of a message are held back.
func (p *properties) held(length uint64) int {
	rest := int(length % uint64(p.blockSize))
	if rest == 0 && length > 0 && p.kind >= blake2 {
		return p.blockSize
	}
	return rest
}

// MarshalBinary returns the state of the hasher, as [Hasher.AppendBinary] appends it.
func (h *Hasher) MarshalBinary() ([]byte, error) { return h.AppendBinary(nil) }

// UnmarshalBinary continues a message of the same algorithm that was saved: by a hasher here, in
// another language, or of crypto/md5, crypto/sha1, crypto/sha256 or crypto/sha512. After an error
// the hasher is unchanged. Like [Hasher.Reset], it opens a closed hasher.
func (h *Hasher) UnmarshalBinary(saved []byte) error {
	h.begin()
	defer h.end()
	p := h.server.inner()
	var s state
	if p.magic != "" && !bytes.HasPrefix(saved, []byte(savedMagic)) {
		length, rest, err := p.parseState(&s, saved)
		if err == nil {
			h.resume(&s, length, rest)
		}
		return err
	}
	length, body, err := h.server.parseSaved(saved)
	if err != nil {
		return err
	}
	held := p.held(length)
	if len(body) < held {
		return errDamaged
	}
	words, rest := body[:len(body)-held], body[len(body)-held:]
	if p.kind == merkleDamgard {
		if len(words) != p.words*p.wordSize {
			return errDamaged
		}
		readWords(words, p.wordSize, func(w int, word uint64) { s.words[w] = word })
		h.resume(&s, length, rest)
		return nil
	}
	read := h.server.newSingle(h.server.algorithm)
	if s, ok := read.(saver); ok {
		if !s.readBody(length, words, rest) {
			return errDamaged
		}
	} else {
		own, err := read.(standardHash).AppendBinary(nil)
		check(err)
		if copy(own[sha3State:][:sha3Bytes], words) != len(words) || len(words) != sha3Bytes {
			return errDamaged
		}
		check(read.(standardHash).UnmarshalBinary(own))
		read.Write(rest)
	}
	h.reset()
	h.std, h.length = read, length
	return nil
}

// resume continues a message of the MD4 kind.
func (h *Hasher) resume(s *state, length uint64, rest []byte) {
	h.reset()
	h.length = length
	if h.server.usesLanes {
		h.beginLanes()
		h.state = *s
		h.keep(rest)
		return
	}
	h.beginStandard()
	check(h.std.(standardHash).UnmarshalBinary(h.server.inner().appendState(nil, s, rest, length)))
}

var errDamaged = errors.New("hashlanes: the saved state is damaged")

// parseSaved returns the length of a saved message, and the bytes between it and the check.
func (s *server) parseSaved(saved []byte) (length uint64, body []byte, err error) {
	rest, ok := bytes.CutPrefix(saved, []byte(savedMagic))
	if !ok {
		return 0, nil, errors.New("hashlanes: not a saved state: it does not begin with 'hlst'")
	}
	if len(rest) > 0 && rest[0] != savedVersion {
		return 0, nil, fmt.Errorf(
			"hashlanes: a saved state of format version %d; this version reads format %d",
			rest[0], savedVersion,
		)
	}
	if len(rest) < 3 || len(rest) < 3+int(rest[2])+16+savedCheck {
		return 0, nil, errDamaged
	}
	under, name := rest[1], rest[3:][:rest[2]]
	if string(name) != s.name {
		return 0, nil, fmt.Errorf("hashlanes: a saved state of %q, not of %s", name, s.name)
	}
	end := len(saved) - savedCheck
	if !bytes.Equal(Sum(s.algorithm, saved[:end])[:savedCheck], saved[end:]) {
		return 0, nil, errDamaged
	}
	if under != 0 {
		return 0, nil, errors.New("hashlanes: the saved state is of a message under a key")
	}
	rest = rest[3+len(name) : len(rest)-savedCheck]
	if binary.LittleEndian.Uint64(rest[8:]) > 0 {
		return 0, nil, errors.New("hashlanes: the saved message has 2^64 bytes or more")
	}
	return binary.LittleEndian.Uint64(rest), rest[16:], nil
}

// readWords passes each of the little-endian words to set.
func readWords(words []byte, size int, set func(w int, word uint64)) {
	for w := range len(words) / size {
		if size == 8 {
			set(w, binary.LittleEndian.Uint64(words[8*w:]))
		} else {
			set(w, uint64(binary.LittleEndian.Uint32(words[4*w:])))
		}
	}
}

func (s *single) appendBody(out []byte) []byte {
	if whole := s.whole(s.n); whole > 0 {
		s.compress(s.buffer[:whole])
		s.n = 0
	}
	count := sha3Bytes
	if s.kind == blake2 {
		count = 8 * s.wordSize
	}
	first := len(out)
	out = append(out, make([]byte, count)...)
	putWords(out[first:], s.wordSize, true, s.word)
	if s.kind == blake2 {
		// The length of a key.
		out = append(out, make([]byte, s.wordSize)...)
	}
	return append(out, s.buffer[:s.n]...)
}

func (s *single) readBody(length uint64, words, rest []byte) bool {
	if s.kind == blake2 {
		count := 8 * s.wordSize
		if len(words) != count+s.wordSize || !zero(words[count:]) {
			return false
		}
		before := length - uint64(len(rest))
		s.set(8, before)
		if s.wordSize == 4 {
			s.set(9, before>>32)
		}
		words = words[:count]
	} else if len(words) != sha3Bytes {
		return false
	}
	readWords(words, s.wordSize, s.set)
	s.n, s.length = copy(s.buffer[:], rest), length
	return true
}

func zero(bytes []byte) bool {
	for _, b := range bytes {
		if b != 0 {
			return false
		}
	}
	return true
}

func (s *singleBLAKE3) appendBody(out []byte) []byte {
	t := &s.tree
	node, blocks := t.last(), uint32(0)
	if t.ahead.chunks > 0 {
		blocks = uint32(t.ahead.chunks * (blake3Chunk / 64))
		readWords(t.ahead.value[:], 4, func(w int, word uint64) { node.before[w] = word })
		node.length = 64
	} else {
		blocks = uint32(t.n-node.length) / 64
	}
	for _, words := range [][8]uint64{node.before, t.key} {
		for _, word := range words {
			out = binary.LittleEndian.AppendUint32(out, uint32(word))
		}
	}
	out = binary.LittleEndian.AppendUint32(out, uint32(t.mode))
	out = binary.LittleEndian.AppendUint32(out, blocks)
	for _, value := range t.values {
		out = append(out, value[:]...)
	}
	return append(out, node.block[:node.length]...)
}

func (s *singleBLAKE3) readBody(length uint64, words, rest []byte) bool {
	const fixed, inChunk = 18 * 4, blake3Chunk / 64
	if len(words) < fixed {
		return false
	}
	t := &s.tree
	own := s.appendBody(nil)[len(t.ahead.value) : fixed-4]
	blocks := uint64(binary.LittleEndian.Uint32(words[fixed-4:]))
	whole, chunks := length-uint64(len(rest)), blocks/inChunk
	if chunks > 0 {
		// The block that is held back was compressed, too: the value of a whole subtree is known.
		whole = length
	}
	before := whole/64 - blocks
	count := before / inChunk
	subtree := chunks&(chunks-1) == 0 && blocks%inChunk == 0 && count > 0 && count%max(chunks, 1) == 0
	if !bytes.Equal(words[len(t.ahead.value):fixed-4], own) || whole/64 < blocks ||
		whole%64 != 0 || before%inChunk != 0 || chunks > 0 && !subtree ||
		len(words)-fixed != bits.OnesCount64(count)*len(t.ahead.value) {
		return false
	}
	t.chunks = count
	for at := fixed; at < len(words); at += len(t.ahead.value) {
		t.values = append(t.values, value(words[at:]))
	}
	if chunks > 0 {
		t.ahead.value, t.ahead.chunks = value(words), chunks
		return true
	}
	readWords(words[:len(t.ahead.value)], 4, func(w int, word uint64) { t.before[w] = word })
	t.done = 64 * int(blocks)
	t.n = t.done + copy(t.chunk[t.done:], rest)
	return true
}
