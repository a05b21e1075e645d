//go:build unix

package directory

import (
	"bufio"
	"os"
	"strconv"
	"strings"
)

// isPrivateGroup reports whether a group is of one user alone, as many systems give one to
// each: who may write to what is that group's. One that is not in this machine's own files
// may have others.
func isPrivateGroup(gid, uid int) bool { return isPrivate("/etc/passwd", "/etc/group", gid, uid) }

func isPrivate(users, groups string, gid, uid int) bool {
	name, alone := "", true
	records(users, func(f []string) {
		if len(f) > 3 && f[3] == strconv.Itoa(gid) {
			if f[2] == strconv.Itoa(uid) {
				name = f[0]
			} else {
				alone = false
			}
		}
	})
	records(groups, func(f []string) {
		if len(f) > 3 && f[2] == strconv.Itoa(gid) && f[3] != "" && f[3] != name {
			alone = false
		}
	})
	return name != "" && alone
}

// records reads a file of lines whose fields have colons between them (passwd(5),
// group(5)).
func records(path string, each func(fields []string)) {
	f, err := os.Open(path)
	if err != nil {
		return
	}
	defer func() { _ = f.Close() }() // it was only read
	for lines := bufio.NewScanner(f); lines.Scan(); {
		each(strings.Split(lines.Text(), ":"))
	}
}
