package words

import (
	"strconv"

	"stacksnap/task"
)

// OwnerName returns the name and id of the effective user of a process.
func OwnerName(u *task.User) string {
	switch {
	case u == nil:
		return ""
	case u.Name == "":
		return strconv.FormatUint(uint64(u.ID), 10)
	}
	return Word(u.Name, MaxText) + " (" + strconv.FormatUint(uint64(u.ID), 10) + ")"
}

// containerName returns the manager's term for a group: a unit or a container.
func containerName(g *task.Group) string {
	if g != nil && g.Manager == "systemd" {
		return "Unit"
	}
	return "Container"
}

// container returns the name of a unit, or the id of a container in the form that its
// manager's commands print.
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

// isDigits reports whether an id is a container's: 64 hexadecimal digits.
func isDigits(id string) bool {
	for _, c := range id {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return len(id) == 64
}
