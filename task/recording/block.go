package recording

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"strings"

	"stacksnap/task"
)

const (
	magic   = "stacksnap recording "
	version = 1

	// compression is the deflate level. The next level up saves 3 % on sampled
	// stacks, the next level down costs 60 %, and a snapshot takes as long to write.
	compression = 3

	blockSize = 1 << 20                      // size in bytes at which a block is written before its snapshot is complete
	maxBlock  = 4*task.MaxStackLimit + 1<<24 // bytes of one block: a thread with the largest stack that is ever captured
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// blockWriter compresses and writes blocks.
type blockWriter struct {
	file *bufio.Writer
	zip  *gzip.Writer
	head []byte
}

func newBlockWriter(w io.Writer) (*blockWriter, error) {
	file := bufio.NewWriterSize(w, 64<<10)
	zip, err := gzip.NewWriterLevel(file, compression)
	if err != nil {
		return nil, err
	}
	b := &blockWriter{file: file, zip: zip}
	_, err = fmt.Fprintf(zip, "%s%d\n", magic, version)
	return b, err
}

// write adds a block.
func (b *blockWriter) write(payload []byte) error {
	b.head = binary.AppendUvarint(b.head[:0], uint64(len(payload)))
	b.head = binary.LittleEndian.AppendUint32(b.head, crc32.Checksum(payload, castagnoli))
	if _, err := b.zip.Write(b.head); err != nil {
		return err
	}
	_, err := b.zip.Write(payload)
	return err
}

// flush writes everything to the file.
func (b *blockWriter) flush() error {
	if err := b.zip.Flush(); err != nil {
		return err
	}
	return b.file.Flush()
}

func (b *blockWriter) close() error {
	if err := b.zip.Close(); err != nil {
		return err
	}
	return b.file.Flush()
}

// blockReader reads blocks from a decompressed stream.
type blockReader struct {
	r       *bufio.Reader
	payload bytes.Buffer
}

// newBlockReader decompresses a recording and reads its first line.
func newBlockReader(file io.Reader) (*blockReader, error) {
	zip, err := gzip.NewReader(bufio.NewReaderSize(file, 64<<10))
	if err != nil {
		return nil, notRecording(err)
	}
	return newStreamReader(zip)
}

func newStreamReader(stream io.Reader) (*blockReader, error) {
	b := &blockReader{r: bufio.NewReaderSize(stream, 64<<10)}
	line, err := b.firstLine()
	if errors.Is(err, io.ErrUnexpectedEOF) && (strings.HasPrefix(magic, line) || strings.HasPrefix(line, magic)) {
		err = ErrCutEarly
	}
	if err != nil {
		return nil, notRecording(err)
	}
	v, ok := strings.CutPrefix(line, magic)
	if !ok || !isVersion(v) {
		return nil, ErrNotRecording
	}
	if v != fmt.Sprint(version) {
		return nil, &VersionError{v}
	}
	return b, nil
}

func notRecording(err error) error { return fmt.Errorf("%w (%w)", ErrNotRecording, err) }

// maxLine is the maximum length of the first line.
const maxLine = len(magic) + 10

// firstLine returns the line, or with an error the part that was read.
func (b *blockReader) firstLine() (string, error) {
	var line []byte
	for len(line) <= maxLine {
		c, err := b.r.ReadByte()
		if err != nil {
			return string(line), err
		}
		if c == '\n' {
			return string(line), nil
		}
		line = append(line, c)
	}
	return string(line), ErrNotRecording
}

// isVersion reports whether v is a number, so that only digits of a hostile file are
// printed.
func isVersion(v string) bool {
	return v != "" && v[0] != '0' && strings.Trim(v, "0123456789") == ""
}

// next returns the payload of the next block, valid until the next call. At the end
// of the file the error is always io.ErrUnexpectedEOF, because a recording ends with
// a record.
func (b *blockReader) next() ([]byte, error) {
	length, err := binary.ReadUvarint(b.r)
	if err != nil {
		return nil, unexpected(err)
	}
	if length == 0 {
		return nil, errWire // never written, and deflate packs millions of them into a few bytes
	}
	if length > maxBlock {
		return nil, errTooBig
	}
	var sum [4]byte
	if _, err := io.ReadFull(b.r, sum[:]); err != nil {
		return nil, unexpected(err)
	}
	b.payload.Reset()
	// The buffer grows with the bytes read, not with the length claimed.
	if _, err := io.CopyN(&b.payload, b.r, int64(length)); err != nil {
		return nil, unexpected(err)
	}
	if crc32.Checksum(b.payload.Bytes(), castagnoli) != binary.LittleEndian.Uint32(sum[:]) {
		return nil, errChecksum
	}
	return b.payload.Bytes(), nil
}

func unexpected(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
