//go:build !darwin

package live

import "stacksnap/task/stackshot"

// Stackshots says that only macOS has them.
func Stackshots(int) (stackshot.Source, error) { return nil, stackshot.ErrNoSource }
