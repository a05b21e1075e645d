//go:build !darwin

package live

import "stacksnap/task/stackshot"

// Stackshots returns an error: only macOS has stackshots.
func Stackshots(int) (stackshot.Source, error) { return nil, stackshot.ErrNoSource }
