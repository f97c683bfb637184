package hashlanes

import (
	"encoding/binary"
	"errors"
)

// appendWords appends the first words of a state.
func (p *properties) appendWords(out []byte, s *state, words int, littleEndian bool) []byte {
	for _, word := range s.words[:words] {
		switch {
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

// AppendBinary appends the state of the hasher, in the format of crypto/md5, crypto/sha1,
// crypto/sha256, crypto/sha512 and crypto/sha3, which can read it. Anyone who has the state can
// extend the message. It fails for Keccak-256, Keccak-512, BLAKE2 and BLAKE3, which have no such
// format.
func (h *Hasher) AppendBinary(out []byte) ([]byte, error) {
	h.begin()
	defer h.end()
	if h.closed {
		return nil, errClosed
	}
	if !h.inLanes {
		return h.std.AppendBinary(out)
	}
	h.flush()
	return h.server.appendState(out, &h.state, h.buffer[:h.n], h.length), nil
}

// MarshalBinary returns the state of the hasher, as [Hasher.AppendBinary] appends it.
func (h *Hasher) MarshalBinary() ([]byte, error) { return h.AppendBinary(nil) }

// UnmarshalBinary continues a message whose state was saved by a hasher of the same algorithm, here
// or in the standard library. After an error the hasher is unchanged. Like [Hasher.Reset], it opens
// a closed hasher.
func (h *Hasher) UnmarshalBinary(saved []byte) error {
	h.begin()
	defer h.end()
	if !h.server.usesLanes {
		return h.continueSingle(saved)
	}
	var read state
	length, rest, err := h.server.parseState(&read, saved)
	if err != nil {
		return err
	}
	h.reset()
	h.beginLanes()
	h.state, h.length = read, length
	h.keep(rest)
	return nil
}

// sha3StateLength is the length of a saved state of crypto/sha3, in bytes.
const sha3StateLength = 207

// continueSingle is UnmarshalBinary for a message that never enters lanes.
func (h *Hasher) continueSingle(saved []byte) error {
	// The last byte of a state of SHA-3 says whether output was read, as from SHAKE.
	if len(saved) == sha3StateLength && saved[sha3StateLength-1] != 0 {
		return errors.New("hashlanes: output was read from the saved state, which cannot be continued")
	}
	read := h.server.newSingle(h.server.algorithm)
	if err := read.UnmarshalBinary(saved); err != nil {
		return err
	}
	h.reset()
	h.std = read
	return nil
}
