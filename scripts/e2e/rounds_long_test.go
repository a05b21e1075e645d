//go:build linux && long

package e2e

// fewer divides nothing: all rounds are run.
const fewer = 1
