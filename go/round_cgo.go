//go:build cgo && !purego

package hashlanes

import "errors"

var errPanicked = errors.New("hashlanes: a panic while hashing this message: reset the hasher")

// hashJobs hashes jobs that have been taken. Until that has come to its end they are lost: if it
// fails or panics, their hashers refuse to go on.
func hashJobs(a Algorithm, jobs []*Hasher) {
	lose(jobs, errPanicked)
	if len(jobs) == 1 {
		lose(jobs, jobs[0].hashAlone())
	} else {
		lose(jobs, hashRound(a, jobs))
	}
}

// lose has hashers refuse to go on, for a reason. Without one they do not.
func lose(jobs []*Hasher, reason error) {
	for _, h := range jobs {
		h.refusal = reason
	}
}

// hashAlone hashes the job to its end, in the best code for one message.
func (h *Hasher) hashAlone() error {
	for i := range h.job.spans {
		if len(h.job.spans[i]) == 0 {
			continue
		}
		if err := compress(h.server.algorithm, h.spanState(i), h.job.spans[i]); err != nil {
			return err
		}
		h.job.spans[i] = nil
	}
	return nil
}

// spanState is the state that a span continues. That of a sum begins as the hasher's.
func (h *Hasher) spanState(i int) *state {
	if i == 1 && h.job.sum {
		h.job.state = h.state
		return &h.job.state
	}
	return &h.state
}

// next is the number of the first span with bytes, or 2.
func (j *job) next() int {
	for i := range j.spans {
		if len(j.spans[i]) > 0 {
			return i
		}
	}
	return len(j.spans)
}

// hashRound hashes the next span of every job, and then what comes after it if there is anything.
// No job gets much more than the shortest one: what is left of it stays for another round.
func hashRound(a Algorithm, jobs []*Hasher) error {
	b, err := takeBatch()
	if err != nil {
		return err
	}
	defer b.giveBack()
	for range 2 {
		most := limitOf(jobs)
		var in [mostInBatch]struct {
			h    *Hasher
			span int
		}
		for _, h := range jobs {
			i := h.job.next()
			if i == len(h.job.spans) {
				continue
			}
			span := h.job.spans[i]
			span = span[:min(len(span), most)]
			in[b.count].h, in[b.count].span = h, i
			b.add(h.spanState(i), span)
			h.job.spans[i] = h.job.spans[i][len(span):]
		}
		if b.count == 0 {
			break
		}
		if err := b.compress(a); err != nil {
			return err
		}
		for i := range b.count {
			h, span := in[i].h, in[i].span
			if span == 1 && h.job.sum {
				h.job.state = *b.state(i)
			} else {
				h.state = *b.state(i)
			}
		}
		b.clear()
	}
	return nil
}

// limitOf is how many bytes a job gets hashed at once. It is a multiple of all block sizes.
func limitOf(jobs []*Hasher) int {
	shortest := quantum
	for _, h := range jobs {
		if i := h.job.next(); i < len(h.job.spans) {
			shortest = min(shortest, len(h.job.spans[i]))
		}
	}
	return min(max(2*shortest&^127, 16<<10), quantum)
}
