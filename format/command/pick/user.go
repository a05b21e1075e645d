package pick

import (
	"strconv"

	"stacksnap/task/users"
)

// UserName is the name of a user, or the number where it has none; "?" for −1.
func UserName(id int) string {
	if id < 0 {
		return "?"
	}
	if name, ok := users.Name(uint32(id)); ok {
		return name
	}
	return strconv.Itoa(id)
}
