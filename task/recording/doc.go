// Package recording keeps what was captured of a process in a file, so that a
// later reading can walk and name the same stacks again: on any system, and
// without the process, its memory or its files.
//
// # Container
//
// A recording is a gzip stream (RFC 1952). What it decompresses to is a line of
// text,
//
//	stacksnap recording 1\n
//
// where 1 is the version, and then blocks, each
//
//	length    varint, of the payload in bytes
//	checksum  4 bytes, little-endian: CRC-32C of the payload
//	payload   a Block of recording.proto, in Protocol Buffers' wire format
//
// The encodings are existing ones because others can then read the file: zcat
// and protoc are enough. Of those in Go's library, gob is not made for input
// from strangers, and JSON has no bytes; gzip is the compression that can be
// flushed, so that every snapshot is in the file when the next one is taken.
//
// # Order
//
// A snapshot comes after everything that is needed to walk and name it, and is
// flushed with it. So a recording that was cut off anywhere, or damaged
// somewhere, is good up to the last snapshot that is whole.
//
// A snapshot has only those threads that differ from the snapshot before, and of
// those only what differs. Threads that sleep take no room.
//
// What threads wait for is told as looks: of some of the threads of a snapshot,
// or after the last one with the end. Older recordings tell it with the threads
// themselves, which is read as a look at all of them.
//
// What is told of images are the answers that were given when the snapshots were
// walked and named, not the files. They hold for the whole recording, and are
// read before the first snapshot is. Memory and maps change from snapshot to
// snapshot.
//
// # Versions
//
// Fields that a reader does not know are passed over. Whatever a reader must not
// pass over raises the version, and a reader refuses versions above its own.
package recording
