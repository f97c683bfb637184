package hashlanes

import (
	"encoding/binary"
	"unsafe"
)

const (
	// blake3Chunk is the number of bytes in a chunk.
	blake3Chunk = 1024
	// blake3Batch is the most chunks whose subtree is hashed at once.
	blake3Batch = 64
)

// A value is what a node of BLAKE3's tree hands to its parent, in bytes.
type value = [32]byte

// A blake3Node is the last compression of a chunk or a parent.
type blake3Node struct {
	before  [8]uint64
	block   [64]byte
	counter uint64
	length  int
	flags   uint64
}

// A blake3Tree hashes one message (section 2 of BLAKE3's paper). Its chunks are hashed side by
// side.
type blake3Tree struct {
	key  [8]uint64
	mode uint64
	// values are those of complete subtrees, from the largest. chunks is the number of their chunks.
	values []value
	chunks uint64
	// The first n bytes of chunk are the last bytes: at most a chunk, at least one byte.
	chunk [blake3Chunk]byte
	n     int
}

// newBLAKE3 returns the tree of an empty message, with the key and the flags of all its nodes.
func newBLAKE3(key []byte, mode uint64) *blake3Tree {
	t := &blake3Tree{mode: mode}
	copy(t.key[:], BLAKE3.properties().initial)
	for i := range key[:len(key)/32*32] {
		if i%4 == 0 {
			t.key[i/4] = uint64(binary.LittleEndian.Uint32(key[i:]))
		}
	}
	return t
}

func (t *blake3Tree) write(p []byte) {
	for len(p) > 0 {
		if t.n == blake3Chunk {
			t.push(t.chunk[:])
			t.n = 0
		}
		if t.n == 0 && len(p) > blake3Chunk {
			// The last chunk may be the root, and is hashed when that is known.
			chunks := min(uint64(len(p)-1)/blake3Chunk, blake3Batch)
			for chunks&(chunks-1) != 0 {
				chunks &= chunks - 1
			}
			for t.chunks&(chunks-1) != 0 {
				chunks /= 2
			}
			bytes := chunks * blake3Chunk
			t.push(p[:bytes])
			p = p[bytes:]
			continue
		}
		n := copy(t.chunk[t.n:], p)
		t.n += n
		p = p[n:]
	}
}

// push adds a subtree of chunks, after which more bytes follow.
func (t *blake3Tree) push(chunks []byte) {
	count := len(chunks) / blake3Chunk
	list := blake3Jobs{key: &t.key, mode: t.mode}
	list.chunks(chunks, t.chunks)
	values := list.hash()
	for len(values) > 1 {
		list.parents(values)
		values = list.hash()
	}
	t.values = append(t.values, values[0])
	// As many subtrees are complete now as bits change.
	t.chunks += uint64(count)
	for rest := t.chunks / uint64(count); rest&1 == 0; rest >>= 1 {
		last := len(t.values) - 1
		node := t.parent(&t.values[last-1], &t.values[last])
		t.values = t.values[:last]
		t.values[last-1] = node.value()
	}
}

// parent returns the node above two values.
func (t *blake3Tree) parent(left, right *value) *blake3Node {
	node := &blake3Node{before: t.key, length: 64, flags: t.mode | parent}
	copy(node.block[copy(node.block[:], left[:]):], right[:])
	return node
}

// root returns the node of the whole message.
func (t *blake3Tree) root() *blake3Node {
	node := &blake3Node{before: t.key, counter: t.chunks, flags: t.mode | chunkEnd}
	whole := max(0, (t.n-1)/64) * 64
	node.length = copy(node.block[:], t.chunk[whole:t.n])
	if whole == 0 {
		node.flags |= chunkStart
	} else {
		g := newGroup(BLAKE3.properties())
		defer g.end()
		g.row = g.choice.One()
		node.fill(g, t.mode|chunkStart, 64)
		// The hasher's memory, as its address goes to the group.
		g.data[0] = unsafe.Pointer(&t.chunk)
		g.run(1, whole/64)
		for w := range node.before {
			node.before[w] = g.word(0, w)
		}
	}
	for i := len(t.values) - 1; i >= 0; i-- {
		right := node.value()
		node = t.parent(&t.values[i], &right)
	}
	node.flags |= root
	return node
}

// fill sets the states of all lanes.
func (n *blake3Node) fill(g *group, flags, length uint64) {
	g.fill(n.before[:])
	g.fillWord(blake3Counter, n.counter)
	g.fillWord(blake3Counter+1, n.counter>>32)
	g.fillWord(blake3Length, length)
	g.fillWord(blake3Flags, flags)
}

// value returns the node's value.
func (n *blake3Node) value() (v value) {
	g := newGroup(BLAKE3.properties())
	defer g.end()
	g.row = g.choice.One()
	n.fill(g, n.flags, uint64(n.length))
	g.data[0] = unsafe.Pointer(&n.block)
	g.run(1, 1)
	g.output(0, v[:])
	return v
}

// output writes the output of the root: blocks that differ in their counter are hashed side by
// side.
func (n *blake3Node) output(out []byte) {
	g := newGroup(BLAKE3.properties())
	defer g.end()
	g.data[0] = unsafe.Pointer(&n.block)
	for first := uint64(0); len(out) > 0; first += uint64(g.row.Lanes) {
		g.row = g.choice.For((len(out) + 63) / 64)
		n.fill(g, n.flags, uint64(n.length))
		for l := range g.row.Lanes {
			counter := first + uint64(l)
			g.set(l, blake3Counter, counter)
			g.set(l, blake3Counter+1, counter>>32)
			g.data[l] = g.data[0]
		}
		g.row.Run(unsafe.Pointer(&g.states), &g.data[0], 1, 1)
		// Sixteen words of a lane follow those of another.
		words := g.words32()
		for w := 0; w < 16*g.row.Lanes && len(out) > 0; w++ {
			var bytes [4]byte
			binary.LittleEndian.PutUint32(bytes[:], words[w])
			out = out[copy(out, bytes[:]):]
		}
	}
}

