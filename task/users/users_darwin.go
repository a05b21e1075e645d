package users

import (
	"os/user"
	"strconv"
)

// Name returns the name of a user by the system's directory service.
func Name(id uint32) (string, bool) {
	u, err := user.LookupId(strconv.FormatUint(uint64(id), 10))
	if err != nil {
		return "", false
	}
	return u.Username, u.Username != ""
}
