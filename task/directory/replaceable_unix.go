//go:build unix

package directory

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// replacer returns which other users could give the name of a part of a directory to
// something else; empty: none. The part may be nil: one that we would make.
//
// Who owns a directory, or may write to it, renames what is in it. In a sticky one that is
// left to the owner of each part (inode(7), S_ISVTX; protected_symlinks in
// Linux's Documentation/admin-guide/sysctl/fs.rst has the same rule for links).
func replacer(at *os.File, in, part *unix.Stat_t) string {
	if !isTrusted(int(in.Uid)) {
		return fmt.Sprintf("user %d, whose directory it is in", in.Uid)
	}
	if part != nil && part.Mode&unix.S_IFMT == unix.S_IFLNK && !isTrusted(int(part.Uid)) {
		return fmt.Sprintf("user %d, whose symbolic link it is", part.Uid)
	}
	others := writers(at, in)
	if others == "" {
		return ""
	}
	if in.Mode&unix.S_ISVTX == 0 {
		return others + ", who may write to the directory that it is in"
	}
	if part != nil && !isOurs(int(part.Uid)) {
		return fmt.Sprintf("user %d, whose it is", part.Uid)
	}
	return ""
}

// isOurs reports whether a user is this one or root, against whom nothing helps.
func isOurs(uid int) bool { return uid == 0 || uid == os.Geteuid() }

// isTrusted is isOurs, or whether a user owns the root directory: in a user namespace where
// root has no number, that is whom root's files show.
func isTrusted(uid int) bool {
	if isOurs(uid) {
		return true
	}
	var root unix.Stat_t
	return unix.Stat("/", &root) == nil && int(root.Uid) == uid
}

// writers returns who may write to a directory beside its owner; empty: nobody.
func writers(at *os.File, in *unix.Stat_t) string {
	switch {
	case in.Mode&unix.S_IWOTH != 0:
		return "anybody"
	case in.Mode&unix.S_IWGRP == 0:
		return ""
	case hasACL(at):
		return "those named in an access control list"
	case in.Gid == 0 || isPrivateGroup(int(in.Gid), os.Geteuid()):
		return ""
	}
	return fmt.Sprintf("members of group %d", in.Gid)
}

// Refuse returns a [*ReplaceableError] where another user could give a name in the
// directory to something else than what has it.
func (d *Dir) Refuse(name string, info fs.FileInfo) error {
	var in unix.Stat_t
	if err := unix.Fstat(int(d.self.Fd()), &in); err != nil {
		return err
	}
	part := &unix.Stat_t{}
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		part.Uid = st.Uid
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		part.Mode = unix.S_IFLNK
	}
	if by := replacer(d.self, &in, part); by != "" {
		return &ReplaceableError{Path: d.Join(name), By: by, Link: part.Mode == unix.S_IFLNK}
	}
	return nil
}

// RefuseShared returns an error where the directory is not this user's, or others may write
// to it: what is in it may be theirs.
func (d *Dir) RefuseShared() error {
	var in unix.Stat_t
	if err := unix.Fstat(int(d.self.Fd()), &in); err != nil {
		return err
	}
	if int(in.Uid) != os.Geteuid() {
		return fmt.Errorf("%q is not used: it belongs to user %d", d.path, in.Uid)
	}
	if by := writers(d.self, &in); by != "" {
		return fmt.Errorf("%q is not used: it may be written to by %s", d.path, by)
	}
	return nil
}

// RefuseLeft returns an error where another user has left a file in a directory that all
// may write to: he would read what is written to it (protected_regular and protected_fifos
// in Linux's Documentation/admin-guide/sysctl/fs.rst have this rule).
func (d *Dir) RefuseLeft(file fs.FileInfo) error {
	var in unix.Stat_t
	if err := unix.Fstat(int(d.self.Fd()), &in); err != nil {
		return err
	}
	st, ok := file.Sys().(*syscall.Stat_t)
	if !ok || in.Mode&unix.S_ISVTX == 0 || isOurs(int(st.Uid)) || st.Uid == in.Uid || writers(d.self, &in) == "" {
		return nil
	}
	return fmt.Errorf("belongs to user %d, in a directory that others may write to: remove it, or give another name", st.Uid)
}
