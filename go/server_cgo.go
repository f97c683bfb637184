//go:build cgo && !purego && (hashlanes_system || (linux && (amd64 || arm64)))

package hashlanes

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// A server lets the hashers of an algorithm share lanes. It has no goroutine of its own. A
// goroutine that needs a digest, or room in a full buffer, queues its job, lets other goroutines
// run once, and then hashes a share of the queue. Goroutines wait in Go's scheduler and never in C.
// At most GOMAXPROCS of them are in C at a time.
type server struct {
	algorithm Algorithm
	*properties
	initial state
	// block is the number of bytes in a block.
	block int
	// lanes is the maximum number of messages that are worth hashing together.
	lanes int

	// limit is GOMAXPROCS, which is reread from time to time. running is the number of goroutines in
	// C.
	limit, running atomic.Int32
	// sleeping is the number of sleepers.
	sleeping atomic.Int32
	// onlyLanes is set if messages can be continued in lanes and the standard library does not have
	// the algorithm.
	onlyLanes bool
	// hasPeers is set if the latest search found peers.
	hasPeers atomic.Bool
	// untilProbe is the number of bytes to hash before the next search for peers, and probeInterval
	// the one after that.
	untilProbe, probeInterval atomic.Int64
	// searches counts the searches for peers.
	searches atomic.Uint32

	mutex sync.Mutex
	// queue holds the waiting jobs.
	queue queue
	// sleepers are the owners of waiting jobs that sleep until a slot in C is free.
	sleepers queue
	// out is the number of jobs being hashed, and rounds the number of rounds in progress.
	out, rounds int
	// busy is the average number of messages that are being hashed or waiting. others is the average
	// number of rounds in progress when another one begins.
	busy, others float64
	// finished is the number of completed rounds.
	finished uint32
	// lonely is the number of rounds since the last one with more than one job.
	lonely uint32
}

// A job is what a hasher wants hashed: consecutive spans of complete blocks. It belongs to the
// hasher's goroutine, except while it is in the queue or in a round.
type job struct {
	spans [2][]byte
	// If sum is set, the second span is padding, and state receives the final state. The hasher's own
	// state does not include the padding.
	state state
	sum   bool
	// release is set if the hasher does not need its buffer once the job is done.
	release bool
	stage   stage
	asleep  bool
	started bool
	wake    chan struct{}
}

type stage uint8

const (
	done stage = iota
	waiting
	taken
)

// quantum limits the bytes of a job that are hashed in a round with other jobs, so that these do
// not wait for it.
const quantum = 256 << 10

// After maxLonely rounds with a single job, messages are hashed by the standard library. The limit
// is above 1 because other goroutines may be running and about to write.
const maxLonely = 4

var servers [len(all)]struct {
	once sync.Once
	server
}

// serverOf returns the algorithm's only server in this process.
func serverOf(a Algorithm) *server {
	p := a.properties()
	entry := &servers[a]
	entry.once.Do(func() {
		s := &entry.server
		s.algorithm, s.properties, s.block = a, p, p.blockSize
		s.limit.Store(int32(runtime.GOMAXPROCS(0)))
		if p.words > 0 {
			s.initial, s.lanes = initialState(a), min(lanes(a), maxInBatch)
			s.onlyLanes = standard(a) == nil
		}
	})
	return &entry.server
}

// enter takes a slot in C if one is free. Each success must be followed by a call of leave.
func (s *server) enter() bool {
	if s.running.Add(1) <= s.limit.Load() {
		return true
	}
	s.running.Add(-1)
	return false
}

// leave frees the slot and wakes a goroutine that waits for one.
func (s *server) leave() {
	s.running.Add(-1)
	if s.sleeping.Load() > 0 {
		s.mutex.Lock()
		s.wakeSleeper()
		s.mutex.Unlock()
	}
}

// wakeSleeper wakes the first sleeper whose job still waits. The mutex must be held.
func (s *server) wakeSleeper() {
	for {
		h := s.sleepers.pop()
		if h == nil {
			return
		}
		s.sleeping.Add(-1)
		if h.job.stage == waiting && h.job.asleep {
			h.job.asleep = false
			h.job.wake <- struct{}{}
			return
		}
	}
}

