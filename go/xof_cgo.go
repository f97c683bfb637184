//go:build cgo && !purego && (hashlanes_system || (linux && (amd64 || arm64)))

package hashlanes

// #cgo noescape xof_many_of_bytes
// #cgo nocallback xof_many_of_bytes
// #include <hashlanes.h>
//
// // A wrapper with byte pointers, as those in engine_cgo.go.
// static inline hashlanes_error xof_many_of_bytes(hashlanes_xof xof, const unsigned char *key,
//         size_t key_length, const unsigned char *customization, size_t customization_length,
//         const unsigned char *name, size_t name_length, uint32_t domain,
//         const void *const *messages, const size_t *lengths, size_t count,
//         unsigned char *outputs, size_t output_length, size_t size) {
//     const hashlanes_xof_params params = {
//         key, key_length, customization, customization_length, name, name_length, domain,
//     };
//     return hashlanes_xof_many(xof, &params, messages, lengths, count, outputs, output_length,
//                               size);
// }
import "C"

import "unsafe"

// xofMany writes the concatenated outputs for messages. The parameters are checked.
func xofMany(x XOF, params *XOFParams, messages [][]byte, outputs []byte, size int) error {
	// Its slots are shared with the function of fixed length.
	s := serverOf(SHAKE128)
	if x == XOFBLAKE3 {
		s = serverOf(BLAKE3)
	}
	for len(messages) > 0 {
		count := min(len(messages), maxInBatch)
		if err := xofBatch(s, x, params, messages[:count], outputs[:count*size], size); err != nil {
			return err
		}
		messages, outputs = messages[count:], outputs[count*size:]
	}
	return nil
}

// xofBatch is xofMany for at most maxInBatch messages.
func xofBatch(s *server, x XOF, p *XOFParams, messages [][]byte, outputs []byte, size int) error {
	b, err := takeBatch()
	if err != nil {
		return err
	}
	defer b.giveBack()
	for _, message := range messages {
		b.point(message)
	}
	s.inC(func() error {
		if err = beforeCall(); err == nil {
			err = b.outputs(x, p, outputs, size)
		}
		return nil
	})
	return err
}

// outputs writes the outputs for the batch's messages.
func (b *batch) outputs(x XOF, p *XOFParams, outputs []byte, size int) error {
	start := func(bytes []byte) *C.uchar { return (*C.uchar)(unsafe.SliceData(bytes)) }
	return refusal(C.xof_many_of_bytes(C.hashlanes_xof(x), start(p.Key), C.size_t(len(p.Key)),
		start(p.Customization), C.size_t(len(p.Customization)), start(p.FunctionName),
		C.size_t(len(p.FunctionName)), C.uint32_t(p.Domain), &b.c.blocks[0], &b.c.lengths[0],
		C.size_t(b.count), start(outputs), C.size_t(size), C.size_t(len(outputs))))
}
