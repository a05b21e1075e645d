// Command collects has a large heap of pointers, and collects its garbage all
// the time.
package main

import (
	"fmt"
	"runtime"
)

type node struct{ left, right *node }

func tree(depth int) *node {
	if depth == 0 {
		return &node{}
	}
	return &node{tree(depth - 1), tree(depth - 1)}
}

// heap is reachable for ever: of what no instruction uses any more nothing is left.
var heap *node

func main() {
	heap = tree(20)
	fmt.Println("ready")
	for {
		runtime.GC()
	}
}
