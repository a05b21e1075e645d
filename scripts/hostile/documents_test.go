//go:build hostile && linux

package hostile

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// bomb is a document that is small on the disk, and large or costly once it is read.
type bomb struct {
	begin, part string
	parts       int
	end         string
	says        string // in the one line on standard error; empty: it is read
	loose       bool   // it inflates to no more than is allowed, so that all of it is read
}

const (
	profileBegin = `{"schema":"stacksnap.profile","version":2,"target":{"pid":1,"arch":"amd64","live":false},"snapshots":1,`
	profileEnd   = `"threads":[{"id":1,"state":"running","samples":1,"nodes":[{"parent":-1,"function":"main","count":1,"self":1}]}]}`
	digits       = "########" // others each time
	node         = `{"parent":-1,"count":1},`
)

// documentBombs are JSON documents of stacksnap.
var documentBombs = map[string]bomb{
	"a text of 700 MB":           {profileBegin + `"unknown":"`, strings.Repeat("x", 990) + digits, 700_000, `",` + profileEnd, "", true},
	"300 million numbers":        {profileBegin + `"unknown":[`, strings.Repeat("1,", 1000) + digits + ",", 300_000, `1],` + profileEnd, "", true},
	"20 million keys":            {profileBegin + `"unknown":{`, strings.Repeat(`"key":1,`, 1000) + `"` + digits + `":1,`, 20_000, `"k":1},` + profileEnd, "", true},
	"deep":                       {profileBegin + `"unknown":`, strings.Repeat("[", 1000), 300_000, ``, "unpacks", false},
	"a text of 700 MB, known":    {profileBegin + `"summary":"`, strings.Repeat("x", 1000), 700_000, `",` + profileEnd, "too large", false},
	"300 million notes":          {profileBegin + `"notes":[`, strings.Repeat("1,", 1000), 300_000, `1],` + profileEnd, "too large", false},
	"20 million images":          {profileBegin + `"images":[`, strings.Repeat("{},", 1000), 20_000, `{}],` + profileEnd, "too large", false},
	"20 million deadlocks":       {profileBegin + `"deadlocks":[[`, strings.Repeat("{},", 1000), 20_000, `{}]],` + profileEnd, "too large", false},
	"20 million threads":         {profileBegin + `"threads":[`, strings.Repeat("{},", 1000), 20_000, `{}]}`, "too large", false},
	"20 million states":          {profileBegin + `"threads":[{"states":{`, strings.Repeat(`"key":1,`, 1000), 20_000, `"k":1}}]}`, "too large", false},
	"20 million others":          {profileBegin + `"threads":[{"same":[`, strings.Repeat(`{},`, 1000), 20_000, `{}]}]}`, "too large", false},
	"others in each thread":      {profileBegin + `"threads":[`, `{"same":[` + strings.Repeat(`{},`, 1000) + `{}]},`, 20_000, `{}]}`, "too large", false},
	"names in each thread":       {profileBegin + `"threads":[`, `{"name":"` + strings.Repeat("x", 1<<12) + digits + digits + digits + `"},`, 40_000, `{}]}`, "too large", true},
	"20 million addresses":       {profileBegin + `"threads":[{"nodes":[`, `{"parent":-1,"count":1,"also":[` + strings.Repeat(`"0",`, 1000) + `"0"]},`, 20_000, `{}]}]}`, "too large", false},
	"20 million nodes":           {profileBegin + `"threads":[{"nodes":[`, strings.Repeat(node, 1000), 20_000, `{}]}]}`, "too large", false},
	"no document, a text":        {`{"unknown":"`, strings.Repeat("x", 990) + digits, 700_000, `"}`, "neither a", true},
	"no document, in the clear":  {``, strings.Repeat(" ", 1000), 700_000, ``, "unpacks", false},
	"no document, many brackets": {``, strings.Repeat("[", 1000), 700_000, ``, "neither a", false},
}

// TestDocumentBombs: each ends in time and memory, with a report or one line.
func TestDocumentBombs(t *testing.T) {
	for name, b := range documentBombs {
		t.Run(name, func(t *testing.T) { b.run(t, "it.json.gz", toGzip) })
	}
	b := documentBombs["300 million numbers"]
	b.says, b.loose = "unpacks", false
	t.Run("zstd", func(t *testing.T) { b.run(t, "it.json.zst", toZstd) })
}

