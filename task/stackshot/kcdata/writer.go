package kcdata

import "encoding/binary"

// Writer makes buffers, as the kernel does. The zero value is ready.
type Writer struct{ buf []byte }

// Bytes returns what was written.
func (w *Writer) Bytes() []byte { return w.buf }

// Begin writes the item that a buffer starts with. kind says what is in the buffer.
func (w *Writer) Begin(kind uint32) { w.header(kind, 0, 0) }

// End writes the item that a buffer ends with.
func (w *Writer) End() { w.header(BufferEnd, 0, 0) }

// Raw writes an item as it was read.
func (w *Writer) Raw(it Item) {
	w.header(it.Type, len(it.Payload), it.Flags)
	w.buf = append(w.buf, it.Payload...)
}

// Item writes an item of which the flags tell the padding.
func (w *Writer) Item(t uint32, data []byte) {
	pad := padding(len(data))
	w.header(t, len(data)+pad, uint64(pad)|hasPadding)
	w.padded(data, pad)
}

// Struct writes a structure, as [Encode] does.
func (w *Writer) Struct(t uint32, v any) { w.Item(t, Encode(v)) }

// Number writes a number of 8 bytes.
func (w *Writer) Number(t uint32, n uint64) { w.Item(t, binary.LittleEndian.AppendUint64(nil, n)) }

// Text writes a text with the zero byte that ends it.
func (w *Writer) Text(t uint32, text string) { w.Item(t, append([]byte(text), 0)) }

// Named writes an item with its name, of which 31 bytes are kept.
func (w *Writer) Named(t uint32, name string, data []byte) {
	b := make([]byte, nameSize, nameSize+len(data))
	copy(b[:nameSize-1], name)
	w.Item(t, append(b, data...))
}

// Array writes elements of one size, count of them.
func (w *Writer) Array(t uint32, count int, data []byte) {
	pad := padding(len(data))
	w.header(Array|uint32(pad), len(data)+pad, uint64(t)<<32|uint64(uint32(count)))
	w.padded(data, pad)
}

// Open begins a container of a sort, with its number.
func (w *Writer) Open(sort uint32, id uint64) {
	w.header(ContainerBegin, alignment, id)
	w.padded(binary.LittleEndian.AppendUint32(nil, sort), alignment-4)
}

// Close ends the container with that number.
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
