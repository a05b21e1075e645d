package jsonpart

import (
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"strings"
)

// shape says which parts of a value to keep.
type shape struct {
	fields  map[string]*shape // shapes of members, for a struct
	values  *shape            // shape of the values, for a map
	element *shape            // shape of the elements, for a list
}

// anything is the shape that keeps a value of any kind.
var anything = func() *shape {
	s := new(shape)
	s.values, s.element = s, s
	return s
}()

var unmarshaler = reflect.TypeFor[json.Unmarshaler]()

// shapeOf returns the shape of what [json.Unmarshal] stores in a type.
func (r *Reader) shapeOf(t reflect.Type) *shape {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if s := r.shapes[t]; s != nil {
		return s
	}
	s := new(shape)
	r.shapes[t] = s // before its fields, which may have the same type
	switch {
	case reflect.PointerTo(t).Implements(unmarshaler) || t.Kind() == reflect.Interface:
		*s = *anything
	case t.Kind() == reflect.Struct:
		s.fields = map[string]*shape{}
		for _, f := range reflect.VisibleFields(t) {
			if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" {
				s.fields[name] = r.shapeOf(f.Type)
			}
		}
	case t.Kind() == reflect.Map:
		s.values = r.shapeOf(t.Elem())
	case t.Kind() == reflect.Slice || t.Kind() == reflect.Array:
		s.element = r.shapeOf(t.Elem())
	}
	return s
}

// keepValue reads a value. It keeps all of a small one, as json.Unmarshal ignores unknown
// members faster than keep does.
func (r *Reader) keepValue(s *shape) error {
	c, err := r.next()
	if err != nil {
		return err
	}
	if c != '{' && c != '[' {
		return r.keep(s, 0)
	}
	for _, size := range []int{r.from.Buffered(), bufferSize} {
		b, _ := r.from.Peek(min(size, r.atOnce)) // fewer bytes at the end of the document
		if n, elements := nested(b); n > 0 {
			r.value, r.elements = append(r.value, b[:n]...), elements
			r.discard(n)
			return nil
		}
	}
	return r.keep(s, 0)
}

// nested returns the size of the object or list that b begins with, and an upper bound of
// its number of elements; 0 if b does not contain its end.
func nested(b []byte) (size, elements int) {
	depth := 0
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '"':
			n, end := textPart(b[i+1:])
			if !end {
				return 0, 0
			}
			i += n
		case '{', '[':
			depth++
			elements++
		case ',':
			elements++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1, elements
			}
		}
	}
	return 0, 0
}

// keep reads a value, and keeps the parts that the shape names.
func (r *Reader) keep(s *shape, depth int) error {
	c, err := r.next()
	switch {
	case err != nil:
		return err
	case depth > maxDepth || len(r.value) > maxValue:
		return ErrTooLarge
	case c == '{' && (s.fields != nil || s.values != nil):
		return r.keepObject(s, depth)
	case c == '[' && s.element != nil:
		return r.keepList(s, depth)
	case c == '{' || c == '[':
		r.value = append(r.value, c, c+2) // c+2 is the closing bracket in ASCII
		return r.Skip()
	case c == '"':
		r.discard(1)
		value, err := r.text(append(r.value, '"'), len(r.value)+maxText)
		if err == nil {
			r.value = value
		}
		return err
	}
	value, err := r.scalar(r.value)
	if err == nil {
		r.value = value
	}
	return err
}

func (r *Reader) keepObject(s *shape, depth int) error {
	r.value = append(r.value, '{')
	first := true
	err := r.Members(func(name string) error {
		of := s.values
		if s.fields != nil {
			of = s.fields[name]
		}
		if of == nil {
			return r.Skip()
		}
		if err := r.separate(&first); err != nil {
			return err
		}
		quoted, err := json.Marshal(name)
		if err != nil {
			return err
		}
		r.value = append(append(r.value, quoted...), ':')
		return r.keep(of, depth+1)
	})
	r.value = append(r.value, '}')
	return err
}

func (r *Reader) keepList(s *shape, depth int) error {
	r.value = append(r.value, '[')
	first := true
	err := r.Elements(func() error {
		if err := r.separate(&first); err != nil {
			return err
		}
		return r.keep(s.element, depth+1)
	})
	r.value = append(r.value, ']')
	return err
}

// separate counts an element, and writes a comma before all but the first.
func (r *Reader) separate(first *bool) error {
	if r.elements++; r.elements > maxElements {
		return ErrTooLarge
	}
	if !*first {
		r.value = append(r.value, ',')
	}
	*first = false
	return nil
}

// ended returns err, with io.ErrUnexpectedEOF in place of io.EOF.
func (r *Reader) ended(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
