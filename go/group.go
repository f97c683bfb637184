package hashlanes

import (
	"sync"
	"unsafe"

	"hashlanes/internal/kernels"
)

const (
	// maxLanes is the most lanes of any row.
	maxLanes = 32
	// maxWords is at least the 64-bit words of the states of all lanes: 26 words in 8 lanes. Indices
	// are masked, so that none is checked.
	maxWords = 1 << 8
	mask64   = maxWords - 1
	mask32   = 2*maxWords - 1
	// maxTail is the size of two blocks of any function.
	maxTail = 2 * 168
	// maxWhole is the most complete messages that a row hashes at once.
	maxWhole = 128
)

// A group hashes messages side by side, one in each lane of a row. A lane whose message is done
// takes the next one.
type group struct {
	*properties
	choice *kernels.Choice
	row    *kernels.Row
	states [maxWords]uint64
	// data is where the blocks of each lane are, and left is their number.
	data [maxLanes]unsafe.Pointer
	left [maxLanes]int
	// id is the message in each lane, or -1, and stage says how far it is.
	id, stage [maxLanes]int
	// slot is each lane's place among the tails: the padded last blocks.
	slot  [maxLanes]uint8
	tails [maxLanes][maxTail]byte
	live  int
	// mixed is set if the messages differ in length.
	mixed bool
	// padded are the last blocks in the first place among the tails, if the previous step had messages
	// of this length. What is after the messages' bytes is also in the first lanes' other places.
	padded                    []byte
	paddedLength, paddedLanes int
	// messages are complete ones for a row that hashes these, with where they begin, their lengths
	// and their places. Addresses cost no write barriers. Messages do not move: they are on the heap,
	// because data points to them too.
	messages kernels.Messages
	begins   [maxWhole]uintptr
	lengths  [maxWhole]uint32
	places   [maxWhole]uint16
}

// groups keeps groups for reuse. Kernels are called through pointers, so that the compiler would
// not keep a group on the stack.
var groups = sync.Pool{New: func() any { return new(group) }}

// newGroup returns a group, to be given back by end.
func newGroup(p *properties) *group {
	g := groups.Get().(*group)
	g.properties, g.choice, g.live, g.mixed, g.paddedLength = p, p.family.Choice(), 0, false, -1
	for l := range maxLanes {
		g.id[l], g.slot[l] = -1, uint8(l)
	}
	return g
}

// end gives the group back. It must not keep its last messages and digests alive.
func (g *group) end() {
	clear(g.data[:])
	g.messages.Digests = nil
	groups.Put(g)
}

// words32 are the states as words of 32 bits.
func (g *group) words32() *[2 * maxWords]uint32 {
	return (*[2 * maxWords]uint32)(unsafe.Pointer(&g.states))
}

// set sets word w of the state of lane l.
func (g *group) set(l, w int, word uint64) {
	if g.wordSize == 8 {
		g.states[(w*g.row.Lanes+l)&mask64] = word
	} else {
		g.words32()[(w*g.row.Lanes+l)&mask32] = uint32(word)
	}
}

// load sets the first words of the state of lane l.
func (g *group) load(l int, state []uint64) {
	lanes := g.row.Lanes
	if g.wordSize == 8 {
		for w, word := range state {
			g.states[(w*lanes+l)&mask64] = word
		}
		return
	}
	words := g.words32()
	for w, word := range state {
		words[(w*lanes+l)&mask32] = uint32(word)
	}
}

// word returns word w of the state of lane l.
func (g *group) word(l, w int) uint64 {
	if g.wordSize == 8 {
		return g.states[(w*g.row.Lanes+l)&mask64]
	}
	return uint64(g.words32()[(w*g.row.Lanes+l)&mask32])
}

// put gives lane l blocks to hash, which must be whole and at least one.
func (g *group) put(l int, blocks []byte) {
	g.data[l], g.left[l] = unsafe.Pointer(unsafe.SliceData(blocks)), len(blocks)/g.blockSize
}

