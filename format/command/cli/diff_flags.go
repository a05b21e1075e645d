package cli

import (
	"errors"
	"fmt"

	"stacksnap/format/profile/diff"
)

// diffWord is the first word of the command line of a comparison.
const diffWord = "diff"

// errTwoFiles is returned unless a comparison has exactly two files.
var errTwoFiles = fmt.Errorf("diff compares two files: stacksnap %s BEFORE AFTER (for a process of that name: -p %s; for a file: ./%s)", diffWord, diffWord, diffWord)

// errTwoChosen is returned if a comparison has more than two -p.
var errTwoChosen = errors.New("diff compares one process of each file: give -p for both files, or -p for BEFORE and then -p for AFTER")

// compares sets the two files of a comparison, and the processes chosen in them.
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

// measures returns the values of --measure.
func measures() []string { return []string{diff.ByCPU.String(), diff.BySamples.String()} }

// Scales returns the values of --scale.
func Scales() (names []string) {
	for s := diff.ToTotal; s <= diff.AsCounted; s++ {
		names = append(names, s.String())
	}
	return names
}
