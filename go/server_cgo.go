//go:build cgo && !purego

package hashlanes

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// A server lets the hashers of an algorithm share lanes. It has no goroutine of its own: who needs
// a digest, or room in a full buffer, puts the job in the queue, lets other goroutines run once,
// and then hashes a share of what has come. Goroutines wait in Go's scheduler and never in C, and
// no more of them are in C at a time than run Go code.
type server struct {
	algorithm Algorithm
	*properties
	initial state
	// block is the bytes of a block.
	block int
	// lanes is how many messages are best hashed together, at most.
	lanes int

	// limit is GOMAXPROCS, read from time to time; running are the goroutines in C.
	limit, running atomic.Int32
	// sleeping counts sleepers.
	sleeping atomic.Int32
	// onlyLanes says that the standard library has no such algorithm.
	onlyLanes bool
	// company tells whether there was any when it was looked for the last time.
	company atomic.Bool
	// alone is how many bytes may be hashed alone before company is looked for again; patience is
	// how many that will be the next time.
	alone, patience atomic.Int64
	// looking counts those who looked for company.
	looking atomic.Uint32

	mutex sync.Mutex
	// queue has the jobs that wait.
	queue queue
	// sleepers are the owners of waiting jobs that sleep until a place in C is free.
	sleepers queue
	// out is the jobs that are being hashed, and rounds those in which they are.
	out, rounds int
	// busy is how many messages are hashed or wait, and others how many rounds are under way when
	// another one begins: both on average.
	busy, others float64
	// led is the rounds that there were.
	led uint32
	// vain is the rounds since there was company.
	vain uint32
}

// A job is what a hasher wants hashed: spans of whole blocks, one after the other. It belongs to
// the hasher's goroutine, but while it is in the queue or in a round it belongs to the server.
type job struct {
	spans [2][]byte
	// state is that of the sum, if there is one: the second span is padding then, which leaves the
	// hasher's state as it is.
	state state
	sum   bool
	// release says that the hasher does not need its buffer when the job is done.
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

// A job has no more bytes hashed in a round than this, so that others do not wait for it, if there
// are others.
const quantum = 256 << 10

// mostVain is how many rounds without company there are before messages are hashed alone. Others
// may be awake and about to write.
const mostVain = 4

var servers [len(all)]struct {
	once sync.Once
	server
}

// serverOf is the one server of the algorithm in this process.
func serverOf(a Algorithm) *server {
	p := a.properties()
	entry := &servers[a]
	entry.once.Do(func() {
		s := &entry.server
		s.algorithm, s.properties, s.block = a, p, p.blockSize
		s.initial, s.lanes = initialState(a), min(lanes(a), mostInBatch)
		s.limit.Store(int32(runtime.GOMAXPROCS(0)))
		s.onlyLanes = standard(a) == nil
	})
	return &entry.server
}

// enter takes a place in C, if one is free. Who has one must leave.
func (s *server) enter() bool {
	if s.running.Add(1) <= s.limit.Load() {
		return true
	}
	s.running.Add(-1)
	return false
}

// leave gives the place back, and wakes somebody who waits for one.
func (s *server) leave() {
	s.running.Add(-1)
	if s.sleeping.Load() > 0 {
		s.mutex.Lock()
		s.wakeSleeper()
		s.mutex.Unlock()
	}
}

// wakeSleeper wakes the first owner that sleeps and whose job still waits. The mutex is held.
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

// hash hashes the job of h, alone or together with others. If that fails or panics, h refuses to go
// on, and so do the others whose jobs were in the same round.
func (s *server) hash(h *Hasher) {
	if !s.company.Load() && !s.mayLook(h) && s.enter() {
		defer s.leave()
		hashJobs(s.algorithm, []*Hasher{h})
		return
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	h.job.stage, h.job.started = waiting, false
	s.queue.push(h)
	if s.queue.count < s.lanes {
		// Those who can run now may bring their jobs, or take this one along.
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

// sleep waits until the job is done, or until a place in C may be free. The mutex is held, but not
// meanwhile.
func (s *server) sleep(h *Hasher) {
	if h.job.wake == nil {
		h.job.wake = make(chan struct{}, 1)
	}
	h.job.asleep = true
	if h.job.stage == waiting {
		s.sleepers.push(h)
		s.sleeping.Add(1)
		// Who left before this did not see it.
		if s.running.Load() < s.limit.Load() {
			s.wakeSleeper()
		}
	}
	s.mutex.Unlock()
	<-h.job.wake
	s.mutex.Lock()
}

// lead runs a round of the job of h and a share of those that wait. The mutex is held, but not
// while it hashes. The caller has entered, and this leaves, even by a panic.
func (s *server) lead(h *Hasher) {
	var jobs [mostInBatch]*Hasher
	count := s.take(h, &jobs)
	s.judge(h, count)
	defer s.finish(jobs[:count])
	s.mutex.Unlock()
	defer s.mutex.Lock()
	hashJobs(s.algorithm, jobs[:count])
}

// finish hands the jobs of a round back, and leaves. The mutex is held.
func (s *server) finish(jobs []*Hasher) {
	s.out -= len(jobs)
	s.rounds--
	for _, h := range jobs {
		s.put(h)
	}
	if s.led++; s.led%256 == 0 {
		s.limit.Store(int32(runtime.GOMAXPROCS(0)))
	}
	s.running.Add(-1)
	if s.sleeping.Load() > 0 {
		s.wakeSleeper()
	}
}

// take takes a share of the jobs that wait, that of h among them.
func (s *server) take(h *Hasher, jobs *[mostInBatch]*Hasher) int {
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

// share is how many jobs to hash together: as many as leave the other cores theirs, but no number
// that takes the lanes badly. It also measures what it goes by.
func (s *server) share() int {
	available := s.queue.count
	now := float64(available + s.out)
	// Whoever just writes is seen nowhere. So the number falls slowly.
	s.busy = max(now, s.busy+(now-s.busy)/16)
	// What the system says of its cores is not enough: others may use them.
	s.others += (float64(s.rounds) - s.others) / 16
	// The kernels have a power of two of lanes, and a round takes as long with fewer messages.
	full := 1
	for float64(2*full) <= s.busy/(1+s.others)*4/3 {
		full *= 2
	}
	full = min(full, s.lanes)
	if full > 16 && available <= full*3/4 {
		// Half of the lanes are faster.
		full /= 2
	}
	return min(full, available)
}

// judge takes note of whether there was company.
func (s *server) judge(h *Hasher, count int) {
	if h.job.started {
		return
	}
	h.job.started = true
	if count > 1 {
		s.patience.Store(leastPatience)
		s.company.Store(true)
		s.vain = 0
		return
	}
	// Those who have a core each gain nothing by company.
	if s.busy <= s.others+1.5 {
		if s.vain++; s.vain%mostVain == 0 {
			s.leaveAlone()
		}
	}
}

// mayLook tells whether it is time to look for company in a round, and takes note of the job's
// bytes. Only algorithms that the standard library does not have are hashed alone in C.
func (s *server) mayLook(h *Hasher) bool {
	bytes := len(h.job.spans[0]) + len(h.job.spans[1])
	return s.onlyLanes && s.alone.Add(-int64(bytes)) <= 0
}

// put hands a job back after a round: to its owner if it is done or lost, or to the queue.
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
