//go:build !linux

package elf

import (
	"fmt"
	"os"
)

// openRegular opens a regular file for reading, and nothing else.
func openRegular(name string) (candidate, error) {
	st, err := os.Stat(name)
	if err != nil {
		return candidate{}, err
	}
	if !st.Mode().IsRegular() {
		return candidate{}, fmt.Errorf("%s: not a regular file", name)
	}
	file, err := os.Open(name)
	if err != nil {
		return candidate{}, err
	}
	return candidate{file: file, size: st.Size()}, nil
}