// tail is lane l's memory for its last blocks.
func (g *group) tail(l int) *[maxTail]byte { return &g.tails[g.slot[l]] }

// A source is where messages come from and where their digests go.
type source interface {
	// begin puts message id into lane l.
	begin(g *group, l, id int)
	// next goes on with the message in lane l, whose blocks are hashed. It returns false if it is
	// done.
	next(g *group, l, id int) bool
}

// hash hashes messages first to count-1 of a source.
func (g *group) hash(s source, first, count int) {
	for {
		total := g.live + count - first
		if total == 0 {
			return
		}
		g.choose(total)
		for l := 0; g.live < g.row.Lanes && first < count; l++ {
			if g.id[l] < 0 {
				g.id[l], g.stage[l] = first, 0
				s.begin(g, l, first)
				first++
				g.live++
			}
		}
		for live := g.live; live > 0 && g.live == live; {
			g.step(s)
		}
	}
}

// choose takes the row for this many messages, those in lanes among them.
func (g *group) choose(total int) {
	if g.live == 0 {
		if g.mixed {
			// Lanes stay full if each gets four messages.
			total = max(total/4, min(total, 4))
		}
		g.row = g.choice.For(total)
	} else if total < g.row.Lanes {
		if row := g.choice.For(total); row.Lanes >= total && row.Lanes < g.row.Lanes {
			g.move(row)
		}
	}
}

// move moves all messages to the first lanes of another row.
func (g *group) move(row *kernels.Row) {
	from := g.row.Lanes
	var states [maxWords]uint64
	other, lanes := (*[2 * maxWords]uint32)(unsafe.Pointer(&states)), 0
	for l := range from {
		if g.id[l] < 0 {
			continue
		}
		for w := range g.laneWords {
			if g.wordSize == 8 {
				states[w*row.Lanes+lanes] = g.states[w*from+l]
			} else {
				other[w*row.Lanes+lanes] = g.words32()[w*from+l]
			}
		}
		g.data[lanes], g.left[lanes], g.stage[lanes] = g.data[l], g.left[l], g.stage[l]
		g.id[lanes], g.id[l] = g.id[l], g.id[lanes]
		// The other lane's tail may be in use.
		g.slot[lanes], g.slot[l] = g.slot[l], g.slot[lanes]
		lanes++
	}
	g.states, g.row = states, row
}

// step hashes as many blocks of each lane as the lane with the fewest has.
func (g *group) step(s source) {
	lanes := g.row.Lanes
	blocks, some := g.row.Most(), unsafe.Pointer(nil)
	for l, id := range g.id[:lanes] {
		if id >= 0 {
			blocks, some = min(blocks, g.left[l]), g.data[l]
		}
	}
	if g.live < lanes {
		for l, id := range g.id[:lanes] {
			if id < 0 {
				g.data[l] = some
			}
		}
	}
	g.row.Run(unsafe.Pointer(&g.states), &g.data[0], blocks, g.mode)
	for l, id := range g.id[:lanes] {
		if id < 0 {
			continue
		}
		if g.left[l] -= blocks; g.left[l] > 0 {
			g.data[l] = unsafe.Add(g.data[l], blocks*g.blockSize)
		} else if !s.next(g, l, id) {
			g.id[l] = -1
			g.live--
		}
	}
}

// run hashes this many blocks of all lanes in step.
func (g *group) run(lanes, blocks int) {
	for l := lanes; l < g.row.Lanes; l++ {
		g.data[l] = g.data[0]
	}
	for blocks > 0 {
		n := min(blocks, g.row.Most())
		g.row.Run(unsafe.Pointer(&g.states), &g.data[0], n, g.mode)
		if blocks -= n; blocks > 0 {
			for l := range g.row.Lanes {
				g.data[l] = unsafe.Add(g.data[l], n*g.blockSize)
			}
		}
	}
}
