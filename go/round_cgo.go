//go:build cgo && !purego && (hashlanes_system || (linux && (amd64 || arm64)))

package hashlanes

import "errors"

var errPanicked = errors.New("hashlanes: a panic interrupted hashing; reset the hasher")

// hashJobs hashes jobs that have been taken. They are marked as lost until it succeeds: if it fails
// or panics, their hashers reject further calls.
func hashJobs(a Algorithm, jobs []*Hasher) {
	lose(jobs, errPanicked)
	if len(jobs) == 1 {
		lose(jobs, jobs[0].hashSingle())
	} else {
		lose(jobs, hashRound(a, jobs))
	}
}

// lose makes hashers reject further calls with the given error. With nil they accept calls again.
func lose(jobs []*Hasher, reason error) {
	for _, h := range jobs {
		h.refusal = reason
	}
}

// hashSingle hashes the whole job with the best code for a single message.
func (h *Hasher) hashSingle() error {
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

// spanState returns the state that a span continues. The padding of a sum starts from a copy of the
// hasher's state.
func (h *Hasher) spanState(i int) *state {
	if i == 1 && h.job.sum {
		h.job.state = h.state
		return &h.job.state
	}
	return &h.state
}

// next returns the index of the first non-empty span, or 2.
func (j *job) next() int {
	for i := range j.spans {
		if len(j.spans[i]) > 0 {
			return i
		}
	}
	return len(j.spans)
}

// hashRound hashes the next span of every job, and then once more what follows. It limits each job
// to about the length of the shortest one; the rest stays for another round.
func hashRound(a Algorithm, jobs []*Hasher) error {
	b, err := takeBatch()
	if err != nil {
		return err
	}
	defer b.giveBack()
	for range 2 {
		most := limitOf(jobs)
		var in [maxInBatch]struct {
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

// limitOf returns the maximum number of bytes per job to hash at once, a multiple of all block
// sizes.
func limitOf(jobs []*Hasher) int {
	shortest := quantum
	for _, h := range jobs {
		if i := h.job.next(); i < len(h.job.spans) {
			shortest = min(shortest, len(h.job.spans[i]))
		}
	}
	return min(max(2*shortest&^127, 16<<10), quantum)
}
