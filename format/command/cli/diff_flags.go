package cli

import (
	"errors"
	"fmt"

	"stacksnap/format/profile"
)

// diffWord is the first word of a call that compares.
const diffWord = "diff"

// errTwoFiles is the error of a call that compares anything but two files.
var errTwoFiles = fmt.Errorf("diff compares two files: stacksnap %s BEFORE AFTER (for a process of that name: -p %s; for a file: ./%s)", diffWord, diffWord, diffWord)

// errTwoChosen is the error of a call that chooses more processes than are compared.
var errTwoChosen = errors.New("diff compares one process of each file: give -p for both files, or -p for BEFORE and then -p for AFTER")

// compares takes the two files of a call that compares, and which process of them.
func (o *Options) compares(files []string) error {
	if len(files) != 2 {
		return UsageError{Err: errTwoFiles}
	}
	if len(o.Targets) > len(files) {
		return UsageError{Err: errTwoChosen}
	}
	o.Compared, o.Target = files, files[0]
	o.Within, o.Targets = o.Targets, nil
	return nil
}

// measures are the values of --measure.
func measures() []string { return []string{profile.ByCPU.String(), profile.BySamples.String()} }

// Scales are the values of --scale.
func Scales() (names []string) {
	for s := profile.ToTotal; s <= profile.AsCounted; s++ {
		names = append(names, s.String())
	}
	return names
}
