//go:build unix && !linux && !darwin

package directory

// searchOnly opens a directory that one may go through without the right to list it: this
// system is asked for that right, too.
const searchOnly = 0
