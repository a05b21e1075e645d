//go:build linux && amd64 && long

package unwind

const stepsEach = 1
