package hashlanes

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"slices"
	"unsafe"
)

// flat allocates count digests of size bytes in one block of memory, with a slice for each.
func flat(count, size int) (digests []byte, each [][]byte) {
	digests, each = make([]byte, count*size), make([][]byte, count)
	for i := range each {
		each[i] = digests[i*size:][:size:size]
	}
	return digests, each
}

// DigestMany returns the digests of messages, in order. They are hashed side by side on one core.
func DigestMany(a Algorithm, messages [][]byte) [][]byte {
	digests, each := flat(len(messages), a.Size())
	digestMessages(a, &messageList{messages: messages, out: digests}, len(messages))
	return each
}

// DigestChunks returns the digests of the consecutive chunks of data, such as Merkle leaves, pieces
// or parts. Each has chunk bytes, except that the last may be shorter. Empty data has no chunks. It
// panics if chunk is not positive.
func DigestChunks(a Algorithm, data []byte, chunk int) [][]byte {
	if chunk <= 0 {
		panic("hashlanes: the chunk size must be positive")
	}
	count := len(data) / chunk
	if len(data)%chunk > 0 {
		count++
	}
	digests, each := flat(count, a.Size())
	digestMessages(a, &messageList{data: data, chunk: chunk, out: digests}, count)
	return each
}

// Sum returns the digest of one message.
func Sum(a Algorithm, message []byte) []byte {
	a.properties()
	h := standard(a)
	if h == nil {
		return DigestMany(a, [][]byte{message})[0]
	}
	h.Write(message)
	return h.Sum(make([]byte, 0, a.Size()))
}

// digestMessages writes the digests of a list.
func digestMessages(a Algorithm, list *messageList, count int) {
	p := a.properties()
	list.size = p.size
	if a == SHA256d {
		p = SHA256.properties()
	}
	switch {
	case p.family.Choice().Lanes() == 0:
		list.standard(a, count)
	case p.kind == blake3:
		list.blake3(p, count)
	default:
		list.hash(p, count)
		if a == SHA256d {
			second := messageList{data: list.out, chunk: sha256.Size, out: list.out, size: sha256.Size}
			second.hash(p, count)
		}
	}
}

// A messageList has messages, or the chunks of data, and a place for their digests.
type messageList struct {
	messages [][]byte
	data     []byte
	chunk    int
	// order has the messages' numbers in its lower halves. If it is nil, they are in order.
	order []uint64
	out   []byte
	// size is the number of bytes of a digest.
	size int
}

// at returns a message and its number. The first argument is its place in the order.
func (m *messageList) at(id int) ([]byte, int) {
	if m.order != nil {
		id = int(uint32(m.order[id]))
	}
	if m.chunk == 0 {
		return m.messages[id], id
	}
	start := id * m.chunk
	return m.data[start:min(start+m.chunk, len(m.data))], id
}

// standard hashes the messages with the standard library.
func (m *messageList) standard(a Algorithm, count int) {
	h := standard(a)
	for id := range count {
		message, place := m.at(id)
		h.Reset()
		h.Write(message)
		h.Sum(m.out[place*m.size:][:0])
	}
}

// maxSorted is the most messages that are sorted.
const maxSorted = 1 << 20

// hash hashes the messages side by side.
func (m *messageList) hash(p *properties, count int) {
	if m.size == 0 {
		return
	}
	if m.order == nil && m.chunk == 0 && count > maxSorted {
		for start := 0; start < count; start += maxSorted {
			n := min(maxSorted, count-start)
			part := messageList{messages: m.messages[start:][:n], out: m.out[start*m.size:], size: m.size}
			part.hash(p, n)
		}
		return
	}
	g := newGroup(p)
	defer g.end()
	if m.chunk == 0 && count > 1 && !m.equal(0, count) && count > g.choice.For(count).Lanes {
		m.sort(p, count)
	}
	for first := 0; first < count; {
		g.row = g.choice.For(count - first)
		n := min(count-first, g.row.Lanes)
		if !m.equal(first, n) {
			g.hash(m, first, count)
			return
		}
		m.inStep(g, first, n)
		first += n
	}
}

// sort orders messages by their number of blocks, the longest first: neighbours hardly wait for
// each other, and no long message is left at the end.
func (m *messageList) sort(p *properties, count int) {
	if m.order == nil {
		m.order = make([]uint64, count)
		for i := range m.order {
			m.order[i] = uint64(i)
		}
	}
	for i, id := range m.order {
		id = uint64(uint32(id))
		blocks := min(len(m.messages[id])/p.blockSize, math.MaxInt32)
		m.order[i] = uint64(math.MaxInt32-blocks)<<32 | id
	}
	slices.Sort(m.order)
}

// equal reports whether messages have the same length.
func (m *messageList) equal(first, count int) bool {
	message, _ := m.at(first)
	for id := first + 1; id < first+count; id++ {
		if other, _ := m.at(id); len(other) != len(message) {
			return false
		}
	}
	return true
}

