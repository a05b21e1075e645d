//go:build unix && !linux && !darwin

package directory

// searchOnly is 0: this system opens directories only with the right to list them.
const searchOnly = 0
