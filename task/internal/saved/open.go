package saved

import (
	"fmt"
	"os"
)

// OpenRegular opens a file that may be a core, and returns its size. What is no
// regular file, such as a pipe, is refused with notCore.
func OpenRegular(path string, notCore error) (*os.File, int64, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, 0, err
	}
	st, err := f.Stat()
	if err == nil && !st.Mode().IsRegular() {
		err = fmt.Errorf("%w: not a regular file", notCore)
	}
	if err != nil {
		_ = f.Close() // it was only read
		return nil, 0, fmt.Errorf("%s: %w", path, err)
	}
	return f, st.Size(), nil
}
