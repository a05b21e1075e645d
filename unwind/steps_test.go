//go:build linux && amd64 && !long

package unwind

// stepsEach: of so many instructions one is walked from. It divides no length of a loop
// that comes often.
const stepsEach = 7
