package directory

import "fmt"

// ReplaceableError says that a part of a path could be replaced by another user, who would
// choose what is written to, or where.
type ReplaceableError struct {
	Path string
	By   string // who could, and why
	Link bool   // it is a symbolic link, which leads where he wants
}

func (e *ReplaceableError) Error() string {
	if e.Link {
		return fmt.Sprintf("the link %q on the way there could be replaced by %s: write elsewhere", e.Path, e.By)
	}
	return fmt.Sprintf("%q on the way there could be replaced by %s: go there with cd and give the name alone, or write elsewhere", e.Path, e.By)
}
