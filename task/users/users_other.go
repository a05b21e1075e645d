//go:build !darwin

package users

import (
	"bytes"
	"io"
	"os"
	"strconv"
)

// maxUsers is how much of the list of users is read, in bytes.
const maxUsers = 1 << 20

// Name returns the name of a user in /etc/passwd. (The os/user package would link the
// C library if there is a compiler, which slows down every start.)
func Name(id uint32) (string, bool) {
	f, err := os.Open("/etc/passwd")
	if err != nil {
		return "", false
	}
	defer f.Close()
	list, _ := io.ReadAll(io.LimitReader(f, maxUsers)) // part of it will do
	return nameIn(list, id)
}

// nameIn finds a user's name in a list such as /etc/passwd (passwd(5)): name,
// password, id and more, separated by colons.
func nameIn(list []byte, id uint32) (string, bool) {
	number := strconv.FormatUint(uint64(id), 10)
	for line := range bytes.Lines(list) {
		fields := bytes.SplitN(line, []byte(":"), 4)
		if len(fields) == 4 && string(fields[2]) == number && len(fields[0]) > 0 {
			return string(fields[0]), true
		}
	}
	return "", false
}
