// Command goroutines runs some goroutines, says "ready", and goes on until its
// input ends.
package main

import (
	"fmt"
	"os"
)

func main() {
	stop := make(chan struct{})
	for range 3 {
		go descend(20, stop)
	}
	fmt.Println("ready")
	_, _ = os.Stdin.Read(make([]byte, 1))
}

//go:noinline
func descend(n int, stop chan struct{}) int {
	if n == 0 {
		return spin(stop)
	}
	return descend(n-1, stop) + 1
}

//go:noinline
func spin(stop chan struct{}) (n int) {
	for {
		select {
		case <-stop:
			return n
		default:
			n++
		}
	}
}
