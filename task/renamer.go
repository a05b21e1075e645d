package task

// Renamer is a live [Process] that may have been opened while exec put another program
// in its place: what [Info] tells of the program may then be of the one before.
type Renamer interface {
	// Rename asks anew what the program is called, for Info to tell from then on, and
	// reports whether that has changed.
	Rename() bool
}

// Rename is p's, where it is a [Renamer].
func Rename(p Process) bool {
	r, ok := p.(Renamer)
	return ok && r.Rename()
}
