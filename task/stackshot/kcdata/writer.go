package kcdata

import "encoding/binary"

// Writer writes buffers as the kernel does. The zero value is ready for use.
type Writer struct{ buf []byte }

// Bytes returns what was written.
func (w *Writer) Bytes() []byte { return w.buf }

// Begin writes the first item of a buffer. kind is what is in the buffer.
func (w *Writer) Begin(kind uint32) { w.header(kind, 0, 0) }

// End writes the last item of a buffer.
func (w *Writer) End() { w.header(BufferEnd, 0, 0) }

// Raw writes an item as it was read.
func (w *Writer) Raw(it Item) {
	w.header(it.Type, len(it.Payload), it.Flags)
	w.buf = append(w.buf, it.Payload...)
}

// Item writes an item whose flags declare the padding.
func (w *Writer) Item(t uint32, data []byte) {
	pad := padding(len(data))
	w.header(t, len(data)+pad, uint64(pad)|hasPadding)
	w.padded(data, pad)
}

// Struct writes a structure; see [Encode].
func (w *Writer) Struct(t uint32, v any) { w.Item(t, Encode(v)) }

// Number writes an 8-byte number.
func (w *Writer) Number(t uint32, n uint64) { w.Item(t, binary.LittleEndian.AppendUint64(nil, n)) }

// Text writes text with a terminating zero byte.
func (w *Writer) Text(t uint32, text string) { w.Item(t, append([]byte(text), 0)) }

// Named writes an item with a name, which is cut to 31 bytes.
func (w *Writer) Named(t uint32, name string, data []byte) {
	b := make([]byte, nameSize, nameSize+len(data))
	copy(b[:nameSize-1], name)
	w.Item(t, append(b, data...))
}

// Array writes count elements of equal size.
func (w *Writer) Array(t uint32, count int, data []byte) {
	pad := padding(len(data))
	w.header(Array|uint32(pad), len(data)+pad, uint64(t)<<32|uint64(uint32(count)))
	w.padded(data, pad)
}

// Open writes the start of a container of a kind, with its id.
func (w *Writer) Open(sort uint32, id uint64) {
	w.header(ContainerBegin, alignment, id)
	w.padded(binary.LittleEndian.AppendUint32(nil, sort), alignment-4)
}

// Close writes the end of the container with that id.
func (w *Writer) Close(id uint64) { w.header(ContainerEnd, 0, id) }

func (w *Writer) header(t uint32, size int, flags uint64) {
	w.buf = binary.LittleEndian.AppendUint32(w.buf, t)
	w.buf = binary.LittleEndian.AppendUint32(w.buf, uint32(size))
	w.buf = binary.LittleEndian.AppendUint64(w.buf, flags)
}

func (w *Writer) padded(data []byte, pad int) {
	w.buf = append(w.buf, data...)
	w.buf = append(w.buf, make([]byte, pad)...)
}
