package cli

import "errors"

// isUsage reports whether an error is one of how stacksnap was called.
func isUsage(err error) bool { return errors.As(err, new(UsageError)) }
