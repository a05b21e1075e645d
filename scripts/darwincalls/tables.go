package main

import (
	"regexp"
	"strconv"
	"strings"
)

// A line of the BSD table: its number, when it is audited, for whom it is, and
// the prototype in braces. A line of the traps': its number in a comment.
var (
	bsdLine  = regexp.MustCompile(`(?m)^(\d+)\s+\S+\s+\S+\s+\{[^(]*?(\w+)\(`)
	trapLine = regexp.MustCompile(`(?m)^/\*\s*(\d+)\s*\*/\s*MACH_TRAP\((\w+)`)
)

// absent are the functions behind numbers that are no call.
var absent = map[string]bool{"nosys": true, "enosys": true, "kern_invalid": true}

// bsdNames reads bsd/kern/syscalls.master. Where the table depends on how the
// kernel is configured, the alternative that has the call is taken.
func bsdNames(table []byte) []string { return names(table, bsdLine) }

// trapNames reads osfmk/kern/syscall_sw.c.
func trapNames(table []byte) []string { return names(table, trapLine) }

func names(table []byte, line *regexp.Regexp) []string {
	var all []string
	for _, m := range line.FindAllSubmatch(table, -1) {
		number, err := strconv.Atoi(string(m[1]))
		if name := string(m[2]); err == nil && number < maxNumber && !absent[name] {
			all = put(all, number, plain(name))
		}
	}
	return all
}

// maxNumber is above all numbers of calls.
const maxNumber = 4096

func put(all []string, number int, name string) []string {
	for len(all) <= number {
		all = append(all, "")
	}
	all[number] = name
	return all
}

// plain is a call's name as programs know it: without what marks the kernel's
// function, and without what marks the twin that is no cancellation point.
func plain(name string) string {
	name = strings.TrimSuffix(strings.TrimPrefix(name, "sys_"), "_nocancel")
	return strings.TrimSuffix(name, "_trap")
}
