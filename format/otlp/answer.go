package otlp

import (
	"stacksnap/format/internal/protobuf"
	"stacksnap/format/words"
)

// Rejected parses a server's answer to an upload
// (collector/profiles/v1development/profiles_service.proto). n is the number of profiles
// that the server rejected; why is its error message or warning. Both are zero if it
// accepted all.
func Rejected(answer []byte) (n uint64, why string) {
	if !isMessage(answer) {
		return 0, ""
	}
	_ = protobuf.Each(answer, func(f protobuf.Field) error {
		if f.Number == 1 && f.IsText && isMessage(f.Bytes) {
			return protobuf.Each(f.Bytes, func(f protobuf.Field) error {
				switch {
				case f.Number == 1 && !f.IsText:
					n = f.Value
				case f.Number == 2 && f.IsText:
					why = words.Clean(string(f.Bytes), words.MaxText)
				}
				return nil
			})
		}
		return nil
	})
	return n, why
}

// StatusMessage returns the message of an error answer, a google.rpc.Status
// (rpc/status.proto); empty if there is none.
func StatusMessage(answer []byte) (text string) {
	if !isMessage(answer) {
		return ""
	}
	_ = protobuf.Each(answer, func(f protobuf.Field) error {
		if f.Number == 2 && f.IsText {
			text = words.Clean(string(f.Bytes), words.MaxText)
		}
		return nil
	})
	return text
}

// isMessage reports whether m is a well-formed protocol buffer message.
func isMessage(m []byte) bool {
	return protobuf.Each(m, func(protobuf.Field) error { return nil }) == nil
}