// hash hashes the job of h, by itself or together with others. If that fails or panics, h and all
// other hashers in the same round reject further calls.
func (s *server) hash(h *Hasher) {
	if !s.hasPeers.Load() && !s.mayLook(h) && s.enter() {
		defer s.leave()
		hashJobs(s.algorithm, []*Hasher{h})
		return
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	h.job.stage, h.job.started = waiting, false
	s.queue.push(h)
	if s.queue.count < s.lanes {
		// Goroutines that are ready to run may add their jobs, or hash this one.
		s.mutex.Unlock()
		runtime.Gosched()
		s.mutex.Lock()
	}
	for h.job.stage != done {
		if h.job.stage == waiting && s.enter() {
			s.lead(h)
		} else {
			s.sleep(h)
		}
	}
}

// sleep waits until the job is done, or until a slot in C may be free. The mutex must be held; it
// is released while waiting.
func (s *server) sleep(h *Hasher) {
	if h.job.wake == nil {
		h.job.wake = make(chan struct{}, 1)
	}
	h.job.asleep = true
	if h.job.stage == waiting {
		s.sleepers.push(h)
		s.sleeping.Add(1)
		// A goroutine that left before this did not see the sleeper.
		if s.running.Load() < s.limit.Load() {
			s.wakeSleeper()
		}
	}
	s.mutex.Unlock()
	<-h.job.wake
	s.mutex.Lock()
}

// lead runs a round with the job of h and a share of the waiting jobs. The mutex must be held; it
// is released while hashing. The caller has entered. lead leaves, even after a panic.
func (s *server) lead(h *Hasher) {
	var jobs [maxInBatch]*Hasher
	count := s.take(h, &jobs)
	s.judge(h, count)
	defer s.finish(jobs[:count])
	s.mutex.Unlock()
	defer s.mutex.Lock()
	hashJobs(s.algorithm, jobs[:count])
}

// finish returns the jobs of a round to their owners, and leaves. The mutex must be held.
func (s *server) finish(jobs []*Hasher) {
	s.out -= len(jobs)
	s.rounds--
	for _, h := range jobs {
		s.put(h)
	}
	if s.finished++; s.finished%256 == 0 {
		s.limit.Store(int32(runtime.GOMAXPROCS(0)))
	}
	s.running.Add(-1)
	if s.sleeping.Load() > 0 {
		s.wakeSleeper()
	}
}

// take takes a share of the waiting jobs, including that of h.
func (s *server) take(h *Hasher, jobs *[maxInBatch]*Hasher) int {
	share := s.share()
	jobs[0] = h
	h.job.stage = taken
	s.queue.remove(h)
	count := 1
	for count < share {
		next := s.queue.pop()
		next.job.stage = taken
		jobs[count] = next
		count++
	}
	s.out += count
	s.rounds++
	return count
}

// share returns how many jobs to hash together. It leaves a share to the other cores, and avoids
// counts that would fill the lanes badly. It also updates the averages that it uses.
func (s *server) share() int {
	available := s.queue.count
	now := float64(available + s.out)
	// A goroutine that is about to write is not counted, so the average falls slowly.
	s.busy = max(now, s.busy+(now-s.busy)/16)
	// Measured, because other processes may use some of the system's cores.
	s.others += (float64(s.rounds) - s.others) / 16
	// Kernels have a power of two of lanes, and a round with fewer messages takes just as long.
	full := 1
	for float64(2*full) <= s.busy/(1+s.others)*4/3 {
		full *= 2
	}
	full = min(full, s.lanes)
	if full > 16 && available <= full*3/4 {
		// A kernel with half the lanes is faster.
		full /= 2
	}
	return min(full, available)
}

// judge records whether the round has more than one job.
func (s *server) judge(h *Hasher, count int) {
	if h.job.started {
		return
	}
	h.job.started = true
	if count > 1 {
		s.probeInterval.Store(minProbeInterval)
		s.hasPeers.Store(true)
		s.lonely = 0
		return
	}
	// Goroutines that have a core each gain nothing from sharing lanes.
	if s.busy <= s.others+1.5 {
		if s.lonely++; s.lonely%maxLonely == 0 {
			s.delaySearch()
		}
	}
}

// mayLook reports whether it is time to look for peers in a round, and counts the job's bytes. Only
// algorithms that the standard library lacks are hashed singly in C.
func (s *server) mayLook(h *Hasher) bool {
	bytes := len(h.job.spans[0]) + len(h.job.spans[1])
	return s.onlyLanes && s.untilProbe.Add(-int64(bytes)) <= 0
}

// put returns a job after a round: to its owner if it is done or lost, otherwise to the queue.
func (s *server) put(h *Hasher) {
	if h.refusal == nil && h.job.next() < len(h.job.spans) {
		h.job.stage = waiting
		s.queue.push(h)
		if h.job.asleep {
			s.sleepers.push(h)
			s.sleeping.Add(1)
		}
		return
	}
	h.job.spans = [2][]byte{}
	if h.job.release {
		h.giveBuffer()
	}
	h.job.stage = done
	if h.job.asleep {
		h.job.asleep = false
		h.job.wake <- struct{}{}
	}
}
