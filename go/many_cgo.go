//go:build cgo && !purego

package hashlanes

// digestMany writes the digests of messages, one after the other.
func digestMany(a Algorithm, messages [][]byte, digests []byte) {
	size := a.Size()
	for len(messages) > 0 {
		count := min(len(messages), mostInBatch)
		digestBatch(a, messages[:count], digests[:count*size])
		messages, digests = messages[count:], digests[count*size:]
	}
}

// digestBatch is digestMany for no more messages than go into a batch.
func digestBatch(a Algorithm, messages [][]byte, digests []byte) {
	b, err := takeBatch()
	check(err)
	defer b.giveBack()
	for _, message := range messages {
		b.point(message)
	}
	serverOf(a).inC(func() error { return b.digest(a, digests) })
}

// digestChunks writes the digests of the chunks of data, which has at least one byte.
func digestChunks(a Algorithm, data []byte, chunk int, digests []byte) {
	serverOf(a).inC(func() error { return callDigestChunks(a, data, chunk, digests) })
}

// inC calls C in one of the places that there are, and waits for one if need be. It panics if the
// call fails.
func (s *server) inC(call func() error) {
	if !s.enter() {
		s.mutex.Lock()
		h := &Hasher{server: s, lanePart: new(lanePart)}
		h.job.stage = waiting
		for !s.enter() {
			s.sleep(h)
		}
		s.mutex.Unlock()
	}
	defer s.leave()
	check(call())
}
