package debuginfod

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"time"

	"stacksnap/images/elf"
	"stacksnap/task/bounded"
)

var (
	errNotThere = errors.New("it has no such file")
	errTime     = errors.New("given up, for it took too long")
	errStall    = errors.New("given up, for too little came")
	errSize     = errors.New("given up, for the file is too large")
	errOther    = errors.New("it sent something else than the file of that build-id")
)

// download fetches a file, checks its build-id, and moves it into place atomically,
// so that other users of the cache never see part of it.
func (c *Client) download(ctx context.Context, address string, id []byte, kept *entry) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watch := time.AfterFunc(c.stall, func() { cancel(errStall) })
	defer watch.Stop()
	to, err := kept.dir.Temporary()
	if err != nil {
		return err
	}
	defer to.Drop()
	limit := min(c.size, c.all, kept.dir.Free()/2)
	moved := func() { watch.Reset(c.stall) }
	n, err := transfer(ctx, address, func(from io.Reader) (int64, error) {
		return receive(to, &progress{from: from, moved: moved, tell: c.tell, host: hostOf(address)}, limit)
	})
	c.all -= n
	if err == nil {
		err = prove(to, n, id)
	}
	if err == nil {
		err = to.Replace(fileName)
	}
	return causeOf(ctx, err)
}

// receive copies a file. It fails if the file is larger than limit, or than its own
// header implies.
func receive(to io.Writer, from io.Reader, limit int64) (int64, error) {
	start := bufio.NewReaderSize(from, 4096)
	header, _ := start.Peek(elfHeader) // the next read returns the error
	if len(header) >= len(elfMagic) && string(header[:len(elfMagic)]) != elfMagic {
		return 0, errOther
	}
	n, err := io.Copy(to, &bounded.Reader{From: start, Left: min(limit, expected(header))})
	if errors.Is(err, bounded.ErrTooLong) {
		err = errSize
	}
	return n, err
}

// causeOf replaces an error by the cause of ctx's cancellation, if ctx was cancelled.
func causeOf(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); err != nil && cause != nil {
		return cause
	}
	return err
}

func prove(file io.ReaderAt, size int64, id []byte) error {
	f, err := elf.NewFile(struct{ io.ReaderAt }{file}, size)
	if err != nil || !bytes.Equal(f.ID(), id) {
		return errOther
	}
	return nil
}

func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	return u.Host
}

// progress reports the progress of a download.
type progress struct {
	from  io.Reader
	moved func() // called when data was received
	tell  func(line string)
	host  string
	n     int64
	next  int64 // the byte count at which moved is called next
	told  time.Time
}

// minMoved is how many bytes must arrive to reset the stall timer. A server that
// sends more slowly counts as stalled.
const minMoved = 16 << 10

// Read implements [io.Reader].
func (p *progress) Read(b []byte) (int, error) {
	n, err := p.from.Read(b)
	p.n += int64(n)
	if n > 0 && p.n >= p.next {
		p.moved()
		p.next = p.n + minMoved
	}
	if p.tell != nil && time.Since(p.told) > 100*time.Millisecond {
		p.told = time.Now()
		p.tell(fmt.Sprintf("debuginfod: %.1f MB from %s", float64(p.n)/1e6, p.host))
	}
	return n, err
}
