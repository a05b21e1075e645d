package notation

import (
	"fmt"
	"stacksnap/format/profile"
	"strconv"
	"strings"
)

// ProcessWithPID returns "NAME [PID]", or "" if neither is known.
func ProcessWithPID(name string, pid int) string {
	if name == "" && pid == 0 {
		return ""
	}
	return fmt.Sprintf("%s [%d]", Process(name), pid)
}

// Process returns the name of a process, ??? if it is unknown.
func Process(name string) string {
	if name == "" {
		return Unknown
	}
	return Plain(name)
}

// ParseProcess parses "NAME [PID]". An unknown part is "" or 0.
func ParseProcess(s string) (name string, pid int) {
	name, rest, found := CutLast(s, " [")
	if found {
		pid, _ = strconv.Atoi(strings.TrimSuffix(rest, "]"))
	}
	if name == Unknown {
		name = ""
	}
	return name, pid
}

// Identifier returns the identifier of a process's bundle, or else the name of the process.
func Identifier(p *profile.Profile) string {
	if p.Main != nil && p.Main.Bundle.ID != "" {
		return Plain(p.Main.Bundle.ID)
	}
	return Process(p.Target.Name)
}

// Version returns the version and build of a program, as "1.2 (34)". If only one is
// known, it is just that one; if neither is, it is ???. im may be nil.
func Version(im *profile.Image) string {
	if im == nil {
		return Unknown
	}
	return versions(im, " (", ")")
}

// ParseVersion parses "1.2 (34)".
func ParseVersion(s string) (version, build string) {
	version, build, _ = strings.Cut(s, " (")
	if version == Unknown {
		version = ""
	}
	return version, strings.TrimSuffix(build, ")")
}

// CutLast cuts s at the last occurrence of sep.
func CutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}
