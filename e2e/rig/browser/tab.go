package browser

import (
	"context"
	"fmt"
	"net/url"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// Tab is a tab of a headless Chromium with a fresh profile. It notes what its page asks of servers and what goes wrong.
type Tab struct {
	Ctx    context.Context
	scheme string // "light" or "dark", as it looks

	Mu        sync.Mutex
	asked     map[network.RequestID]string
	Exchanges []string // "POST http://127.0.0.1:41234/v1/notices/js 201", in the order of the answers
	Thrown    []string // uncaught exceptions
	Errors    []string // other errors and warnings of the console: blocked requests, failed loads
}

// Open starts a browser that can reach the loopback alone; it ends with the test.
func Open(t testing.TB) *Tab { t.Helper(); return OpenFor(t, 2*time.Minute) }

// OpenFor is openTab for what takes longer.
func OpenFor(t testing.TB, life time.Duration) *Tab {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:], // headless, no first run, no background networking, no sync
		chromedp.ExecPath(chromium(t)),
		chromedp.NoSandbox, // which a container's root cannot have
		chromedp.Flag("disable-gpu", true),
		chromedp.Flag("disable-quic", true),
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost"),
	)
	ctx, cancel := context.WithTimeout(context.Background(), life)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewExecAllocator(ctx, options...)
	t.Cleanup(cancel)
	ctx, closeBrowser := chromedp.NewContext(ctx)
	t.Cleanup(closeBrowser)
	b := &Tab{Ctx: ctx, asked: map[network.RequestID]string{}}
	if err := chromedp.Listen(ctx, b.note); err != nil {
		t.Fatalf("start Chromium: %v", err)
	}
	return b
}

// chromium returns where the browser is. The shell is the same engine without what windows need, which takes a fifth less.
func chromium(t testing.TB) string {
	t.Helper()
	for _, name := range []string{"chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Fatal("Chromium is missing; install it with apt-get install chromium-headless-shell (Debian), or put chromium or google-chrome into PATH")
	return ""
}

// note takes the events of the tab as they come.
func (b *Tab) note(event any) {
	b.Mu.Lock()
	defer b.Mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		b.asked[e.RequestID] = e.Request.Method
	case *network.EventResponseReceived:
		if u, err := url.Parse(e.Response.URL); err == nil && u.Scheme == "http" {
			b.Exchanges = append(b.Exchanges, fmt.Sprintf("%s %s %d", b.asked[e.RequestID], e.Response.URL, e.Response.Status))
		}
	case *runtime.EventExceptionThrown:
		b.Thrown = append(b.Thrown, textOf(e.ExceptionDetails.Exception))
	case *runtime.EventConsoleAPICalled:
		if e.Type == "error" || e.Type == "warning" || e.Type == "assert" {
			b.Errors = append(b.Errors, "console."+string(e.Type)+": "+textOf(e.Args...))
		}
	case *log.EventEntryAdded:
		if e.Entry.Level == "error" || e.Entry.Level == "warning" {
			b.Errors = append(b.Errors, e.Entry.Text+" "+e.Entry.URL)
		}
	}
}

// textOf is what the console shows of some values.
func textOf(values ...*runtime.RemoteObject) string {
	var text []string
	for _, v := range values {
		if v == nil {
			continue
		}
		text = append(text, v.Description+string(v.Value))
	}
	return strings.Join(text, " ")
}

// Do runs actions in the tab.
func (b *Tab) Do(t testing.TB, actions ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	if err := chromedp.Do(b.Ctx, actions...); err != nil {
		t.Fatalf("the browser: %v", err)
	}
}

// Wait returns the value of a JavaScript expression once it is truthy.
func Wait[T any](t testing.TB, b *Tab, expression string) T {
	t.Helper()
	v, err := chromedp.Run(b.Ctx, chromedp.Poll[T](expression, chromedp.WithPollingInterval(20*time.Millisecond)))
	if err != nil {
		b.Mu.Lock()
		defer b.Mu.Unlock()
		t.Fatalf("the browser waited for %s: %v; console: %q; exchanges: %q", expression, err, b.Errors, b.Exchanges)
	}
	return v
}