// pprofField is a field of a message that is bytes.
func pprofField(number int, m string) string {
	return string(binary.AppendUvarint([]byte{byte(number<<3 | 2)}, uint64(len(m)))) + m
}

var pprofBegin = pprofField(6, "") + pprofField(6, "samples") + pprofField(6, "count") + pprofField(1, "\x08\x01\x10\x02")

var pprofSample = pprofField(2, "\x0a\x04\x01\x01\x01\x01\x12\x01\x01")

// pprofBombs are profiles of pprof. The sizes of numbers are those of profile.proto.
var pprofBombs = map[string]bomb{
	"100 million samples":   {pprofBegin, strings.Repeat(pprofField(2, ""), 1000), 100_000, "", "too large", false},
	"100 million strings":   {pprofBegin, strings.Repeat(pprofField(6, ""), 1000), 100_000, "", "too large", false},
	"100 million locations": {pprofBegin, strings.Repeat(pprofField(4, ""), 1000), 100_000, "", "too large", false},
	"100 million functions": {pprofBegin, strings.Repeat(pprofField(5, ""), 1000), 100_000, "", "too large", false},
	"100 million mappings":  {pprofBegin, strings.Repeat(pprofField(3, ""), 1000), 100_000, "", "too large", false},
	"100 million types":     {pprofBegin, strings.Repeat(pprofField(1, ""), 1000), 100_000, "", "too large", false},
	"100 million comments":  {pprofBegin, strings.Repeat(pprofField(13, "\x01"), 1000), 100_000, pprofSample, "too large", false},
	"one long sample":       {pprofBegin + "\x12\xff\xff\xff\x7f\x0a\xff\xff\xff\x7e", strings.Repeat("\x01", 1000), 300_000, "", "too large", false},
	"one long string":       {pprofBegin + "\x32\xff\xff\xff\x7f", strings.Repeat("x", 1000), 300_000, "", "too large", false},
	"an unknown field":      {pprofBegin + "\xfa\x01\xff\xff\xff\x7f", strings.Repeat("x", 1000), 268435455/1000 + 1, "", "unpacks", false},
	"huge counts":           {pprofBegin, pprofField(2, "\x12\x09\xff\xff\xff\xff\xff\xff\xff\xff\x7f"), 1, "", "a sample counts", false},
	"a deep stack":          {pprofBegin + pprofField(4, "\x08\x01\x22\x02\x08\x01") + pprofField(5, "\x08\x01\x10\x01"), pprofField(2, "\x0a\xd0\x0f"+strings.Repeat("\x01", 2000)+"\x12\x01\x01"), 30_000, "", "too large", false},
	"many inlined":          {pprofBegin + pprofField(4, "\x08\x01"+strings.Repeat("\x22\x02\x08\x01", 10_000)), pprofField(2, "\x0a\xe8\x07"+strings.Repeat("\x01", 1000)+"\x12\x01\x01"), 1000, "", "too large", false},
}

func TestPprofBombs(t *testing.T) {
	for name, b := range pprofBombs {
		t.Run(name, func(t *testing.T) { b.run(t, "it.pb.gz", toGzip) })
	}
}

const (
	ipsBegin = `{"bug_type":"309","name":"it"}` + "\n" + `{"pid":1,"procName":"it",`
	ipsEnd   = `"threads":[{"id":1,"triggered":true,"frames":[{"imageOffset":1,"imageIndex":0}]}],"usedImages":[{"base":4096,"size":4096,"path":"/it"}]}`
	ipsFrame = `{"imageOffset":1,"imageIndex":0},`
)

