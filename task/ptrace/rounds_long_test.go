//go:build long && linux && (amd64 || arm64)

package ptrace

const fewer = 1
