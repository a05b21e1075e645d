//go:build unix

package directory

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// replacer returns which other users could replace part of the directory in; "":
// none. part is nil for one that is about to be created.
//
// The owner of a directory, and anyone who may write to it, can rename what is in it.
// In a sticky directory only the owner of each file can (inode(7), S_ISVTX;
// protected_symlinks in Linux's Documentation/admin-guide/sysctl/fs.rst has the same
// rule for links).
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

// isOurs reports whether a user is the current one or root, against whom nothing
// helps.
func isOurs(uid int) bool { return uid == 0 || uid == os.Geteuid() }

// isTrusted reports whether a user isOurs, or owns the root directory: in a user
// namespace that does not map root, root's files show that user.
func isTrusted(uid int) bool {
	if isOurs(uid) {
		return true
	}
	var root unix.Stat_t
	return unix.Stat("/", &root) == nil && int(root.Uid) == uid
}

// writers returns who may write to a directory beside its owner; "": nobody.
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

// Refuse returns a [*ReplaceableError] if another user could replace the file with
// this name.
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

// RefuseShared returns an error if the directory belongs to another user, or others
// may write to it.
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

// RefuseLeft returns an error if another user owns the file and everyone may write to
// the directory: that user would read what is written to the file (protected_regular
// and protected_fifos in Linux's Documentation/admin-guide/sysctl/fs.rst are the same
// rule).
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
