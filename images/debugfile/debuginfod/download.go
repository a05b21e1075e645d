package debuginfod

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"stacksnap/images/elf"
)

var (
	errNotThere = errors.New("it has no such file")
	errTime     = errors.New("given up, for it took too long")
	errStall    = errors.New("given up, for nothing came any more")
	errSize     = errors.New("given up, for the file is too large")
	errOther    = errors.New("it sent something else than the file of that build-id")
)

// download fetches a file, proves that it has the build-id, and puts it in its place at
// once, so that others that use the folder never see a part of it.
func (c *Client) download(ctx context.Context, address string, id []byte, path string) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watch := time.AfterFunc(c.stall, func() { cancel(errStall) })
	defer watch.Stop()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	to, err := os.CreateTemp(filepath.Dir(path), "debuginfo.")
	if err != nil {
		return err
	}
	moved := func() { watch.Reset(c.stall) }
	n, err := transfer(ctx, address, func(from io.Reader) (int64, error) {
		from = &progress{from: from, moved: moved, tell: c.tell, host: hostOf(address)}
		n, err := io.Copy(to, io.LimitReader(from, c.size+1))
		if err == nil && n > c.size {
			err = errSize
		}
		return n, err
	})
	if err == nil {
		err = prove(to, n, id)
	}
	err = errors.Join(causeOf(ctx, err), to.Close())
	if err == nil {
		err = os.Rename(to.Name(), path)
	}
	if err != nil {
		_ = os.Remove(to.Name()) // why it is not wanted is told
	}
	return err
}

// causeOf is why what failed was ended, where it was.
func causeOf(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); err != nil && cause != nil {
		return cause
	}
	return err
}

func prove(file *os.File, size int64, id []byte) error {
	f, err := elf.NewFile(struct{ io.ReaderAt }{file}, size)
	if err != nil || !bytes.Equal(f.ID(), id) {
		return errOther
	}
	return nil
}

// keepMiss notes that no server has a file, by an empty one, as elfutils does. What
// another program has put there meanwhile stays.
func keepMiss(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Chtimes(path, time.Time{}, time.Now()))
}

func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	return u.Host
}

// progress tells how far a download is.
type progress struct {
	from  io.Reader
	moved func() // some of it came
	tell  func(line string)
	host  string
	n     int64
	told  time.Time
}

// Read implements [io.Reader].
func (p *progress) Read(b []byte) (int, error) {
	n, err := p.from.Read(b)
	p.n += int64(n)
	if n > 0 {
		p.moved()
	}
	if p.tell != nil && time.Since(p.told) > 100*time.Millisecond {
		p.told = time.Now()
		p.tell(fmt.Sprintf("debuginfod: %.1f MB from %s", float64(p.n)/1e6, p.host))
	}
	return n, err
}
