//go:build cgo && !purego && (hashlanes_system || (linux && (amd64 || arm64)))

package hashlanes

// digestMany writes the concatenated digests of messages.
func digestMany(a Algorithm, messages [][]byte, digests []byte) {
	size := a.Size()
	for len(messages) > 0 {
		count := min(len(messages), maxInBatch)
		digestBatch(a, messages[:count], digests[:count*size])
		messages, digests = messages[count:], digests[count*size:]
	}
}

// digestBatch is digestMany for at most maxInBatch messages.
func digestBatch(a Algorithm, messages [][]byte, digests []byte) {
	b, err := takeBatch()
	check(err)
	defer b.giveBack()
	for _, message := range messages {
		b.point(message)
	}
	serverOf(a).inC(func() error { return b.digest(a, digests) })
}

// digestChunks writes the digests of the chunks of data, which must not be empty.
func digestChunks(a Algorithm, data []byte, chunk int, digests []byte) {
	serverOf(a).inC(func() error { return callDigestChunks(a, data, chunk, digests) })
}

// inC calls C, after waiting for a free slot if necessary. It panics if the call fails.
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
