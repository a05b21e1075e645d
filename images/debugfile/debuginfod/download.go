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

// download fetches a file, proves that it has the build-id, and puts it in its place at
// once, so that others that use the cache never see a part of it.
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

// receive takes a file of at most limit bytes, and of not much more than its own header
// says.
func receive(to io.Writer, from io.Reader, limit int64) (int64, error) {
	start := bufio.NewReaderSize(from, 4096)
	header, _ := start.Peek(elfHeader) // an error comes again
	if len(header) >= len(elfMagic) && string(header[:len(elfMagic)]) != elfMagic {
		return 0, errOther
	}
	n, err := io.Copy(to, &bounded.Reader{From: start, Left: min(limit, expected(header))})
	if errors.Is(err, bounded.ErrTooLong) {
		err = errSize
	}
	return n, err
}

// causeOf is why what failed was ended, where it was.
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

// progress tells how far a download is.
type progress struct {
	from  io.Reader
	moved func() // some of it came
	tell  func(line string)
	host  string
	n     int64
	next  int64 // where enough has come since it moved
	told  time.Time
}

// minMoved is how many bytes must come before those that are waited for have come: a
// server that lets them drip is given up.
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
