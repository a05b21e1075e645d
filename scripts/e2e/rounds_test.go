//go:build linux && !long

package e2e

// fewer is by what the rounds of repeated tests are divided, so that go test ./... is
// quick. With -tags long all are run.
const fewer = 5