// inStep hashes messages of the same length that fit into the lanes of the row.
func (m *messageList) inStep(g *group, first, n int) {
	g.fill(g.initial)
	message, _ := m.at(first)
	whole := g.whole(len(message))
	if whole > 0 {
		for l := range n {
			message, _ := m.at(first + l)
			g.data[l] = unsafe.Pointer(unsafe.SliceData(message))
		}
		g.run(n, whole/g.blockSize)
	}
	g.enterTail(uint64(len(message)), g.fillWord)
	tail := g.padded
	if whole < len(message) || len(message) != g.paddedLength {
		tail = g.pad(g.tail(0), message[whole:], g.before+uint64(len(message)))
		g.padded, g.paddedLength = tail, len(message)
	}
	for l := range n {
		g.data[l] = unsafe.Pointer(unsafe.SliceData(tail))
		if whole < len(message) && l > 0 {
			own := g.tail(l)[:len(tail)]
			message, _ := m.at(first + l)
			copy(own[copy(own, message[whole:]):], tail[len(message)-whole:])
			g.data[l] = unsafe.Pointer(unsafe.SliceData(own))
		}
	}
	g.run(n, len(tail)/g.blockSize)
	for at := 0; ; at += g.blockSize {
		end := m.size
		if g.kind == sponge {
			end = min(end, at+g.blockSize)
		}
		for l := range n {
			_, place := m.at(first + l)
			g.output(l, m.out[place*m.size:][at:end])
		}
		if end == m.size {
			return
		}
		for l := range n {
			g.data[l] = unsafe.Pointer(&zeros)
		}
		g.run(n, 1)
	}
}

// zeros is a block that leaves a sponge's state as it is before the permutation.
var zeros [maxTail]byte

// begin implements source.
func (m *messageList) begin(g *group, l, id int) {
	g.load(l, g.initial)
	message, _ := m.at(id)
	if whole := g.whole(len(message)); whole > 0 {
		g.put(l, message[:whole])
	} else {
		m.last(g, l, message)
	}
}

// last puts the last blocks of a message into lane l.
func (m *messageList) last(g *group, l int, message []byte) {
	g.enterTail(uint64(len(message)), func(w int, word uint64) { g.set(l, w, word) })
	rest := message[g.whole(len(message)):]
	g.put(l, g.pad(g.tail(l), rest, g.before+uint64(len(message))))
	g.stage[l] = 1
}

// next implements source. From stage 1 on, a block of output is ready.
func (m *messageList) next(g *group, l, id int) bool {
	message, place := m.at(id)
	if g.stage[l] == 0 {
		m.last(g, l, message)
		return true
	}
	at, end := 0, m.size
	if g.kind == sponge {
		at = (g.stage[l] - 1) * g.blockSize
		end = min(end, at+g.blockSize)
	}
	g.output(l, m.out[place*m.size:][at:end])
	if end == m.size {
		return false
	}
	g.stage[l]++
	g.put(l, zeros[:g.blockSize])
	return true
}

// fill sets the states of all lanes.
func (g *group) fill(state []uint64) {
	for w, word := range state {
		g.fillWord(w, word)
	}
}

// fillWord sets a word in all lanes.
func (g *group) fillWord(w int, word uint64) {
	lanes := g.row.Lanes
	if g.wordSize == 8 {
		for l := range g.states[w*lanes:][:lanes] {
			g.states[w*lanes+l] = word
		}
		return
	}
	words := g.words32()[w*lanes:][:lanes]
	for l := range words {
		words[l] = uint32(word)
	}
}

// output writes the first bytes of lane l's state.
func (g *group) output(l int, out []byte) {
	lanes := g.row.Lanes
	if g.wordSize == 8 && len(out)%8 == 0 {
		for w := 0; len(out) >= 8; w++ {
			word := g.states[w*lanes+l]
			if g.littleEndian {
				binary.LittleEndian.PutUint64(out, word)
			} else {
				binary.BigEndian.PutUint64(out, word)
			}
			out = out[8:]
		}
		return
	}
	if g.wordSize == 8 || len(out)%4 > 0 {
		putWords(out, g.wordSize, g.littleEndian, func(w int) uint64 { return g.word(l, w) })
		return
	}
	words := g.words32()
	for w := 0; len(out) >= 4; w++ {
		word := words[w*lanes+l]
		if g.littleEndian {
			binary.LittleEndian.PutUint32(out, word)
		} else {
			binary.BigEndian.PutUint32(out, word)
		}
		out = out[4:]
	}
}

// putWords writes the first bytes of words.
func putWords(out []byte, size int, littleEndian bool, word func(w int) uint64) {
	for w := 0; len(out) > 0; w++ {
		var bytes [8]byte
		switch number := word(w); {
		case littleEndian:
			binary.LittleEndian.PutUint64(bytes[:], number)
		case size == 8:
			binary.BigEndian.PutUint64(bytes[:], number)
		default:
			binary.BigEndian.PutUint32(bytes[:], uint32(number))
		}
		out = out[copy(out, bytes[:size]):]
	}
}
