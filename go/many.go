package hashlanes

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"runtime"
	"slices"
	"unsafe"

	"hashlanes/internal/kernels"
)

// flat allocates count digests of size bytes in one block of memory, with a slice for each. It
// panics if no address space has room for them.
func flat(count, size int) (digests []byte, each [][]byte) {
	if most := math.MaxInt & (1<<47 - 1); size > 0 && count > most/size {
		panic(fmt.Sprintf("hashlanes: %d outputs of %d bytes do not fit into memory", count, size))
	}
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
	if list.size = a.Size(); count == 0 {
		return
	}
	p := a.hashed()
	switch {
	case p.family.Choice().Lanes() == 0:
		list.standard(a, count)
	case p.kind == blake3:
		list.blake3(p, count)
	default:
		list.hash(p, count)
		if a == SHA256d {
			second := messageList{
				data: list.out, chunk: sha256.Size, out: list.out, size: sha256.Size, only: list.only,
			}
			second.hash(p, count)
		}
	}
}

// A messageList has messages, or the chunks of data, and a place for their digests.
type messageList struct {
	messages [][]byte
	data     []byte
	chunk    int
	// order has the messages' numbers. If it is nil, they are in order.
	order []uint32
	out   []byte
	// size is the number of bytes of a digest.
	size int
	// only has the only row to use, or is nil.
	only *kernels.Choice
}

// group returns a group, to be given back by end.
func (m *messageList) group(p *properties) *group {
	g := newGroup(p)
	if m.only != nil {
		g.choice = m.only
	}
	return g
}

