package words

import (
	"strconv"

	"stacksnap/task"
)

// OwnerName is the user by whose rights a process runs.
func OwnerName(u *task.User) string {
	switch {
	case u == nil:
		return ""
	case u.Name == "":
		return strconv.FormatUint(uint64(u.ID), 10)
	}
	return Word(u.Name, MaxText) + " (" + strconv.FormatUint(uint64(u.ID), 10) + ")"
}

// containerName is what each manager calls what it puts a process into.
func containerName(g *task.Group) string {
	if g != nil && g.Manager == "systemd" {
		return "Unit"
	}
	return "Container"
}

// container names a container as its manager's own commands do, with as many digits as
// they take, or a unit.
func container(g *task.Group) string {
	switch {
	case g == nil:
		return ""
	case g.Manager == "systemd":
		return Word(g.ID, MaxText)
	}
	s := Word(g.ID, MaxText)
	if isDigits(g.ID) {
		const digits = 12
		s = g.ID[:digits]
	}
	if g.Manager != "" {
		s = Word(g.Manager, MaxText) + " " + s
	}
	if g.Pod != "" {
		s += ", pod " + Word(g.Pod, MaxText)
	}
	return s
}

// isDigits recognises the identifiers that managers give to containers: 64
// hexadecimal digits.
func isDigits(id string) bool {
	for _, c := range id {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return len(id) == 64
}
