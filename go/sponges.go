package hashlanes

import (
	"bytes"
	"encoding/binary"

	"hashlanes/internal/kernels"
)

// outputs writes the outputs of a function with these parameters, which are checked.
func (p *XOFParams) outputs(x XOF, list *messageList, count int) {
	switch x {
	case XOFSHAKE128, XOFSHAKE256:
		list.hash(p.shake(x), count)
	case XOFTurboSHAKE128, XOFTurboSHAKE256:
		domain := p.Domain
		if domain == 0 {
			domain = 0x1f
		}
		list.hash(turboSHAKE(x == XOFTurboSHAKE256, domain), count)
	case XOFKT128, XOFKT256:
		list.kangaroo(x == XOFKT256, p.Customization, count)
	default:
		key, mode := p.Key, uint64(keyedHash)
		if p.Customization != nil {
			context := newBLAKE3(nil, deriveKeyContext)
			context.write(p.Customization)
			key, mode = make([]byte, 32), deriveKeyMaterial
			context.root().output(key)
		} else if key == nil {
			mode = 0
		}
		for id := range count {
			tree := newBLAKE3(key, mode)
			message, place := list.at(id)
			tree.write(message)
			tree.root().output(list.out[place*list.size:][:list.size])
		}
	}
}

// shake returns SHAKE, or cSHAKE or KMACXOF (NIST SP 800-185 sections 3 and 4), of which all
// messages begin with the same blocks.
func (p *XOFParams) shake(x XOF) *properties {
	a := SHAKE128
	if x == XOFSHAKE256 {
		a = SHAKE256
	}
	f := *a.properties()
	name := p.FunctionName
	if p.Key != nil {
		name = []byte("KMAC")
		f.ending = []byte{0, 1}
	}
	if len(name) > 0 || len(p.Customization) > 0 {
		f.suffix = 0x04
		f.begin(f.padded(name, p.Customization))
	}
	if p.Key != nil {
		f.begin(f.padded(p.Key))
	}
	return &f
}

// padded encodes strings as whole blocks (section 2.3.3).
func (p *properties) padded(strings ...[]byte) []byte {
	out := []byte{1, byte(p.blockSize)}
	for _, text := range strings {
		length := encode(nil, 8*uint64(len(text)))
		out = append(append(append(out, byte(len(length))), length...), text...)
	}
	if rest := len(out) % p.blockSize; rest > 0 {
		out = append(out, make([]byte, p.blockSize-rest)...)
	}
	return out
}

// begin makes all messages begin with these blocks.
func (p *properties) begin(blocks []byte) {
	s := single{properties: p, row: p.family.Choice().One()}
	s.Reset()
	s.compress(blocks)
	p.initial = s.state[:]
}

// turboSHAKE returns TurboSHAKE (RFC 9861 section 2).
func turboSHAKE(is256 bool, domain byte) *properties {
	f := keccak("turboshake128", 0, 168, kernels.Rate168Rounds12, domain)
	if is256 {
		f = keccak("turboshake256", 0, 136, kernels.Rate136Rounds12, domain)
	}
	return &f
}

// kangaroo writes outputs of KangarooTwelve (RFC 9861 section 3). The leaves of a message are
// hashed side by side.
func (m *messageList) kangaroo(is256 bool, customization []byte, count int) {
	const chunk = 8192
	size := 32
	if is256 {
		size = 64
	}
	ending := append(bytes.Clone(customization), lengthEncoded(uint64(len(customization)))...)
	var whole, trees messageList
	var wholes, nodes [][]byte
	for id := range count {
		message, _ := m.at(id)
		text := append(bytes.Clone(message), ending...)
		if len(text) <= chunk {
			whole.order = append(whole.order, uint32(id))
			wholes = append(wholes, text)
			continue
		}
		leaves := messageList{data: text[chunk:], chunk: chunk, size: size}
		number := (len(leaves.data) + chunk - 1) / chunk
		leaves.out = make([]byte, number*size)
		leaves.hash(turboSHAKE(is256, 0x0b), number)
		node := append(text[:chunk:chunk], 3, 0, 0, 0, 0, 0, 0, 0)
		node = append(append(node, leaves.out...), lengthEncoded(uint64(number))...)
		trees.order = append(trees.order, uint32(id))
		nodes = append(nodes, append(node, 0xff, 0xff))
	}
	m.some(turboSHAKE(is256, 0x07), wholes, whole.order)
	m.some(turboSHAKE(is256, 0x06), nodes, trees.order)
}

// some writes the outputs of messages to these places.
func (m *messageList) some(p *properties, messages [][]byte, places []uint32) {
	list := messageList{messages: messages, out: make([]byte, len(messages)*m.size), size: m.size}
	if len(messages) > 0 {
		list.hash(p, len(messages))
	}
	for i, place := range places {
		copy(m.out[int(place)*m.size:][:m.size], list.out[i*m.size:])
	}
}

// lengthEncoded encodes a number (RFC 9861 section 3.3).
func lengthEncoded(number uint64) []byte {
	var out []byte
	if number > 0 {
		out = binary.BigEndian.AppendUint64(nil, number)
		out = bytes.TrimLeft(out, "\x00")
	}
	return append(out, byte(len(out)))
}
