//go:build long && linux

package ptrace

const fewer = 1
