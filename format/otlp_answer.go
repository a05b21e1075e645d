package format

// OTLPRejected reads what a server answers to OpenTelemetry's profiles
// (collector/profiles/v1development/profiles_service.proto): how many of them it did not
// take, and what it says of them or as a warning. It is 0 and empty where it took all.
func OTLPRejected(answer []byte) (n uint64, why string) {
	if !isMessage(answer) {
		return 0, ""
	}
	_ = eachField(answer, func(f pprofField) error {
		if f.number == 1 && f.isText && isMessage(f.bytes) {
			return eachField(f.bytes, func(f pprofField) error {
				switch {
				case f.number == 1 && !f.isText:
					n = f.value
				case f.number == 2 && f.isText:
					why = clean(string(f.bytes), maxText)
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
	_ = eachField(answer, func(f pprofField) error {
		if f.number == 2 && f.isText {
			text = clean(string(f.bytes), maxText)
		}
		return nil
	})
	return text
}

// isMessage tells whether all of it can be read.
func isMessage(m []byte) bool { return eachField(m, func(pprofField) error { return nil }) == nil }
