// Package apple writes and reads the reports of Apple's tools, one of them in the
// files of one name each: what writes it and what reads it side by side.
//
// The report of sample(1) is of version 7. Its grammar is what reports of many Macs
// have in common, from Mac OS X 10.14 to macOS 26; [Sample] writes it, and
// [Read] reads it. So do [IPS] and Read for the .ips file that macOS keeps of a crash,
// [Crash] for the text for people that it kept before, and [Spindump] for the reports of
// hangs and of all processes, of which Read knows version 18 and newer in both forms, and
// Spindump writes the heavy one of version 35.1.
package apple
