package kcdata

import (
	"encoding/binary"
	"reflect"
)

// Decode sets the fields of the structure that v points to from a packed structure
// with the same fields: numbers of fixed sizes, and arrays of them. Structures grow
// at their end from version to version of the kernel: fields that are not completely
// present keep their values, and extra bytes are ignored. It returns how many fields
// are present.
func Decode(b []byte, v any) (fields int) {
	s := reflect.ValueOf(v).Elem()
	for i := range s.NumField() {
		f := s.Field(i)
		size := int(f.Type().Size())
		if size > len(b) {
			return i
		}
		decode(b[:size], f)
		b = b[size:]
	}
	return s.NumField()
}

func decode(b []byte, f reflect.Value) {
	if f.Kind() == reflect.Array {
		if f.Type().Elem().Kind() == reflect.Uint8 {
			reflect.Copy(f, reflect.ValueOf(b))
			return
		}
		size := len(b) / f.Len()
		for i := range f.Len() {
			decode(b[i*size:(i+1)*size], f.Index(i))
		}
		return
	}
	n := unsigned(b)
	if f.CanInt() {
		unused := 64 - 8*len(b)
		f.SetInt(int64(n<<unused) >> unused)
		return
	}
	f.SetUint(n)
}

// unsigned reads a number of up to 8 bytes.
func unsigned(b []byte) (n uint64) {
	for i := len(b) - 1; i >= 0; i-- {
		n = n<<8 | uint64(b[i])
	}
	return n
}

// Encode returns the bytes of a structure that [Decode] decodes.
func Encode(v any) []byte {
	var b []byte
	s := reflect.Indirect(reflect.ValueOf(v))
	for i := range s.NumField() {
		b = encode(b, s.Field(i))
	}
	return b
}

func encode(b []byte, f reflect.Value) []byte {
	if f.Kind() == reflect.Array {
		for i := range f.Len() {
			b = encode(b, f.Index(i))
		}
		return b
	}
	var n [8]byte
	if f.CanInt() {
		binary.LittleEndian.PutUint64(n[:], uint64(f.Int()))
	} else {
		binary.LittleEndian.PutUint64(n[:], f.Uint())
	}
	return append(b, n[:f.Type().Size()]...)
}
