package hashlanes

// A queue holds hashers in order of arrival. Removing one from the middle leaves a gap.
type queue struct {
	ring        []*Hasher
	first, next int
	// count is the number of hashers, not counting gaps.
	count int
}

// push appends a hasher.
func (q *queue) push(h *Hasher) {
	if q.next-q.first == len(q.ring) {
		q.grow()
	}
	q.ring[q.next&(len(q.ring)-1)] = h
	q.next++
	q.count++
}

// grow closes the gaps, and doubles the ring if more than half of it is in use.
func (q *queue) grow() {
	size := max(16, len(q.ring))
	if q.count > size/2 {
		size *= 2
	}
	ring := make([]*Hasher, 0, size)
	for ; q.first != q.next; q.first++ {
		if h := q.ring[q.first&(len(q.ring)-1)]; h != nil {
			ring = append(ring, h)
		}
	}
	q.first, q.next, q.ring = 0, len(ring), ring[:size]
}

// pop removes the first hasher, or returns nil if there is none.
func (q *queue) pop() *Hasher {
	for q.first != q.next {
		place := &q.ring[q.first&(len(q.ring)-1)]
		q.first++
		if h := *place; h != nil {
			*place = nil
			q.count--
			return h
		}
	}
	return nil
}

// remove removes a hasher. It searches from the front, where those that have waited longest are.
func (q *queue) remove(h *Hasher) {
	for i := q.first; i != q.next; i++ {
		place := &q.ring[i&(len(q.ring)-1)]
		if *place == h {
			*place = nil
			q.count--
			return
		}
	}
}
