// The face of Go: see states.py.

package main

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"os"
	"strconv"
	"strings"

	"hashlanes"
)

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func number(text string) int { return must(strconv.Atoi(text)) }

func main() {
	var data []byte
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	answer := func(what string, arguments []string) string {
		switch what {
		case "load":
			data = must(os.ReadFile(arguments[0]))
			return "ok"
		case "end":
			saved := must(hex.DecodeString(arguments[0]))
			for _, a := range hashlanes.Algorithms() {
				h := a.NewHasher()
				if h.UnmarshalBinary(saved) == nil {
					h.Write(data[number(arguments[1]):number(arguments[2])])
					return hex.EncodeToString(h.Sum(nil))
				}
			}
			return "no"
		}
		h := must(hashlanes.ParseAlgorithm(arguments[0])).NewHasher()
		h.Write(data[:number(arguments[1])])
		if what == "save" {
			return hex.EncodeToString(must(h.MarshalBinary()))
		}
		return hex.EncodeToString(h.Sum(nil))
	}
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		fmt.Println(answer(words[0], words[1:]))
	}
	if err := lines.Err(); err != nil {
		panic(err)
	}
}