// ipsBombs are reports of crashes, of which not more than 64 MB are read.
var ipsBombs = map[string]bomb{
	"a text of 60 MB":         {ipsBegin + `"unknown":"`, strings.Repeat("x", 1000), 60_000, `",` + ipsEnd, "", false},
	"30 million numbers":      {ipsBegin + `"unknown":[`, strings.Repeat("1,", 1000), 30_000, `1],` + ipsEnd, "", false},
	"30 million in asi":       {ipsBegin + `"asi":{"it":[`, strings.Repeat("1,", 1000), 30_000, `1]},` + ipsEnd, "", false},
	"300,000 keys":            {ipsBegin + `"asi":{`, `"` + digits + `":[` + strings.Repeat("[],", 50) + `1],`, 300_000, `"k":1},` + ipsEnd, "", true},
	"many unknown":            {ipsBegin, `"` + digits + digits + `":` + strings.Repeat("1", 500) + `,`, 100_000, ipsEnd, "", true},
	"a thread of many frames": {ipsBegin + `"threads":[{"id":1,"frames":[`, strings.Repeat(ipsFrame, 10), 150_000, `{}]}]}`, "", false},
	"threads of many frames":  {ipsBegin + `"threads":[`, `{"id":` + "1" + `,"frames":[` + strings.Repeat(ipsFrame, 1000) + `{}]},`, 1800, `{}]}`, "", false},
	"many threads":            {ipsBegin + `"threads":[`, `{"id":1,"frames":[` + ipsFrame + `{}],"threadState":{"x":[1,2,3]}},`, 700_000, `{}]}`, "", false},
	"many images":             {ipsBegin + `"usedImages":[`, `{"base":4096,"size":4096,"path":"/` + digits + `"},`, 1_000_000, `{}]}`, "", false},
	"many exceptions":         {ipsBegin + `"lastExceptionBacktrace":[`, ipsFrame, 1_800_000, `{}],` + ipsEnd, "", false},
	"many notes":              {ipsBegin + `"reportNotes":[`, `"` + digits + `",`, 5_000_000, `""],` + ipsEnd, "", false},
	"a text told":             {ipsBegin + `"asiBacktraces":["`, `0 it 0x0000000000001001 0x1000 + 1\n`, 1_500_000, `"],` + ipsEnd, "", false},
	"deep":                    {ipsBegin + `"asi":{"it":`, strings.Repeat("[", 1000), 60_000, ``, "", false},
}

// TestIPSBombs: each is read as far as there is room.
func TestIPSBombs(t *testing.T) {
	for name, b := range ipsBombs {
		t.Run(name, func(t *testing.T) { b.run(t, "it.ips", inTheClear) })
	}
}

func inTheClear(w io.Writer) (io.WriteCloser, error) { return nopCloser{w}, nil }

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// toGzip packs at once rather than well: most of the time of these tests is writing bombs.
func toGzip(w io.Writer) (io.WriteCloser, error) { return gzip.NewWriterLevel(w, gzip.BestSpeed) }

func toZstd(w io.Writer) (io.WriteCloser, error) {
	return zstd.NewWriter(w, zstd.WithWindowSize(8<<20), zstd.WithEncoderConcurrency(1))
}

// run compares a bomb with itself, which reads it, and reports on it.
func (b *bomb) run(t *testing.T, name string, pack func(io.Writer) (io.WriteCloser, error)) {
	path := filepath.Join(t.TempDir(), name)
	b.write(t, path, pack)
	calls := [][]string{{path}, {"diff", path, path}}
	switch {
	case strings.Contains(name, ".ips"):
		calls = calls[:1] // it is not compared
	case strings.Contains(name, ".pb"):
		calls = calls[1:] // it is not reported on
	}
	for _, args := range calls {
		files := len(args) - len(args)/3 // two of diff
		r := snap(t, time.Duration(files)*limit, args...)
		r.check(t)
		t.Logf("%s: %v, %d MB, %s", args[0], r.took, r.peak>>20, r.err)
		if b.says == "" && r.code != 0 || b.says != "" && r.code == 0 || !strings.Contains(r.err, b.says) || strings.Count(r.err, "\n") > 1 {
			t.Errorf("exit code %d, want %q: %.1000s", r.code, b.says, r.err)
		}
	}
}

func (b *bomb) write(t *testing.T, path string, pack func(io.Writer) (io.WriteCloser, error)) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := pack(f)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(z, b.begin); err != nil {
		t.Fatal(err)
	}
	for part := range b.inPieces() {
		if _, err := z.Write(part); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := io.WriteString(z, b.end); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
}

// inPieces gives the parts, some at a time.
func (b *bomb) inPieces() iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		many := max(1, min(b.parts, 1<<20/len(b.part)))
		same := bytes.Repeat([]byte(b.part), many)
		random := rand.New(rand.NewPCG(1, 2))
		for left := b.parts; left > 0; left -= many {
			piece := same[:min(left, many)*len(b.part)]
			if b.loose {
				piece = bytes.Clone(piece)
			}
			for rest := piece; b.loose; {
				i := bytes.IndexByte(rest, digits[0])
				if i < 0 {
					break
				}
				rest = rest[i+copy(rest[i:], fmt.Sprintf("%08d", random.IntN(1e8))):]
			}
			if !yield(piece) {
				return
			}
		}
	}
}
