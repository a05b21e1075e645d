package pick

import (
	"strconv"

	"stacksnap/task/users"
)

// UserName returns the name of a user, or the number if there is no name; "?" if id is
// negative.
func UserName(id int) string {
	if id < 0 {
		return "?"
	}
	if name, ok := users.Name(uint32(id)); ok {
		return name
	}
	return strconv.Itoa(id)
}
