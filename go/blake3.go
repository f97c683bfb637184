package hashlanes

import (
	"encoding/binary"
	"sync"
	"unsafe"
)

const (
	// blake3Chunk is the number of bytes in a chunk.
	blake3Chunk = 1024
	// blake3Batch is the most chunks of a message in pieces that are hashed at once, and the number
	// of those of several messages from which they are.
	blake3Batch = 256
	// blake3Most is the most chunks of a message in memory that are hashed at once.
	blake3Most = 1 << 12
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
	// The first n bytes of chunk are the last bytes: at most a chunk, at least one byte. Of a message
	// that was saved, the first done bytes, whole blocks, led to before.
	chunk   [blake3Chunk]byte
	n, done int
	before  [8]uint64
	// ahead is the value of a subtree that ends where the message does, for now, if it has chunks.
	ahead struct {
		value
		chunks uint64
	}
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
		if t.ahead.chunks > 0 {
			t.add(t.ahead.value, t.ahead.chunks)
			t.ahead.chunks = 0
		}
		if t.n == blake3Chunk {
			if t.done > 0 {
				t.add(t.last().value(), 1)
			} else {
				t.push(t.chunk[:])
			}
			t.n, t.done = 0, 0
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
	list := newBLAKE3Jobs(&t.key, t.mode)
	defer list.end()
	list.chunks(chunks, t.chunks)
	t.add(list.hash([]blake3Subtree{{count: count}}, 0)[0], uint64(count))
}

// add adds the value of a subtree.
func (t *blake3Tree) add(v value, count uint64) {
	t.values = append(t.values, v)
	// As many subtrees are complete now as bits change.
	t.chunks += count
	for rest := t.chunks / count; rest&1 == 0; rest >>= 1 {
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

// last returns the node of the last chunk.
func (t *blake3Tree) last() *blake3Node {
	node := &blake3Node{before: t.key, counter: t.chunks, flags: t.mode | chunkEnd}
	whole, start := max(0, (t.n-1)/64)*64, uint64(chunkStart)
	node.length = copy(node.block[:], t.chunk[whole:t.n])
	if t.done > 0 {
		node.before, start = t.before, 0
	}
	if whole == 0 {
		node.flags |= chunkStart
	} else if whole > t.done {
		g := newGroup(BLAKE3.properties())
		defer g.end()
		g.row = g.choice.One()
		node.fill(g, t.mode|start, 64)
		// The hasher's memory, as its address goes to the group.
		g.data[0] = unsafe.Pointer(&t.chunk[t.done])
		g.run(1, (whole-t.done)/64)
		for w := range node.before {
			node.before[w] = g.word(0, w)
		}
	}
	return node
}

// root returns the node of the whole message.
func (t *blake3Tree) root() *blake3Node {
	node := t.last()
	for i := len(t.values) - 1; i >= 0; i-- {
		right := node.value()
		if t.ahead.chunks > 0 && i == len(t.values)-1 {
			right = t.ahead.value
		}
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
	data    unsafe.Pointer
	counter uint64
	// place is that of its value.
	place  uint32
	length uint16
	// The flags of the first and of the last block.
	first, last uint8
}

func (j *blake3Job) bytes() []byte { return unsafe.Slice((*byte)(j.data), j.length) }

// blake3Jobs are hashed side by side.
type blake3Jobs struct {
	*group
	key  *[8]uint64
	mode uint64
	jobs []blake3Job
	// run is the number of the last jobs that have as many bytes each.
	run    int
	values []value
}

// allBLAKE3Jobs keeps the memory of jobs for reuse.
var allBLAKE3Jobs = sync.Pool{New: func() any { return new(blake3Jobs) }}

// newBLAKE3Jobs returns an empty list, to be given back by end.
func newBLAKE3Jobs(key *[8]uint64, mode uint64) *blake3Jobs {
	b := allBLAKE3Jobs.Get().(*blake3Jobs)
	b.group, b.key, b.mode = newGroup(BLAKE3.properties()), key, mode
	return b
}

func (b *blake3Jobs) end() {
	b.group.end()
	b.group, b.key = nil, nil
	allBLAKE3Jobs.Put(b)
}

// A blake3Subtree has consecutive values, those of one of its levels. Place is its message's.
type blake3Subtree struct{ first, count, place int }

// chunks adds the chunks of bytes, of which the first has this counter.
func (b *blake3Jobs) chunks(bytes []byte, counter uint64) {
	for ; len(bytes) > 0; counter++ {
		n := min(len(bytes), blake3Chunk)
		b.values = append(b.values, value{})
		b.add(blake3Job{
			unsafe.Pointer(unsafe.SliceData(bytes)), counter, uint32(len(b.values) - 1), uint16(n),
			chunkStart, chunkEnd,
		})
		bytes = bytes[n:]
	}
}

// add adds a job, and hashes those of the same number of bytes that fill all lanes.
func (b *blake3Jobs) add(job blake3Job) {
	if last := len(b.jobs) - 1; last < 0 || b.jobs[last].length != job.length {
		b.run = 0
	}
	b.jobs = append(b.jobs, job)
	if b.run++; b.run == b.choice.Lanes() {
		b.inStep(b.jobs[len(b.jobs)-b.run:])
		b.jobs = b.jobs[:len(b.jobs)-b.run]
		b.run = 0
	}
}

// hash hashes all chunks, and then the parents in these subtrees, level by level. The first value
// of each is then that of its last parent, which has these flags too. It returns the values, and
// removes them.
func (b *blake3Jobs) hash(trees []blake3Subtree, flags uint8) []value {
	values := b.values
	b.level()
	for more := true; more; {
		more = false
		for _, t := range trees {
			for i := range t.count / 2 {
				last := uint8(parent)
				if t.count == 2 {
					last |= flags
				}
				b.add(blake3Job{
					data: unsafe.Pointer(&values[t.first+2*i]), place: uint32(t.first + i), length: 64,
					last: last,
				})
				more = true
			}
		}
		b.level()
		for i := range trees {
			t := &trees[i]
			if pairs := t.count / 2; t.count%2 == 1 {
				// It goes up as it is.
				values[t.first+pairs] = values[t.first+t.count-1]
			}
			t.count = (t.count + 1) / 2
		}
	}
	b.values = values[:0]
	return values
}

// level hashes all jobs, and removes them.
func (b *blake3Jobs) level() {
	count := len(b.jobs)
	for first := 0; first < count; {
		// Those of as many bytes, in step.
		alike, length := first, b.jobs[first].length
		for i := first; i < count; i++ {
			if b.jobs[i].length == length {
				if i > alike {
					b.jobs[i], b.jobs[alike] = b.jobs[alike], b.jobs[i]
				}
				alike++
			}
		}
		if alike < count && alike-first < b.choice.Lanes() {
			b.group.hash(b, first, count)
			break
		}
		b.inStep(b.jobs[first:alike])
		first = alike
	}
	clear(b.jobs[:cap(b.jobs)])
	b.jobs, b.run = b.jobs[:0], 0
}

// inStep hashes jobs of the same number of bytes, at least one.
func (b *blake3Jobs) inStep(jobs []blake3Job) {
	for len(jobs) > 0 {
		b.row = b.choice.For(len(jobs))
		n := min(len(jobs), b.row.Lanes)
		b.inLanes(b.group, jobs[:n])
		jobs = jobs[n:]
	}
}

// inLanes hashes jobs of the same number of bytes that fit into the lanes of the row.
func (b *blake3Jobs) inLanes(g *group, jobs []blake3Job) {
	g.fill(b.key[:])
	g.fillWord(blake3Length, 64)
	length := int(jobs[0].length)
	whole := g.whole(length)
	words, lanes := g.words32(), g.row.Lanes
	for l := range jobs {
		job := &jobs[l]
		flags := job.first
		if whole == 0 {
			flags |= job.last
		}
		words[(blake3Counter*lanes+l)&mask32] = uint32(job.counter)
		words[((blake3Counter+1)*lanes+l)&mask32] = uint32(job.counter >> 32)
		words[(blake3Flags*lanes+l)&mask32] = uint32(b.mode) | uint32(flags)
		g.data[l] = job.data
	}
	if whole > 0 {
		g.run(len(jobs), whole/64)
		g.fillWord(blake3Flags, b.mode|uint64(jobs[0].last))
	}
	if rest := length - whole; rest < 64 {
		g.fillWord(blake3Length, uint64(rest))
		for l := range jobs {
			last := g.pad(g.tail(l), jobs[l].bytes()[whole:], 0)
			g.data[l] = unsafe.Pointer(unsafe.SliceData(last))
		}
	} else if whole > 0 {
		for l := range jobs {
			g.data[l] = unsafe.Add(jobs[l].data, whole)
		}
	}
	g.run(len(jobs), 1)
	for l := range jobs {
		out := &b.values[jobs[l].place]
		for w := range 8 {
			binary.LittleEndian.PutUint32(out[4*w:], words[(w*lanes+l)&mask32])
		}
	}
}

// begin implements source.
func (b *blake3Jobs) begin(g *group, l, id int) {
	job := &b.jobs[id]
	g.load(l, b.key[:])
	g.set(l, blake3Counter, job.counter)
	g.set(l, blake3Counter+1, job.counter>>32)
	g.set(l, blake3Length, 64)
	whole := g.whole(int(job.length))
	if whole == 0 {
		b.last(g, l, job, job.first|job.last)
		return
	}
	g.set(l, blake3Flags, b.mode|uint64(job.first))
	g.put(l, job.bytes()[:whole])
}

// last puts the last block of a job into lane l.
func (b *blake3Jobs) last(g *group, l int, job *blake3Job, flags uint8) {
	rest := job.bytes()[g.whole(int(job.length)):]
	g.set(l, blake3Length, uint64(len(rest)))
	g.set(l, blake3Flags, b.mode|uint64(flags))
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
	g.output(l, b.values[b.jobs[id].place][:])
	return false
}

// blake3 hashes messages: those of one chunk as other functions do, and the chunks and the parents
// of longer ones side by side.
func (m *messageList) blake3(p *properties, count int) {
	if _, longest := m.lengths(0, count); longest <= blake3Chunk {
		m.hash(p, count)
		return
	}
	short := make([]uint32, 0, count)
	var long []uint32
	for id := range count {
		if message, place := m.at(id); len(message) <= blake3Chunk {
			short = append(short, uint32(place))
		} else {
			long = append(long, uint32(place))
		}
	}
	m.forest(long)
	if m.order = short; len(short) > 0 {
		m.hash(p, len(short))
	}
}

// forest hashes messages of more than one chunk, at these places, a batch of chunks at a time.
func (m *messageList) forest(places []uint32) {
	m.order = nil
	list := newBLAKE3Jobs((*[8]uint64)(BLAKE3.properties().initial), 0)
	defer list.end()
	if m.only != nil {
		list.choice = m.only
	}
	var memory [blake3Batch / 2]blake3Subtree
	trees, begun := memory[:0], 0
	for i, id := range places {
		message, place := m.at(int(id))
		if len(message) > blake3Most*blake3Chunk {
			long := newBLAKE3(nil, 0)
			long.write(message)
			long.root().output(m.out[place*m.size:][:m.size])
		} else {
			list.chunks(message, 0)
			trees = append(trees, blake3Subtree{begun, len(list.values) - begun, place})
			begun = len(list.values)
		}
		if begun > 0 && (begun >= blake3Batch || i+1 == len(places)) {
			values := list.hash(trees, root)
			for _, t := range trees {
				copy(m.out[t.place*m.size:][:m.size], values[t.first][:])
			}
			trees, begun = trees[:0], 0
		}
	}
}