// A blake3Job is a chunk or a parent to hash.
type blake3Job struct {
	data    []byte
	counter uint64
	// The flags of the first and of the last block.
	first, last uint64
}

// blake3Jobs are hashed side by side.
type blake3Jobs struct {
	key  *[8]uint64
	mode uint64
	jobs []blake3Job
	out  []value
}

// chunks adds the chunks of bytes, of which the first has this counter.
func (b *blake3Jobs) chunks(bytes []byte, counter uint64) {
	for {
		n := min(len(bytes), blake3Chunk)
		b.jobs = append(b.jobs, blake3Job{bytes[:n], counter, chunkStart, chunkEnd})
		if bytes = bytes[n:]; len(bytes) == 0 {
			return
		}
		counter++
	}
}

// parents adds those of pairs of values, of which the last may be left over.
func (b *blake3Jobs) parents(values []value) {
	bytes := unsafe.Slice(&values[0][0], len(values)*len(values[0]))
	for i := 0; i+1 < len(values); i += 2 {
		b.jobs = append(b.jobs, blake3Job{data: bytes[32*i:][:64], last: parent})
	}
}

// hash returns the values of all jobs, and removes them.
func (b *blake3Jobs) hash() []value {
	b.out = make([]value, len(b.jobs))
	g := newGroup(BLAKE3.properties())
	defer g.end()
	g.hash(b, 0, len(b.jobs))
	b.jobs = b.jobs[:0]
	return b.out
}

// begin implements source.
func (b *blake3Jobs) begin(g *group, l, id int) {
	job := &b.jobs[id]
	g.load(l, b.key[:])
	g.set(l, blake3Counter, job.counter)
	g.set(l, blake3Counter+1, job.counter>>32)
	g.set(l, blake3Length, 64)
	whole := g.whole(len(job.data))
	if whole == 0 {
		b.last(g, l, job, job.first|job.last)
		return
	}
	g.set(l, blake3Flags, b.mode|job.first)
	g.put(l, job.data[:whole])
}

// last puts the last block of a job into lane l.
func (b *blake3Jobs) last(g *group, l int, job *blake3Job, flags uint64) {
	rest := job.data[g.whole(len(job.data)):]
	g.set(l, blake3Length, uint64(len(rest)))
	g.set(l, blake3Flags, b.mode|flags)
	g.stage[l] = 1
	if len(rest) == g.blockSize {
		g.put(l, rest)
	} else {
		g.put(l, g.pad(g.tail(l), rest, 0))
	}
}

// next implements source.
func (b *blake3Jobs) next(g *group, l, id int) bool {
	if g.stage[l] == 0 {
		b.last(g, l, &b.jobs[id], b.jobs[id].last)
		return true
	}
	g.output(l, b.out[id][:])
	return false
}

// blake3 hashes messages: those of one chunk as other functions do, and the chunks and the parents
// of longer ones side by side.
func (m *messageList) blake3(p *properties, count int) {
	short := make([]uint64, 0, count)
	var long []uint64
	chunks := 0
	for id := range count {
		message, place := m.at(id)
		if len(message) <= blake3Chunk {
			short = append(short, uint64(place))
			continue
		}
		long = append(long, uint64(place))
		if chunks += (len(message) + blake3Chunk - 1) / blake3Chunk; chunks >= blake3Most {
			m.forest(long)
			long, chunks = long[:0], 0
		}
	}
	m.forest(long)
	if len(short) < count {
		m.order = short
	}
	if len(short) > 0 {
		m.hash(p, len(short))
	}
}

// blake3Most is the number of chunks of several messages from which they are hashed, and of one
// message from which it is hashed in parts, so that values take little memory.
const blake3Most = 1 << 12

// forest hashes messages of more than one chunk, at these places.
func (m *messageList) forest(places []uint64) {
	list := blake3Jobs{key: &newBLAKE3(nil, 0).key}
	m.order = nil
	var counts []int
	var outs [][]byte
	for _, id := range places {
		message, place := m.at(int(id))
		out := m.out[place*m.size:][:m.size]
		if len(message) > blake3Most*blake3Chunk {
			tree := newBLAKE3(nil, 0)
			tree.write(message)
			tree.root().output(out)
			continue
		}
		before := len(list.jobs)
		list.chunks(message, 0)
		counts, outs = append(counts, len(list.jobs)-before), append(outs, out)
	}
	values := list.hash()
	trees := make([][]value, len(counts))
	for i, count := range counts {
		trees[i], values = values[:count], values[count:]
	}
	// Level by level. A value that is left over goes up as it is.
	for {
		for _, tree := range trees {
			list.parents(tree)
			if len(tree) == 2 {
				list.jobs[len(list.jobs)-1].last |= root
			}
		}
		if len(list.jobs) == 0 {
			break
		}
		above := list.hash()
		for i, tree := range trees {
			pairs := len(tree) / 2
			copy(tree, above[:pairs])
			if len(tree)%2 == 1 {
				tree[pairs] = tree[len(tree)-1]
			}
			trees[i], above = tree[:(len(tree)+1)/2], above[pairs:]
		}
	}
	for i, tree := range trees {
		copy(outs[i], tree[0][:])
	}
}
