package debuginfod

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
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
	body, size, err := c.open(ctx, address)
	if err != nil {
		return causeOf(ctx, err)
	}
	defer func() { _ = body.Close() }() // it was only read
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	to, err := os.CreateTemp(filepath.Dir(path), "debuginfo.")
	if err != nil {
		return err
	}
	from := &progress{from: body, size: size, moved: func() { watch.Reset(c.stall) }, tell: c.tell, host: hostOf(address)}
	n, err := io.Copy(to, io.LimitReader(from, c.size+1))
	if err == nil && n > c.size {
		err = errSize
	}
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

// open asks for a file, of so many bytes; -1 where the server does not say.
func (c *Client) open(ctx context.Context, address string) (io.ReadCloser, int64, error) {
	ask, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, 0, err
	}
	ask.Header.Set("User-Agent", "stacksnap")
	got, err := c.http.Do(ask)
	if err != nil {
		return nil, 0, err
	}
	if got.StatusCode == http.StatusOK {
		return got.Body, got.ContentLength, nil
	}
	_ = got.Body.Close() // nobody reads it
	if got.StatusCode == http.StatusNotFound {
		return nil, 0, errNotThere
	}
	return nil, 0, fmt.Errorf("it answered %s", got.Status)
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
	size  int64  // -1: not known
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
		of := ""
		if p.size > 0 {
			of = fmt.Sprintf(" of %.1f", float64(p.size)/1e6)
		}
		p.tell(fmt.Sprintf("debuginfod: %.1f%s MB from %s", float64(p.n)/1e6, of, p.host))
	}
	return n, err
}
