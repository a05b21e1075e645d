//go:build !linux

// Command bench compares stacksnap with eu-stack and gdb, on Linux only.
package main

import "fmt"

func main() { fmt.Println("bench compares with eu-stack and gdb: it runs on Linux") }
