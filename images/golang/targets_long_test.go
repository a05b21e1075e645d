//go:build long

package golang_test

var moreTargets = []string{
	pieTarget, "linux arm64 -ldflags=-s_-w", "linux 386 -ldflags=-s_-w",
	"darwin arm64", "darwin arm64 -ldflags=-s_-w", "darwin amd64 -ldflags=-s_-w",
}
