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

// A blake3Tree hashes one message (section 2 of BLAKE3's paper). Its chunks are hashed side by side.
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
	var values [blake3Batch]value
	nodes := blake3Nodes{
		tree: t, count: count, at: unsafe.Pointer(unsafe.SliceData(chunks)), blocks: 16, to: &values,
		counter: t.chunks, counts: 1, first: chunkStart, last: chunkEnd,
	}
	nodes.hash()
	for level := count; level > 1; level /= 2 {
		pairs := values
		nodes := blake3Nodes{
			tree: t, count: level / 2, at: unsafe.Pointer(&pairs), blocks: 1, to: &values, last: parent,
		}
		nodes.hash()
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

// blake3Nodes are chunks or parents that are hashed side by side.
type blake3Nodes struct {
	tree  *blake3Tree
	count int
	// at is where their blocks are, one node's after another's.
	at     unsafe.Pointer
	blocks int
	to     *[blake3Batch]value
	// The nodes' counters begin with counter, and are counts apart.
	counter, counts uint64
	// The flags of the first and of the last block.
	first, last uint64
}

func (n *blake3Nodes) hash() {
	g := newGroup(BLAKE3.properties())
	defer g.end()
	for done := 0; done < n.count; done += g.row.Lanes {
		g.row = g.choice.For(n.count - done)
		lanes := min(n.count-done, g.row.Lanes)
		g.fill(n.tree.key[:])
		g.fillWord(blake3Length, 64)
		for l := range g.row.Lanes {
			counter := n.counter + uint64(done+l)*n.counts
			g.set(l, blake3Counter, counter)
			g.set(l, blake3Counter+1, counter>>32)
		}
		place := func(block int) {
			for l := range lanes {
				g.data[l] = unsafe.Add(n.at, ((done+l)*n.blocks+block)*64)
			}
		}
		flags := n.tree.mode | n.first
		if n.blocks > 1 {
			g.fillWord(blake3Flags, flags)
			place(0)
			g.run(lanes, n.blocks-1)
			flags = n.tree.mode
		}
		g.fillWord(blake3Flags, flags|n.last)
		place(n.blocks - 1)
		g.run(lanes, 1)
		for l := range lanes {
			g.output(l, n.to[done+l][:])
		}
	}
}

// blake3 hashes messages: those of one chunk side by side, and the chunks of longer ones.
func (m *messageList) blake3(p *properties, count int) {
	order := make([]uint64, 0, count)
	var tree *blake3Tree
	for id := range count {
		message, place := m.at(id)
		if len(message) <= blake3Chunk {
			order = append(order, uint64(place))
			continue
		}
		if tree == nil {
			tree = newBLAKE3(nil, 0)
		}
		tree.values, tree.chunks, tree.n = tree.values[:0], 0, 0
		tree.write(message)
		tree.root().output(m.out[place*m.size:][:m.size])
	}
	if len(order) < count {
		m.order = order
	}
	if len(order) > 0 {
		m.hash(p, len(order))
	}
}
