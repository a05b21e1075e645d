// Package bundle tells what a Mac program is called by its maker: the identifier
// and the version in its information property list.
package bundle

import (
	"io"
	"path"
	"strings"

	"stacksnap/images/object"
	"stacksnap/task/regular"
)

// MaxSize bounds a property list. Real ones are below 100 KB.
const MaxSize = 1 << 20

// Of reads the property list beside a program: of an application, an extension or
// a framework whose program it is. It is empty for any other file.
func Of(program string) object.Bundle {
	file := listOf(program)
	if file == "" {
		return object.Bundle{}
	}
	values := Parse(read(file))
	// A helper lies beside the application's own program, and is not it.
	if values[executableKey] != path.Base(program) {
		return object.Bundle{}
	}
	return describe(values)
}

// In is what a property list tells that is a part of the program itself, its
// section __TEXT,__info_plist.
func In(list []byte) object.Bundle { return describe(Parse(list)) }

// listOf names the list that a program of this path has, where it has one.
func listOf(program string) string {
	dir := path.Dir(program)
	above := path.Dir(dir)
	switch {
	case path.Base(dir) == "MacOS" && path.Base(above) == "Contents":
		return path.Join(above, "Info.plist")
	case strings.HasSuffix(dir, ".app") || strings.HasSuffix(dir, ".appex"): // an iPad's
		return path.Join(dir, "Info.plist")
	case strings.HasSuffix(path.Dir(above), ".framework") && path.Base(above) == "Versions":
		return path.Join(dir, "Resources", "Info.plist")
	}
	return ""
}

// read reads a small regular file; nothing where it is none. What else the name
// may stand for, a pipe that nobody writes to say, is not waited for.
func read(file string) []byte {
	f, info, err := regular.Open(file)
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }()
	if info.Size() > MaxSize {
		return nil
	}
	b, err := io.ReadAll(io.LimitReader(f, MaxSize))
	if err != nil {
		return nil
	}
	return b
}

// The keys that are wanted (Apple, Bundle Resources, Core Foundation Keys).
const (
	identifierKey = "CFBundleIdentifier"
	versionKey    = "CFBundleShortVersionString"
	buildKey      = "CFBundleVersion"
	executableKey = "CFBundleExecutable"
)

func isWanted(key string) bool {
	switch key {
	case identifierKey, versionKey, buildKey, executableKey:
		return true
	}
	return false
}

func describe(values map[string]string) object.Bundle {
	return object.Bundle{ID: values[identifierKey], Version: values[versionKey], Build: values[buildKey]}
}
