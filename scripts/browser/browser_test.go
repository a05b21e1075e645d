//go:build browser

package browser

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"stacksnap/format/html"
	"stacksnap/format/profile"
	"stacksnap/format/report"
	"stacksnap/format/words"
	"stacksnap/task/needs"
)

var shots = flag.String("shots", "", "a folder for pictures of the pages")

// browserPath is Chromium's, however it is called.
func browserPath(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	needs.Skip(t, "chromium", "not installed")
	return ""
}

// page is a page that is shown.
type page struct {
	*testing.T
	ctx context.Context

	mu       sync.Mutex
	requests []string // that it made, but for itself
	errors   []string
}

// show writes a page and shows it.
func show(t *testing.T, g *profile.Group) *page {
	t.Helper()
	file := filepath.Join(t.TempDir(), "it.html")
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := html.Write(f, report.OfGroup(g), words.Options{}); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	p := open(t, file)
	p.script("const m = document.getElementById('measure'); if (m.querySelector('[value=time]')) { m.value = 'time'; m.dispatchEvent(new Event('change')); }")
	return p
}

func one(p *profile.Profile) *profile.Group {
	return &profile.Group{Tool: p.Tool, Profiles: []*profile.Profile{p}}
}

// open shows a page in a browser of its own, which finds no host.
func open(t *testing.T, file string) *page {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(browserPath(t)), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.WindowSize(1400, 1000),
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND"))
	ctx, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	p := &page{T: t, ctx: ctx}
	url := "file://" + file
	if err := chromedp.Listen(ctx, func(event any) { p.note(url, event) }); err != nil {
		t.Fatal(err)
	}
	p.do(chromedp.Navigate(url), chromedp.WaitVisible(chromedp.CSS("#path button")))
	t.Cleanup(p.checkQuiet)
	return p
}

// note takes down what the page asks for, and what goes wrong in it.
func (p *page) note(url string, event any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		if e.Request.URL != url {
			p.requests = append(p.requests, e.Request.URL)
		}
	case *runtime.EventExceptionThrown:
		p.errors = append(p.errors, e.ExceptionDetails.Text)
	case *log.EventEntryAdded:
		if e.Entry.Level == log.EntryLevelError { // as what the policy refuses is
			p.errors = append(p.errors, e.Entry.Text)
		}
	}
}

// checkQuiet: the page has asked nobody for anything, nothing was refused, and no name
// has become a program.
func (p *page) checkQuiet() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.requests) > 0 || len(p.errors) > 0 {
		p.Errorf("requests %q, errors %q", p.requests, p.errors)
	}
}

func (p *page) do(actions ...chromedp.Action[chromedp.Void]) {
	p.Helper()
	if err := chromedp.Do(p.ctx, actions...); err != nil {
		p.Fatal(err)
	}
}

// eval is what an expression is in the page, once all was drawn.
func eval[T any](p *page, expression string) T {
	p.Helper()
	drawn := "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(" + expression + "))))"
	value, err := chromedp.Run(p.ctx, chromedp.Evaluate[T](drawn, chromedp.EvalAwaitPromise))
	if err != nil {
		p.Fatal(err)
	}
	return value
}

// script runs what a click or a key cannot do.
func (p *page) script(statements string) {
	p.Helper()
	p.do(chromedp.Evaluate[chromedp.Void]("(() => { " + statements + " })()"))
}

// click clicks an element.
func (p *page) click(selector string) {
	p.Helper()
	p.do(chromedp.Click(chromedp.CSS(selector)))
}

// text is that of an element.
func (p *page) text(selector string) string {
	p.Helper()
	return eval[string](p, "document.querySelector('"+selector+"').innerText")
}

// wants requires words in an element.
func (p *page) wants(selector string, words ...string) {
	p.Helper()
	got := p.text(selector)
	for _, w := range words {
		if !strings.Contains(got, w) {
			p.Errorf("%s is %q, without %q", selector, got, w)
		}
	}
}

// is requires an element's whole text.
func (p *page) is(selector, want string) {
	p.Helper()
	if got := p.text(selector); got != want {
		p.Errorf("%s is %q, want %q", selector, got, want)
	}
}

// clickFlame clicks the graph, at a share of its width and in the row of a depth where
// the root is at the top.
func (p *page) clickFlame(share float64, depth int) {
	p.Helper()
	box := eval[[]float64](p, "(() => { const b = document.getElementById('flame').getBoundingClientRect(); return [b.left, b.top, b.width]; })()")
	p.do(chromedp.MouseClickXY(box[0]+share*box[2], box[1]+19*float64(depth)+9))
}

// pixel is the colour at the lower edge of a frame, at a share of the graph's width and
// in the row of a depth.
func (p *page) pixel(share float64, depth int) string {
	p.Helper()
	return eval[string](p, fmt.Sprintf(`(() => {
		const flame = document.getElementById('flame'), scale = flame.width / flame.clientWidth;
		const at = [%g * flame.width, (19 * %d + 15) * scale].map(Math.floor);
		return flame.getContext('2d').getImageData(at[0], at[1], 1, 1).data.slice(0, 3).join();
	})()`, share, depth))
}

// key presses a key wherever the focus is.
func (p *page) key(keys ...string) {
	p.Helper()
	for _, k := range keys {
		p.do(chromedp.KeyEvent(k))
	}
}

// focusFlame puts the keyboard on the graph.
func (p *page) focusFlame() {
	p.Helper()
	p.script("document.getElementById('flame').focus()")
}

// search types a search. The driver types the slash, too, which the page has not let
// come as a letter.
func (p *page) search(text string) {
	p.Helper()
	p.key("/")
	if on := eval[string](p, "document.activeElement.id"); on != "search" {
		p.Errorf("the focus is on %q", on)
	}
	p.script("document.getElementById('search').value = ''")
	p.key(text)
}

// shot takes a picture, where one is wanted.
func (p *page) shot(name string) {
	p.Helper()
	eval[int](p, "1")
	picture, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		p.Fatal(err)
	}
	if *shots == "" {
		return
	}
	if err := os.WriteFile(filepath.Join(*shots, name+".png"), picture, 0o644); err != nil {
		p.Fatal(err)
	}
}
