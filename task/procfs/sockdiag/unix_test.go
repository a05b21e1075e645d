//go:build linux

package sockdiag

import (
	"encoding/binary"
	"testing"

	"golang.org/x/sys/unix"
)

// answerOf returns the kernel's answer about a Unix socket with attributes.
func answerOf(inode uint32, attributes ...[]byte) []byte {
	b := make([]byte, headerSize+unixAnswerSize)
	e := binary.NativeEndian
	e.PutUint16(b[4:], sockDiagByFamily)
	b[headerSize] = unix.AF_UNIX
	e.PutUint32(b[headerSize+4:], inode)
	for _, a := range attributes {
		b = append(b, a...)
	}
	e.PutUint32(b, uint32(len(b)))
	return b
}

func attributeOf(typ uint16, value ...byte) []byte {
	b := binary.NativeEndian.AppendUint16(nil, uint16(4+len(value)))
	b = append(binary.NativeEndian.AppendUint16(b, typ), value...)
	for len(b)%4 != 0 {
		b = append(b, 0)
	}
	return b
}

func TestPeerOf(t *testing.T) {
	peer := attributeOf(unixPeer, 7, 0, 0, 0)
	whole := answerOf(5, attributeOf(6, 1), peer)
	if got, ok := peerOf(whole, 5); !ok || got != 7 {
		t.Errorf("%d, %t", got, ok)
	}
	for name, b := range map[string][]byte{
		"none": answerOf(5), "another socket": answerOf(6, peer), "no peer": answerOf(5, attributeOf(unixPeer, 0, 0, 0, 0)),
		"short attribute": answerOf(5, []byte{1, 0, 2, 0}), "long attribute": answerOf(5, []byte{200, 0, 2, 0, 7, 0, 0, 0}),
		"an error": append(binary.NativeEndian.AppendUint32(nil, 36), make([]byte, 32)...),
	} {
		if got, ok := peerOf(b, 5); ok {
			t.Errorf("%s: %d", name, got)
		}
	}
	for n := range whole {
		peerOf(whole[:n], 5) // must not panic
	}
}
