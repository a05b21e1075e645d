package directory

import "fmt"

// ReplaceableError means that another user could replace part of a path, and so
// choose what is written to, or where.
type ReplaceableError struct {
	Path string
	By   string // who could, and why
	Link bool   // the part is a symbolic link, whose target that user chooses
}

func (e *ReplaceableError) Error() string {
	if e.Link {
		return fmt.Sprintf("the link %q on the way there could be replaced by %s: write elsewhere", e.Path, e.By)
	}
	return fmt.Sprintf("%q on the way there could be replaced by %s: go there with cd and give the name alone, or write elsewhere", e.Path, e.By)
}
