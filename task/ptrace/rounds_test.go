//go:build !long && linux

package ptrace

// fewer is by what the rounds of repeated tests are divided, so that go test ./... is
// quick. With -tags long all are run.
const fewer = 4
