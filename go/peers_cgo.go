//go:build cgo && !purego

package hashlanes

import "runtime"

// A message without company is hashed by the standard library: nothing is faster for one message,
// and nothing is to be staged or waited for. So a hasher that is the only one at work costs what
// the standard library's does, but for a look around from time to time.

const (
	// short messages stay alone: lanes gain less than it costs to come together.
	short = 1 << 10
	// unreported is how many bytes a hasher writes alone before it tells the server.
	unreported = 8 << 10
	// leastPatience and mostPatience are the bytes that are hashed alone after company was looked
	// for in vain, the first time and at most. To look for it costs some 200 ns.
	leastPatience = 64 << 10
	mostPatience  = 512 << 10
)

// choose decides whether the message goes on alone or in lanes, by so many bytes.
func (h *Hasher) choose(bytes int) {
	s := h.server
	if s.onlyLanes {
		return
	}
	if s.company.Load() {
		if !h.inLanes && h.length+uint64(bytes) > short && bytes > 0 {
			h.toLanes()
		}
		return
	}
	h.written += bytes
	if h.written >= unreported {
		written := h.written
		h.written = 0
		if s.alone.Add(-int64(written)) <= 0 && s.findsCompany() {
			h.toLanes()
			return
		}
	}
	h.toAlone()
}

// findsCompany lets other goroutines run, and tells whether any of them looks for company, too.
func (s *server) findsCompany() bool {
	if s.lanes == 1 {
		s.alone.Store(mostPatience)
		return false
	}
	before := s.looking.Add(1)
	runtime.Gosched()
	// Who looked before this one may have found it.
	if s.looking.Load() != before || s.company.Load() {
		s.company.Store(true)
		return true
	}
	s.leaveAlone()
	return false
}

// leaveAlone has messages hashed alone for a while.
func (s *server) leaveAlone() {
	patience := max(s.patience.Load(), leastPatience)
	s.company.Store(false)
	s.alone.Store(patience)
	s.patience.Store(min(2*patience, mostPatience))
}

// toAlone gives the message to the standard library.
func (h *Hasher) toAlone() {
	if !h.inLanes {
		return
	}
	h.beginAlone()
	var memory [256]byte
	saved := h.server.appendState(memory[:0], &h.state, nil, h.length-uint64(h.n))
	if err := h.alone.UnmarshalBinary(saved); err != nil {
		panic("hashlanes: the standard library does not take a state: " + err.Error())
	}
	h.alone.Write(h.buffer[:h.n])
	h.n = 0
	h.giveBuffer()
}

// toLanes takes the message from the standard library.
func (h *Hasher) toLanes() {
	if h.inLanes {
		return
	}
	h.beginLanes()
	if h.length == 0 {
		return
	}
	var memory [256]byte
	saved, err := h.alone.AppendBinary(memory[:0])
	if err != nil {
		panic("hashlanes: the standard library does not give its state: " + err.Error())
	}
	_, rest, err := h.server.parseState(&h.state, saved)
	if err != nil {
		panic(err)
	}
	h.keep(rest)
}
