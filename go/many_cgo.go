//go:build cgo && !purego

package hashlanes

// digestMany writes the digests of messages, one after the other.
func digestMany(a Algorithm, messages [][]byte, digests []byte) {
	size := a.Size()
	for len(messages) > 0 {
		count := min(len(messages), mostInBatch)
		b := takeBatch()
		for _, message := range messages[:count] {
			b.point(message)
		}
		serverOf(a).inC(func() { b.digest(a, digests[:count*size]) })
		b.giveBack()
		messages, digests = messages[count:], digests[count*size:]
	}
}

// digestChunks writes the digests of the chunks of data, which has at least one byte.
func digestChunks(a Algorithm, data []byte, chunk int, digests []byte) {
	serverOf(a).inC(func() { callDigestChunks(a, data, chunk, digests) })
}

// inC calls C in one of the places that there are, and waits for one if need be.
func (s *server) inC(call func()) {
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
	call()
}
