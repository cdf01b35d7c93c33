package browser

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// Look sets how the browser shows pages.
func (b *Tab) Look(t testing.TB, scheme string, width int64) {
	t.Helper()
	media := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}}
	if _, err := chromedp.Call(b.Ctx, emulation.SetEmulatedMedia, media); err != nil {
		t.Fatal(err)
	}
	b.Do(t, chromedp.EmulateViewport(width, 900))
	b.scheme = scheme
}

// Evaluate returns the value of an expression or a promise of it.
func Evaluate[T any](t testing.TB, b *Tab, expression string) T {
	t.Helper()
	v, err := chromedp.Run(b.Ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatalf("the browser evaluates %.100s: %v", expression, err)
	}
	return v
}

// wantNoWider fails the test when the page is wider than the window.
func (b *Tab) wantNoWider(t testing.TB, where string) {
	t.Helper()
	if wide := Evaluate[int](t, b, `document.documentElement.scrollWidth - document.documentElement.clientWidth`); wide > 0 {
		t.Errorf("%s is %d pixels wider than the window", where, wide)
	}
}

// WantSilent fails the test when the browser had anything to say: errors, warnings, what the content policy stopped.
func (b *Tab) WantSilent(t testing.TB, where string) {
	t.Helper()
	b.Mu.Lock()
	defer b.Mu.Unlock()
	for _, line := range append(b.Thrown, b.Errors...) {
		t.Errorf("%s: the console says: %s", where, line)
	}
	b.Thrown, b.Errors = nil, nil
}

// sheetsDir is where pictures are kept for people to look at; "" for nowhere.
var sheetsDir = flag.String("sheets", "", "keep pictures of pages in this directory")

// Keep keeps a picture for people to look at.
func (b *Tab) Keep(t testing.TB, name string) {
	t.Helper()
	if *sheetsDir == "" {
		return
	}
	shot, err := chromedp.Run(b.Ctx, chromedp.FullScreenshot(100))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(*sheetsDir, name), shot, 0o644); err != nil {
		t.Fatal(err)
	}
}
