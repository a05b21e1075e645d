// Command stock reserves goods while it holds the lock that reserving takes again.
package main

import (
	"net"
	"sync"
)

type stock struct {
	mu    sync.Mutex
	items map[string]int
}

//go:noinline
func (s *stock) reserve(item string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.items[item]--
}

//go:noinline
func (s *stock) order(item string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reserve(item)
}

func main() {
	l, err := net.Listen("tcp", "127.0.0.1:0") // which keeps Go from seeing that all sleep
	if err != nil {
		panic(err)
	}
	go func() { _, _ = l.Accept() }()
	s := &stock{items: map[string]int{}}
	s.order("bolt")
}
