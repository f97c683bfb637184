package hashlanes

// A round hashes jobs side by side.
type round struct {
	jobs []*Hasher
	// most is how many bytes of each job are hashed, a multiple of all block sizes, so that no job
	// waits long for another. The rest stays for another round.
	most int
	// hashed is the number of bytes of each job that have been hashed, and span the bytes in progress.
	hashed, span []int
}

// hashJobs hashes jobs that have been taken.
func hashJobs(p *properties, jobs []*Hasher) {
	if len(jobs) == 1 {
		jobs[0].hashSingle()
		return
	}
	r := round{jobs: jobs, most: limitOf(jobs)}
	var hashed, span [maxRound]int
	r.hashed, r.span = hashed[:len(jobs)], span[:len(jobs)]
	g := newGroup(p)
	defer g.end()
	g.hash(&r, 0, len(jobs))
}

// begin implements source.
func (r *round) begin(g *group, l, id int) {
	h := r.jobs[id]
	i := h.job.next()
	g.load(l, h.spanState(i).words[:g.words])
	span := h.job.spans[i]
	span = span[:min(len(span), r.most-r.hashed[id])]
	r.span[id] = len(span)
	g.put(l, span)
}

// next implements source.
func (r *round) next(g *group, l, id int) bool {
	h, n := r.jobs[id], r.span[id]
	i := h.job.next()
	s := &h.state
	if i == 1 && h.job.sum {
		s = &h.job.state
	}
	for w := range g.words {
		s.words[w] = g.word(l, w)
	}
	h.job.spans[i] = h.job.spans[i][n:]
	r.hashed[id] += n
	if r.hashed[id] == r.most || h.job.next() == len(h.job.spans) {
		return false
	}
	r.begin(g, l, id)
	return true
}

// hashSingle hashes the whole job with the best code for a single message.
func (h *Hasher) hashSingle() {
	for i := range h.job.spans {
		if len(h.job.spans[i]) > 0 {
			h.server.compress(h.spanState(i), h.job.spans[i])
			h.job.spans[i] = nil
		}
	}
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

// limitOf returns the maximum number of bytes per job to hash at once, a multiple of all block
// sizes.
func limitOf(jobs []*Hasher) int {
	shortest := quantum
	for _, h := range jobs {
		shortest = min(shortest, len(h.job.spans[0])+len(h.job.spans[1]))
	}
	return min(max(2*shortest&^127, 16<<10), quantum)
}