// at returns a message and its number. The first argument is its place in the order.
func (m *messageList) at(id int) ([]byte, int) {
	if m.order != nil {
		id = int(m.order[id])
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
const maxSorted = 1 << 16

// Messages whose lengths differ by at most similar blocks run in step. At most unsorted of them are
// hashed in the order of the call; more are sorted.
const (
	similar  = 2
	unsorted = 63
)

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
	g := m.group(p)
	defer g.end()
	shortest, longest := m.lengths(0, count)
	if m.chunk == 0 && count > g.choice.For(count).Lanes && shortest < longest &&
		(count > unsorted || (longest-shortest)/p.blockSize > similar) {
		m.sort(p, count)
	}
	for first := 0; first < count; {
		g.row = g.choice.For(count - first)
		n := m.whole(g, first, count)
		if n == 0 {
			n = min(count-first, g.row.Lanes)
			if shortest, longest := m.lengths(first, n); shortest < longest {
				g.mixed = true
				g.hash(m, first, count)
				return
			}
			m.inStep(g, first, n)
		}
		first += n
	}
}

// sort orders messages by their number of blocks, the longest first: neighbours hardly wait for
// each other, and no long message is left at the end.
func (m *messageList) sort(p *properties, count int) {
	if m.order == nil {
		m.order = make([]uint32, count)
		for i := range m.order {
			m.order[i] = uint32(i)
		}
	}
	const long = 32
	blocks := func(id uint32) int { return len(m.messages[id]) / p.blockSize }
	// Where the messages of each number of blocks begin, the longer ones before them.
	var begins [long + 2]int
	for _, id := range m.order {
		begins[long-min(blocks(id), long)+1]++
	}
	longer := begins[1]
	for i := range long {
		begins[i+1] += begins[i]
	}
	sorted := make([]uint32, count)
	for _, id := range m.order {
		at := &begins[long-min(blocks(id), long)]
		sorted[*at] = id
		*at++
	}
	slices.SortFunc(sorted[:longer], func(a, b uint32) int { return blocks(b) - blocks(a) })
	m.order = sorted
}

// lengths returns the lengths of the shortest and of the longest of some messages.
func (m *messageList) lengths(first, count int) (shortest, longest int) {
	message, _ := m.at(first)
	shortest, longest = len(message), len(message)
	for id := first + 1; id < first+count; id++ {
		message, _ := m.at(id)
		shortest, longest = min(shortest, len(message)), max(longest, len(message))
	}
	return shortest, longest
}

// whole hashes the first of some messages from where they are to their digests, with a row that
// can do so. It returns how many: those of similar lengths that are short enough, and no more than
// one call should hash.
func (m *messageList) whole(g *group, first, count int) int {
	lanes, most := g.row.Lanes, g.row.LongestWhole(g.blockSize)
	if most < 0 {
		return 0
	}
	n := min(count-first, maxWhole)
	if rest := n % lanes; n > lanes && rest > 0 && g.choice.For(rest) != g.row {
		n -= rest
	}
	taken, shortest, longest := 0, most, 0
	for taken < n {
		next, least, greatest := min(n, taken+lanes), most, 0
		for i := taken; i < next; i++ {
			message, place := m.at(first + i)
			g.begins[i] = uintptr(unsafe.Pointer(unsafe.SliceData(message)))
			g.lengths[i] = uint32(len(message))
			g.places[i] = uint16(place)
			least, greatest = min(least, len(message)), max(greatest, len(message))
		}
		blocks := (next + lanes - 1) / lanes * (max(longest, greatest)/g.blockSize + 1)
		if greatest > most || (greatest-least)/g.blockSize > similar ||
			taken > 0 && blocks > g.row.Most() {
			break
		}
		taken, shortest, longest = next, min(shortest, least), max(longest, greatest)
	}
	if taken == 0 {
		return 0
	}
	for i := taken; i%lanes > 0; i++ {
		g.begins[i], g.lengths[i] = g.begins[0], g.lengths[0]
	}
	g.messages = kernels.Messages{
		Initial: unsafe.Pointer(&g.narrow), Data: &g.begins[0], Count: taken, Length: longest,
		Digests: unsafe.SliceData(m.out), Size: m.size,
	}
	if g.wordSize == 8 {
		g.messages.Initial = unsafe.Pointer(unsafe.SliceData(g.initial))
	}
	if shortest < longest {
		g.messages.Lengths = &g.lengths[0]
	}
	if m.order != nil {
		g.messages.Places = &g.places[0]
	} else {
		g.messages.Digests = &m.out[first*m.size]
	}
	g.row.Hash(&g.messages)
	runtime.KeepAlive(m)
	return taken
}

// inStep hashes messages of the same length that fit into the lanes of the row.
func (m *messageList) inStep(g *group, first, n int) {
	g.fill(g.initial)
	message, _ := m.at(first)
	length := len(message)
	whole := g.whole(length)
	if whole > 0 {
		for l := range n {
			message, _ := m.at(first + l)
			g.data[l] = unsafe.Pointer(unsafe.SliceData(message))
		}
		g.run(n, whole/g.blockSize)
	}
	g.enterTail(uint64(length), g.fillWord)
	rest := length - whole
	if g.paddedLength != length {
		g.padded = g.pad(g.tail(0), message[whole:], g.before+uint64(length))
		g.paddedLength, g.paddedLanes = length, 1
	}
	tail := g.padded
	for l := range n {
		own := tail
		if rest > 0 {
			own = g.tail(l)[:len(tail)]
			if l >= g.paddedLanes {
				copy(own[rest:], tail[rest:])
				g.paddedLanes = l + 1
			}
			message, _ := m.at(first + l)
			copy(own, message[whole:])
		}
		g.data[l] = unsafe.Pointer(unsafe.SliceData(own))
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
	if &state[0] == &emptySponge[0] {
		clear(g.states[:len(state)*g.row.Lanes])
		return
	}
	for w, word := range state {
		g.fillWord(w, word)
	}
}

// fillWord sets a word in all lanes.
func (g *group) fillWord(w int, word uint64) {
	lanes := g.row.Lanes
	if g.wordSize == 4 {
		if lanes == 1 {
			g.set(0, w, word)
			return
		}
		// Two at a time.
		word, lanes = word<<32|word&math.MaxUint32, lanes/2
	}
	words := g.states[w*lanes:][:lanes]
	for l := range words {
		words[l] = word
	}
}

// output writes the first bytes of lane l's state.
func (g *group) output(l int, out []byte) {
	lanes := g.row.Lanes
	if g.wordSize == 8 && len(out)%8 == 0 {
		for w := 0; len(out) >= 8; w++ {
			word := g.states[(w*lanes+l)&mask64]
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
		word := words[(w*lanes+l)&mask32]
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
