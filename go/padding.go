package hashlanes

import "encoding/binary"

// whole is how many of the first bytes of a message are in blocks that are hashed as they are: all
// whole blocks, except that the last one may have to be compressed in another way.
func (p *properties) whole(length int) int {
	whole := length - length%p.blockSize
	if p.kind >= blake2 && whole == length && length > 0 {
		whole -= p.blockSize
	}
	return whole
}

// pad makes the last blocks of a message of length bytes, of which rest is left: at most a block.
func (p *properties) pad(tail *[maxTail]byte, rest []byte, length uint64) []byte {
	n := copy(tail[:], rest)
	n += copy(tail[n:], p.ending)
	if p.kind >= blake2 {
		clear(tail[n:p.blockSize])
		return tail[:p.blockSize]
	}
	field := 2 * p.wordSize
	if p.kind == sponge {
		field = 0
	}
	end := n + 1 + field + p.blockSize - 1
	end -= end % p.blockSize
	clear(tail[n:end])
	if p.kind == sponge {
		tail[n] = p.suffix
		tail[end-1] |= 0x80
		return tail[:end]
	}
	tail[n] = 0x80
	if p.littleEndian {
		binary.LittleEndian.PutUint64(tail[end-8:], length<<3)
	} else {
		binary.BigEndian.PutUint64(tail[end-8:], length<<3)
	}
	if field == 16 {
		tail[end-9] = byte(length >> 61)
	}
	return tail[:end]
}

// The flags of BLAKE3's blocks, and where the words of a lane's state are after the value.
const (
	chunkStart = 1 << iota
	chunkEnd
	parent
	root
	keyedHash
	deriveKeyContext
	deriveKeyMaterial

	blake3Counter = 8
	blake3Length  = 10
	blake3Flags   = 11
)

// enterTail calls set with the words that a state has before the last block of a message of length
// bytes.
func (p *properties) enterTail(length uint64, set func(w int, word uint64)) {
	switch p.kind {
	case blake2:
		// The compression adds a block.
		before := length - uint64(p.blockSize)
		set(8, before)
		if p.wordSize == 4 {
			set(9, before>>32)
		}
		set(p.laneWords-1, ^uint64(0))
	case blake3:
		// The message has one chunk.
		flags := uint64(chunkEnd | root)
		if length <= 64 {
			flags |= chunkStart
		}
		set(blake3Length, length-uint64(p.whole(int(length))))
		set(blake3Flags, flags)
	}
}
