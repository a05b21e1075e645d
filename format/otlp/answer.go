package otlp

import (
	"stacksnap/format/internal/protobuf"
	"stacksnap/format/words"
)

// Rejected reads what a server answers to OpenTelemetry's profiles
// (collector/profiles/v1development/profiles_service.proto): how many of them it did not
// take, and what it says of them or as a warning. It is 0 and empty where it took all.
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

// StatusMessage reads what a server says of an error, which is a google.rpc.Status
// (rpc/status.proto); empty where it says nothing that can be read.
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

// isMessage reports whether all of it can be read.
func isMessage(m []byte) bool {
	return protobuf.Each(m, func(protobuf.Field) error { return nil }) == nil
}
