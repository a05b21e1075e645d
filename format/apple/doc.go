// Package apple reads the reports of Apple's tools, and writes those of sample(1) and
// spindump(8).
//
// [Open] recognises which tool wrote a report. The code that writes a part of a
// report and the code that reads it are in adjacent files: sample_header.go and
// sample_header_read.go.
//
//   - sample: version 7, in the form that Mac OS X 10.14 to macOS 26 write.
//   - spindump: version 18 and newer are read, in both forms, and version 35.1 is written.
//   - crashes: package crash.
package apple
