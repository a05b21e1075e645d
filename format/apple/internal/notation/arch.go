package notation

import "stacksnap/task"

// CodeTypes has the names of architectures in report headers ("Code Type").
var CodeTypes = map[task.Arch]string{task.AMD64: "X86-64", task.ARM64: "ARM64", task.I386: "X86", task.ARM: "ARM"}

// Archs maps the architecture names of Apple's tools ("arm64e") to architectures.
var Archs = map[string]task.Arch{
	"arm64": task.ARM64, "arm64e": task.ARM64, "x86_64": task.AMD64, "x86_64h": task.AMD64, "i386": task.I386, "arm": task.ARM, "armv6": task.ARM, "armv7": task.ARM, "armv7s": task.ARM, "armv7k": task.ARM,
}

// ArchName returns the name of Apple's tools for an architecture and its variant ("arm64e"), which
// may be "". It is "" if both are unknown.
func ArchName(variant string, arch task.Arch) string {
	switch {
	case variant != "":
		return variant
	case arch == task.UnknownArch:
		return ""
	}
	return arch.String()
}
