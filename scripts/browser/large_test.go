//go:build browser

package browser

import (
	"context"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// systemTheme has the system prefer a theme.
func systemTheme(theme string) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: theme}},
		})
		return err
	})
}

// TestLarge shows 100,000 nodes, and says how long that takes.
func TestLarge(t *testing.T) {
	big, nodes := large(100_000), 0
	for _, th := range big.Threads {
		for range th.Nodes() {
			nodes++
		}
	}
	p := show(t, one(big))
	t.Logf("%d nodes", nodes)
	p.shot("large")
	load := eval[float64](p, "performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd")
	const zoom = `(() => {
		const flame = document.getElementById('flame'), box = flame.getBoundingClientRect(), times = [];
		const timed = (act) => { const from = performance.now(); act(); document.body.getBoundingClientRect(); times.push(performance.now() - from); };
		const real = window.requestAnimationFrame;
		window.requestAnimationFrame = (draw) => { draw(); return 0; };
		for (let i = 0; i < 10; i++) {
			const event = new MouseEvent('click', {clientX: box.left + box.width * (0.05 + i / 12), clientY: box.top + 19 * (2 + i % 3) + 9, bubbles: true});
			timed(() => flame.dispatchEvent(event));
			timed(() => document.querySelector('#path button').click());
		}
		const search = document.getElementById('search');
		search.value = 'number_12';
		timed(() => search.dispatchEvent(new Event('input')));
		window.requestAnimationFrame = real;
		const zooms = times.slice(0, 20).sort((a, b) => a - b);
		return [zooms[10], zooms[19], times[20]];
	})()`
	t.Logf("load %.0f ms", load)
	took := eval[[]float64](p, zoom)
	t.Logf("threads together: zoom %.1f ms, %.1f ms at most, search %.1f ms", took[0], took[1], took[2])
	p.wants("#found", "places")
	p.shot("large-search")
	p.key(kb.Escape)
	apart := eval[float64](p, "(() => { const from = performance.now(); document.getElementById('apart').click(); return performance.now() - from; })()")
	t.Logf("threads apart: %.0f ms", apart)
	took = eval[[]float64](p, zoom)
	t.Logf("threads apart: zoom %.1f ms, %.1f ms at most, search %.1f ms", took[0], took[1], took[2])
	p.shot("large-apart")
}
