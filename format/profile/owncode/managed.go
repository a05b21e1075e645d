package owncode

import (
	"strings"

	"stacksnap/format/profile"
)

// isOwnManaged reports whether a function of an interpreted language is the program's own:
// neither in the language's library, nor in a package by others.
func isOwnManaged(l *profile.Location) bool {
	switch {
	case l.File == "<string>" || l.File == "<stdin>": // python -c, or typed in
		return true
	case l.File == "" || strings.HasPrefix(l.File, "<"): // "<frozen importlib._bootstrap>"
		return false
	}
	return !isForeignFile(l.File) && !isPythonLibrary(l.File)
}

// isPython reports whether a program is Python's interpreter, by its name with or without a
// version. Of such a program only functions of the language are own code.
func isPython(name string) bool {
	version, ok := strings.CutPrefix(name, "python")
	return ok && strings.Trim(version, ".0123456789td") == ""
}

// isPythonLibrary reports whether a file is part of Python's own library, wherever that is
// installed: in lib/python3.12/, or in lib64.
func isPythonLibrary(file string) bool {
	for {
		_, rest, ok := strings.Cut(file, "/lib")
		if !ok {
			return false
		}
		if version, ok := strings.CutPrefix(strings.TrimPrefix(rest, "64"), "/python"); ok {
			version, _, isFolder := strings.Cut(version, "/")
			if isFolder && version != "" && strings.Trim(version, ".0123456789t") == "" {
				return true
			}
		}
		file = rest
	}
}
