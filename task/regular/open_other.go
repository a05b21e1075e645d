//go:build !linux

package regular

import (
	"errors"
	"io/fs"
	"os"
)

// open examines the file before and after opening it, because the name may be another
// file's by then.
func open(name string) (*os.File, fs.FileInfo, error) {
	info, err := os.Stat(name)
	if err == nil {
		err = check(info)
	}
	if err != nil {
		return nil, nil, err
	}
	file, err := os.OpenFile(name, os.O_RDONLY|dontWait, 0)
	if err != nil {
		return nil, nil, err
	}
	if info, err = file.Stat(); err == nil {
		err = check(info)
	}
	if err != nil {
		return nil, nil, errors.Join(err, file.Close())
	}
	return file, info, nil
}
