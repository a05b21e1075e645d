//go:build !darwin

package command

import (
	"bytes"
	"io"
	"os"
	"strconv"
)

// maxUsers bounds what is read of the list of users, in bytes.
const maxUsers = 1 << 20

// userName is the name of a user in /etc/passwd, or the number where it is not
// there; "?" for −1. (The os/user package would link the C library, where there is
// a compiler, which every start would pay for.)
func userName(id int) string {
	f, err := os.Open("/etc/passwd")
	if err != nil {
		return nameIn(nil, id)
	}
	defer f.Close()
	users, _ := io.ReadAll(io.LimitReader(f, maxUsers)) // a part is as good
	return nameIn(users, id)
}

// nameIn finds a user's name in a list such as /etc/passwd (passwd(5)): name, a
// password, the number, and more, between colons.
func nameIn(users []byte, id int) string {
	if id < 0 {
		return "?"
	}
	number := strconv.Itoa(id)
	for line := range bytes.Lines(users) {
		fields := bytes.SplitN(line, []byte(":"), 4)
		if len(fields) == 4 && string(fields[2]) == number && len(fields[0]) > 0 {
			return string(fields[0])
		}
	}
	return number
}
