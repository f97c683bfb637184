package hashlanes

import (
	"runtime"
	"sync"
	"sync/atomic"

	"hashlanes/internal/kernels"
)

// A server lets the hashers of an algorithm share lanes. It has no goroutine of its own. A
// goroutine that needs a digest, or room in a full buffer, queues its job. The first one gathers
// the jobs of others, and then hashes a share of the queue.
type server struct {
	algorithm Algorithm
	*properties
	initial state
	// block is the number of bytes in a block.
	block int
	// lanes is the maximum number of messages that are worth hashing together.
	lanes int

	// usesLanes is set if messages can be in lanes, and onlyLanes if they always are, because the
	// standard library does not have the algorithm.
	usesLanes, onlyLanes bool
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
	// gatherer waits for more jobs, or is nil. Others sleep meanwhile.
	gatherer *Hasher
	// out is the number of jobs being hashed, and rounds the number of rounds in progress.
	out, rounds int
	// busy is the average number of messages that are being hashed or waiting. others is the average
	// number of rounds in progress when another one begins.
	busy, others float64
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

// maxRound is the most jobs of a round: those of all lanes.
const maxRound = maxLanes

// quantum limits the bytes of a job that are hashed in a round with other jobs, so that these do
// not wait for it.
const quantum = 256 << 10

// patience is how often a goroutine lets others run that add no jobs: each time takes 200 ns.
const patience = 20

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
		if p.words > 0 {
			s.initial, s.lanes = p.initialState(), max(1, p.family.Choice().Lanes())
			s.onlyLanes = standard(a) == nil
			s.usesLanes = s.onlyLanes || s.lanes > 1
		}
	})
	return &entry.server
}

// hash hashes the job of h, by itself or together with others.
func (s *server) hash(h *Hasher) {
	if !s.hasPeers.Load() && !s.mayLook(h) {
		h.hashSingle()
		return
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	h.job.stage, h.job.started = waiting, false
	s.queue.push(h)
	for h.job.stage != done {
		if h.job.stage == waiting && s.queue.count < s.lanes && s.gatherer == nil {
			s.gather(h)
		}
		if h.job.stage == waiting && (s.queue.count >= s.lanes || s.gatherer == nil) {
			s.lead(h)
		} else if h.job.stage != done {
			s.sleep(h)
		}
	}
}

// gather lets other goroutines run, which may add jobs or take that of h. It does so as long as
// jobs come, if one round of all is best. The mutex must be held; it is released while waiting.
func (s *server) gather(h *Hasher) {
	waits, held := s.isOneRound(int(s.busy), 2), false
	if waits {
		s.gatherer = h
	}
	for vain := 0; vain < patience && h.job.stage == waiting && s.queue.count < s.lanes; {
		here, all := s.queue.count, s.queue.count+s.out
		// A round of one job hashes all of it, which may take long. The others hash a quantum each.
		if waits && !held && s.out > s.rounds && s.isOneRound(all, s.rounds+1) {
			// Until the round in progress ends.
			held = true
			s.sleep(h)
			continue
		}
		if (vain > 0 || h.job.started) && (!waits || float64(all) >= s.busy*3/4) {
			break
		}
		s.mutex.Unlock()
		runtime.Gosched()
		s.mutex.Lock()
		if vain++; s.queue.count > here {
			vain = 1
		}
	}
	if s.gatherer == h {
		s.gatherer = nil
	}
}

// isOneRound reports whether one round of these jobs takes no longer than several with a part each
// that are hashed at the same time.
func (s *server) isOneRound(jobs, rounds int) bool {
	choice := s.family.Choice()
	return jobs <= s.lanes && choice.Cost(jobs) <= choice.Cost((jobs+rounds-1)/rounds)
}

// sleep waits until the job, which another goroutine has taken, is done or waits again. The mutex
// must be held; it is released while waiting.
func (s *server) sleep(h *Hasher) {
	if h.job.wake == nil {
		h.job.wake = make(chan struct{}, 1)
	}
	h.job.asleep = true
	s.mutex.Unlock()
	<-h.job.wake
	s.mutex.Lock()
}

// lead runs a round with the job of h and a share of the waiting jobs. The mutex must be held; it
// is released while hashing.
func (s *server) lead(h *Hasher) {
	var jobs [maxRound]*Hasher
	count := s.take(h, &jobs)
	s.judge(h, count)
	if s.queue.count > 0 {
		s.wakeOne()
	}
	s.mutex.Unlock()
	hashJobs(s.properties, jobs[:count])
	s.mutex.Lock()
	s.out -= count
	s.rounds--
	for _, job := range jobs[:count] {
		s.put(job)
	}
	if h.job.stage == done || s.gatherer != nil {
		s.wakeOne()
	}
}

// wakeOne wakes the goroutine that gathers jobs, or else the owner of the first job that waits, if
// it sleeps. Other owners that wait need not be woken, as this one's round will.
func (s *server) wakeOne() {
	if h := s.gatherer; h != nil {
		if h.job.asleep {
			h.wakeUp()
		}
		return
	}
	for i := s.queue.first; i != s.queue.next; i++ {
		if h := s.queue.ring[i&(len(s.queue.ring)-1)]; h != nil {
			if h.job.asleep {
				h.wakeUp()
			}
			return
		}
	}
}

func (h *Hasher) wakeUp() {
	h.job.asleep = false
	h.job.wake <- struct{}{}
}

// take takes a share of the waiting jobs, including that of h.
func (s *server) take(h *Hasher, jobs *[maxRound]*Hasher) int {
	share := s.share()
	jobs[0] = h
	h.job.stage = taken
	s.queue.remove(h)
	count := 1
	for count < share {
		next := s.queue.pop()
		next.job.stage = taken
		if s.gatherer == next {
			s.gatherer = nil
		}
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
	s.others += (float64(s.rounds) - s.others) / kernels.Looks
	// Kernels have a power of two of lanes, and a round with fewer messages takes just as long.
	full := 1
	for float64(2*full) <= s.busy/(1+s.others)*4/3 {
		full *= 2
	}
	full = min(full, s.lanes)
	// One round of all is better than two of a half at the same time that take as long.
	for full < s.lanes && s.isOneRound(2*full, 2) {
		full *= 2
	}
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
		if s.lonely++; s.lonely%kernels.Lonely == 0 {
			s.delaySearch()
		}
	}
}

// mayLook reports whether it is time to look for peers in a round, and counts the job's bytes. Only
// algorithms that the standard library lacks are hashed singly here.
func (s *server) mayLook(h *Hasher) bool {
	bytes := len(h.job.spans[0]) + len(h.job.spans[1])
	return s.onlyLanes && s.untilProbe.Add(-int64(bytes)) <= 0
}

// put returns a job after a round: to its owner if it is done, otherwise to the queue.
func (s *server) put(h *Hasher) {
	if h.job.next() < len(h.job.spans) {
		h.job.stage = waiting
		s.queue.push(h)
	} else {
		h.job.spans = [2][]byte{}
		if h.job.release {
			h.giveBuffer()
		}
		h.job.stage = done
		if h.job.asleep {
			h.wakeUp()
		}
	}
}
