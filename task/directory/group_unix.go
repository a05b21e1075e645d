//go:build unix

package directory

import (
	"bufio"
	"os"
	"strconv"
	"strings"
)

// isPrivateGroup reports whether a group has only one member, as many systems create
// one for each user. Groups that are not in this machine's own files may have other
// members.
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

// records yields the fields of a file's lines, which are separated by colons
// (passwd(5), group(5)).
func records(path string, each func(fields []string)) {
	f, err := os.Open(path)
	if err != nil {
		return
	}
	defer func() { _ = f.Close() }() // read-only
	for lines := bufio.NewScanner(f); lines.Scan(); {
		each(strings.Split(lines.Text(), ":"))
	}
}
