package hashlanes

import (
	"runtime"

	"hashlanes/internal/kernels"
)

// While no other hasher is at work, a message is hashed by the standard library. Nothing is faster
// for a single message, and nothing needs to be staged or waited for. A lone hasher therefore costs
// as much as the standard library's, apart from an occasional search for peers: other goroutines
// that hash with the same algorithm.

const (
	// Messages of at most short bytes never enter lanes: the gain would be less than the cost.
	short = 1 << 10
	// unreported is the number of bytes that a hasher writes before it reports them to the server.
	unreported = 8 << 10
	// A search for peers costs about 200 ns. After a search without success, this many bytes are
	// hashed before the next one: minProbeInterval at first, doubled each time up to maxProbeInterval.
	minProbeInterval = kernels.Solo
	maxProbeInterval = 16 * kernels.Solo
)

// choose decides whether the message continues in lanes or in the standard library, before a write
// of n bytes.
func (h *Hasher) choose(n int) {
	s := h.server
	if s.onlyLanes || !s.usesLanes {
		return
	}
	if s.hasPeers.Load() {
		if !h.inLanes && h.length+uint64(n) > short && n > 0 {
			h.toLanes()
		}
		return
	}
	h.written += n
	if h.written >= unreported {
		written := h.written
		h.written = 0
		if s.untilProbe.Add(-int64(written)) <= 0 && s.findsPeers() {
			h.toLanes()
			return
		}
	}
	h.toStandard()
}

// findsPeers lets other goroutines run, and reports whether any of them is searching for peers too.
func (s *server) findsPeers() bool {
	before := s.searches.Add(1)
	runtime.Gosched()
	// A goroutine that searched earlier may have found this one.
	if s.searches.Load() != before || s.hasPeers.Load() {
		s.hasPeers.Store(true)
		return true
	}
	s.delaySearch()
	return false
}

// delaySearch makes hashers use the standard library for a while.
func (s *server) delaySearch() {
	interval := max(s.probeInterval.Load(), minProbeInterval)
	s.hasPeers.Store(false)
	s.untilProbe.Store(interval)
	s.probeInterval.Store(min(2*interval, maxProbeInterval))
}

// toStandard moves the message to the standard library.
func (h *Hasher) toStandard() {
	if !h.inLanes {
		return
	}
	h.beginStandard()
	var memory [256]byte
	saved := h.server.appendState(memory[:0], &h.state, nil, h.length-uint64(h.n))
	if err := h.std.(standardHash).UnmarshalBinary(saved); err != nil {
		panic("hashlanes: the standard library rejected a state: " + err.Error())
	}
	h.std.Write(h.buffer[:h.n])
	h.n = 0
	h.giveBuffer()
}

// toLanes moves the message from the standard library to the lanes.
func (h *Hasher) toLanes() {
	if h.inLanes {
		return
	}
	h.beginLanes()
	if h.length == 0 {
		return
	}
	var memory [256]byte
	saved, err := h.std.(standardHash).AppendBinary(memory[:0])
	if err != nil {
		panic("hashlanes: the standard library did not return its state: " + err.Error())
	}
	_, rest, err := h.server.parseState(&h.state, saved)
	if err != nil {
		panic(err)
	}
	h.keep(rest)
}
