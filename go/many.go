package hashlanes

// flat allocates count digests of size bytes in one block of memory, with a slice for each.
func flat(count, size int) (digests []byte, each [][]byte) {
	digests, each = make([]byte, count*size), make([][]byte, count)
	for i := range each {
		each[i] = digests[i*size:][:size:size]
	}
	return digests, each
}

// DigestMany returns the digests of messages, in order. They are hashed side by side on one core.
func DigestMany(a Algorithm, messages [][]byte) [][]byte {
	digests, each := flat(len(messages), a.Size())
	digestMany(a, messages, digests)
	return each
}

// DigestChunks returns the digests of the consecutive chunks of data, such as Merkle leaves, pieces
// or parts. Each has chunk bytes, except that the last may be shorter. Empty data has no chunks. It
// panics if chunk is not positive.
func DigestChunks(a Algorithm, data []byte, chunk int) [][]byte {
	if chunk <= 0 {
		panic("hashlanes: the chunk size must be positive")
	}
	count := len(data) / chunk
	if len(data)%chunk > 0 {
		count++
	}
	digests, each := flat(count, a.Size())
	if count > 0 {
		digestChunks(a, data, chunk, digests)
	}
	return each
}

// Sum returns the digest of one message.
func Sum(a Algorithm, message []byte) []byte {
	a.properties()
	h := standard(a)
	if h == nil {
		return DigestMany(a, [][]byte{message})[0]
	}
	h.Write(message)
	return h.Sum(make([]byte, 0, a.Size()))
}
