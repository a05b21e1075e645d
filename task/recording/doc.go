// Package recording saves captures of a process to a file, from which the same stacks
// can later be unwound and symbolized again: on any system, and without the process,
// its memory or its files.
//
// # Container
//
// A recording is a gzip stream (RFC 1952). Decompressed it is a line of text,
//
//	stacksnap recording 1\n
//
// where 1 is the version, and then blocks, each
//
//	length    varint, of the payload in bytes
//	checksum  4 bytes, little-endian: CRC-32C of the payload
//	payload   a Block of recording.proto, in Protocol Buffers' wire format
//
// These are standard encodings, so that others can read the file with zcat and
// protoc. Of those in Go's library, gob is not safe for untrusted input, and JSON has
// no binary data. gzip can be flushed, so that every snapshot is in the file before
// the next one is taken.
//
// # Order
//
// A snapshot comes after everything needed to unwind and symbolize it, and is flushed
// with it. So a recording that was cut off or damaged anywhere is good up to the last
// complete snapshot.
//
// A snapshot contains only the threads that differ from the snapshot before, and of
// those only the differences. Sleeping threads take no space.
//
// What threads wait for is recorded as observations (Look): of some threads of a
// snapshot, or after the last snapshot with the end. Older recordings have it in the
// threads themselves, which is read as an observation of all of them.
//
// Tasks that no thread runs, such as goroutines that wait, are recorded once, before the
// end: their addresses and what the runtime says, from which they are named when the
// recording is opened.
//
// Images are recorded as the answers that their files gave while the snapshots were
// unwound and symbolized, not as files. The answers hold for the whole recording, and
// are read before the first snapshot. Memory and maps change from snapshot to
// snapshot.
//
// # Versions
//
// A reader skips fields that it does not know. Whatever it must not skip raises the
// version, and a reader rejects versions above its own.
package recording
