// Command inlined calls functions that are inlined, and some that are not.
package main

import (
	"fmt"
	"os"
	"sort"
	"strings"
)

type shape interface{ area() int }

type square struct{ side int }

func (s square) area() int { return times(s.side, s.side) }

func times(a, b int) int { return plus(a, 0) * plus(b, 0) }

func plus(a, b int) int { return a + b }

//go:noinline
func total(shapes []shape) (n int) {
	sort.Slice(shapes, func(i, j int) bool { return shapes[i].area() < shapes[j].area() })
	for _, s := range shapes {
		n += plus(s.area(), times(1, n))
	}
	return n
}

func main() {
	fmt.Println(strings.Repeat("=", total([]shape{square{len(os.Args)}, &square{3}})))
}
