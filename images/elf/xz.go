package elf

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"

	"github.com/ulikunitz/xz/lzma"
)

// maxDictionary is the maximum memory of decompression in bytes: that of xz -9. The
// container format is decoded here, because a header of eight bytes can request 4 GB.
const maxDictionary = 64 << 20

var errXZ = errors.New("not an .xz stream that can be read")

// xzReader decompresses an .xz stream (The .xz File Format, 1.2.1) of LZMA2 blocks.
// It does not verify their checks.
type xzReader struct {
	from  *bytes.Reader
	check int      // bytes of check after each block
	block *xzBlock // nil: between blocks
}

// xzBlock is a block that is being read.
type xzBlock struct {
	*lzma.Reader2
	start int64 // offset of its data
}

// newXZ reads the header of a stream.
func newXZ(b []byte) (*xzReader, error) {
	const head = 12 // magic, flags, CRC32 of the flags
	if len(b) < head || !bytes.HasPrefix(b, []byte("\xfd7zXZ\x00\x00")) || crc32.ChecksumIEEE(b[6:8]) != binary.LittleEndian.Uint32(b[8:]) {
		return nil, errXZ
	}
	sizes := [16]int{0, 4, 4, 4, 8, 8, 8, 16, 16, 16, 32, 32, 32, 64, 64, 64}
	return &xzReader{from: bytes.NewReader(b[head:]), check: sizes[b[7]&0x0f]}, nil
}

// Read implements [io.Reader].
func (x *xzReader) Read(p []byte) (int, error) {
	for {
		if x.block == nil {
			if err := x.begin(); err != nil {
				return 0, err
			}
		}
		n, err := x.block.Read(p)
		if errors.Is(err, io.EOF) {
			err = x.end()
		}
		if n > 0 || err != nil || len(p) == 0 {
			return n, err
		}
	}
}

// begin starts the next block. It returns [io.EOF] if there is none.
func (x *xzReader) begin() error {
	size, err := x.from.ReadByte()
	switch {
	case err != nil:
		return io.ErrUnexpectedEOF
	case size == 0:
		return io.EOF // the index of the blocks follows
	}
	head := make([]byte, 4*(int(size)+1))
	head[0] = size
	if _, err := io.ReadFull(x.from, head[1:]); err != nil {
		return errXZ
	}
	dictionary, err := dictionaryOf(head)
	if err != nil {
		return err
	}
	b := &xzBlock{start: x.at()}
	b.Reader2, err = lzma.Reader2Config{DictCap: dictionary}.NewReader2(x.from)
	x.block = b
	return err
}

// dictionaryOf returns the dictionary size of a block that is compressed by LZMA2
// alone.
func dictionaryOf(head []byte) (int, error) {
	sum := len(head) - 4
	if crc32.ChecksumIEEE(head[:sum]) != binary.LittleEndian.Uint32(head[sum:]) {
		return 0, errXZ
	}
	fields := head[2:sum]
	for _, has := range []byte{0x40, 0x80} { // compressed and uncompressed size
		if head[1]&has != 0 {
			_, n := binary.Uvarint(fields)
			fields = fields[max(n, 0):]
		}
	}
	const lzma2 = 0x21
	if head[1]&0x3f != 0 || len(fields) < 3 || fields[0] != lzma2 || fields[1] != 1 {
		return 0, errXZ
	}
	size, err := lzma.DecodeDictCap(fields[2])
	if err != nil || size > maxDictionary {
		return 0, errXZ
	}
	return max(int(size), lzma.MinDictCap), nil
}

// end skips the padding and check after a block's data.
func (x *xzReader) end() error {
	if !x.block.EOS() {
		return io.ErrUnexpectedEOF
	}
	padding := (x.block.start - x.at()) & 3
	x.block = nil
	_, err := x.from.Seek(padding+int64(x.check), io.SeekCurrent)
	return err
}

func (x *xzReader) at() int64 { return x.from.Size() - int64(x.from.Len()) }
