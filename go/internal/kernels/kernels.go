// Package kernels has the compression functions of hash functions: for each family a table of rows,
// which hash one or several messages side by side. Files with the name of an architecture are made
// by `cargo xtask go-assembly`, except those of its CPU.
package kernels

import (
	"os"
	"sync"
	"unsafe"
)

// A Row compresses blocks of as many messages as it has lanes.
type Row struct {
	Name  string
	Lanes int
	needs feature
	// cycles are those for one block of all lanes, on each kind of cores. Only ratios matter.
	cycles [arm + 1]uint16
	// run is the code, and long the code that is faster for many blocks, or nil.
	run, long func(states unsafe.Pointer, data *unsafe.Pointer, blocks, mode int)
	// whole hashes complete messages, or is nil.
	whole func(*Messages)
}

// Messages are complete, and of a family of the MD4 kind.
type Messages struct {
	// Initial is the state in which each begins: 8 words, whatever the family.
	Initial unsafe.Pointer
	// Data is where each begins: Count addresses, and more up to a multiple of the lanes. The caller
	// keeps the messages alive, and does not have them on its stack, which moves.
	Data  *uintptr
	Count int
	// Lengths has as many numbers of bytes. If it is nil, each has Length bytes.
	Lengths *uint32
	Length  int
	// Digests have Size bytes each. That of message i is number Places[i], or i if Places is nil.
	Digests *byte
	Size    int
	Places  *uint16
}

// many blocks are those from which it pays off to arrange the words of the first one.
const many = 8

// LongestWhole is the most bytes of complete messages that [Row.Hash] hashes in less time than
// [Row.Run], with blocks of this size, or -1.
func (r *Row) LongestWhole(block int) int {
	switch {
	case r.whole == nil:
		return -1
	case r.long != nil:
		return many * block
	}
	return 16 * block
}

// Hash hashes messages of at most [Row.LongestWhole] bytes. It cannot be preempted.
func (r *Row) Hash(messages *Messages) { r.whole(messages) }

// Run advances the states of all lanes, word by word (word w of lane l is at w*Lanes + l), by this
// many blocks, which lane l finds at data[l]. The mode is one of the family's. It cannot be
// preempted: see [Row.Most].
func (r *Row) Run(states unsafe.Pointer, data *unsafe.Pointer, blocks, mode int) {
	if blocks >= many && r.long != nil {
		r.long(states, data, blocks, mode)
	} else {
		r.run(states, data, blocks, mode)
	}
}

// A feature is a set of instructions.
type feature uint16

// A Family is a compression function.
type Family uint8

// The families, with the words of a lane's state.
const (
	MD5     Family = iota // 4 words of 32 bits.
	SHA1                  // 5 words of 32 bits.
	SHA256                // 8 words of 32 bits.
	SHA512                // 8 words of 64 bits.
	SM3                   // 8 words of 32 bits.
	Keccak                // 26 words of 64 bits, of which the last is unused.
	BLAKE2b               // 10 words of 64 bits: also the bytes before the block, and the last flag.
	BLAKE2s               // 11 words of 32 bits: as BLAKE2b, but the bytes take two words.
	BLAKE3                // 12 words of 32 bits: also two of the counter, the length and the flags.
	families
)

// The modes of Keccak: the rate in bytes and the rounds.
const (
	Rate136 = iota // 24 rounds.
	Rate168        // 24 rounds.
	Rate144        // 24 rounds.
	Rate104        // 24 rounds.
	Rate72         // 24 rounds.
	Rate168Rounds12
	Rate136Rounds12
)

// Output is the mode of BLAKE3 that replaces a state by the sixteen words of its output. They
// follow those of the lane before.
const Output = 1

// maxLanes is the most messages for which a choice is planned.
const maxLanes = 64

// A Choice has the rows of a family that this CPU can run.
type Choice struct {
	rows []Row
	one  *Row
	// best has the place of the row for each number of messages, and cost the cycles for a block of
	// each of them.
	best [maxLanes + 1]uint8
	cost [maxLanes + 1]int
}

var choices [families]struct {
	once sync.Once
	Choice
}

// Choice returns the rows of a family. It has none if there is no code for them here.
func (f Family) Choice() *Choice {
	choice := &choices[f]
	choice.once.Do(func() {
		features := detect()
		for _, row := range rows[f] {
			if row.needs&^features == 0 {
				choice.rows = append(choice.rows, row)
			}
		}
		if len(choice.rows) == 0 && portable[f].run != nil {
			row := portable[f]
			for i := range row.cycles {
				row.cycles[i] = 2500
			}
			choice.rows = []Row{row}
		}
		choice.plan()
		if len(choice.rows) > 0 {
			choice.one = choice.For(1)
		}
		choice.force(os.Getenv("HASHLANES_KERNEL"))
	})
	return &choice.Choice
}

// force makes the row of this name, if there is one, that for any number of messages.
func (c *Choice) force(name string) {
	for i, row := range c.rows {
		if row.Name == name {
			for m := range c.best {
				c.best[m] = uint8(i)
			}
		}
	}
}

// Each returns a choice of each row alone.
func (c *Choice) Each() []*Choice {
	var each []*Choice
	for i := range c.rows {
		each = append(each, &Choice{rows: c.rows[i:][:1], one: &c.rows[i]})
	}
	return each
}

// change is about what it costs to go on with another row, in cycles.
const change = 64

// plan chooses the row in which each number of messages begins: the one with which a block of each
// takes the fewest cycles. A row fills its lanes as often as it can; the remaining messages go to
// the row that is best for them. An idle lane costs as much as a live one.
func (c *Choice) plan() {
	if len(c.rows) == 0 {
		return
	}
	cost := &c.cost
	for m := 1; m <= maxLanes; m++ {
		for i := range c.rows {
			row := &c.rows[i]
			// A single message never goes to lanes: the cycles leave out how they are set up.
			if m == 1 && row.Lanes > 1 && len(c.rows) > 1 {
				continue
			}
			rest := max(0, m-row.Lanes)
			cycles := row.Cycles() + cost[rest]
			if rest > 0 && c.best[rest] != uint8(i) {
				cycles += change
			}
			// Of equally good rows the widest begins: the table has the narrow ones first.
			if cost[m] == 0 || cycles <= cost[m] {
				c.best[m], cost[m] = uint8(i), cycles
			}
		}
	}
}

// Lanes is the number of messages that the row for many of them hashes side by side, or 0 if there
// is no row.
func (c *Choice) Lanes() int {
	if len(c.rows) == 0 {
		return 0
	}
	return c.For(maxLanes).Lanes
}

// One is the row for a message by itself, which has one lane, or nil if there is none.
func (c *Choice) One() *Row { return c.one }

// For returns the row in which this many messages begin, which may have fewer lanes.
func (c *Choice) For(messages int) *Row {
	return &c.rows[c.best[min(messages, maxLanes)]]
}

// Cost is what a block of each of at most 64 messages takes.
func (c *Choice) Cost(messages int) int { return c.cost[messages] }

// Cycles is the cost of one block of all lanes on this CPU.
func (r *Row) Cycles() int { return int(r.cycles[core()]) }

// Most is the number of blocks of each lane that one call should compress at most, so that it keeps
// the garbage collector waiting for about 100 µs.
func (r *Row) Most() int { return max(1, 250_000/r.Cycles()) }
