package command

import (
	"os/user"
	"strconv"
)

// userName is the name of a user, or the number where it has none; "?" for −1.
func userName(id int) string {
	if id < 0 {
		return "?"
	}
	if u, err := user.LookupId(strconv.Itoa(id)); err == nil {
		return u.Username
	}
	return strconv.Itoa(id)
}
