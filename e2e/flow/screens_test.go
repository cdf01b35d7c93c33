package flow

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"sett/e2e/rig"
	"sett/e2e/rig/browser"
)

// demoNow is when the clock of the demo stands still.
const demoNow = "2026-11-20T12:00:00Z"

// link takes the line that a demo prints.
type link struct {
	mu   sync.Mutex
	text string
	done chan struct{}
}

func (l *link) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.text += string(b); strings.HasSuffix(l.text, "\n") {
		select {
		case <-l.done:
		default:
			close(l.done)
		}
	}
	return len(b), nil
}

// serveDemo serves a demo and returns its address, and the one that signs its owner in.
func serveDemo(t *testing.T) (base, signIn string) {
	t.Helper()
	l := &link{done: make(chan struct{})}
	cmd := exec.Command(rig.Binary, "demo", "--listen", "127.0.0.1:0", "--seed", "1", "--now", demoNow, "--log-format", "json")
	cmd.Stdout = l
	p := rig.Begin(t, cmd)
	select {
	case <-l.done:
	case <-p.Ended:
		t.Fatalf("the demo ended: %v", p.Err)
	case <-time.After(3 * time.Minute): // as long as rig.Await
		t.Fatal("the demo does not begin")
	}
	signIn = strings.TrimSpace(l.text)
	base, _, found := strings.Cut(signIn, "/demo/")
	if !found {
		t.Fatalf("the demo prints %q", signIn)
	}
	return base, signIn
}

// openDemoTab returns a browser that the owner of a demo has signed in with.
func openDemoTab(t *testing.T, signIn string) *browser.Tab {
	t.Helper()
	b := browser.OpenFor(t, 10*time.Minute)
	b.Do(t, chromedp.Navigate(signIn), chromedp.WaitVisible(chromedp.CSS("#main")))
	return b
}

// id is what stands in paths for one thing of many: a number, a UUID, or letters that are no word.
var id = regexp.MustCompile(`^(\d+|[0-9a-f]{8}-[0-9a-f-]{27}|[A-Za-z0-9]*[A-Z0-9][A-Za-z0-9]*)$`)

// revision is the hash of a commit in the path of a release.
var revision = regexp.MustCompile(`/[0-9a-f]{40}(/|$)`)

// kind is what is common to the addresses of one screen.
func kind(path string) string {
	path, _, _ = strings.Cut(path, "?")
	parts := strings.Split(path, "/")
	for i, part := range parts {
		if id.MatchString(part) {
			parts[i] = "{id}"
		}
	}
	return strings.Join(parts, "/")
}

// notScreens are addresses that lead to no page of ours.
var notScreens = []string{"/auth/saml/", "/logout", "/s/", "/openapi.json", "/docs/api", "/docs/webhooks", "/status/", "/demo/"}

// outline is what the HTML of a page has: where its links lead, and of what kinds its elements are, as styles and axe tell them apart.
type outline struct{ Links, Made []string }

const outlineOf = `fetch(%q).then(async answer => {
	const page = new DOMParser().parseFromString(await answer.text(), "text/html");
	const links = [...page.querySelectorAll("a[href]")].filter(a => !a.hasAttribute("download")).map(a => new URL(a.getAttribute("href"), answer.url));
	const named = e => [e.localName, ...e.classList, ...["role", "type", "style"].map(name => e.getAttribute(name) ?? "")].join(" ");
	return {
		links: links.filter(to => to.origin === location.origin).map(to => to.pathname + to.search),
		made: [...new Set([...page.querySelectorAll("main *")].map(e => named(e.parentElement) + " > " + named(e)))],
	};
})`

// consentPath is the page on which an agent asks for access. The ID of the agent is its registration.
var consentPath = "/oauth/authorize?" + url.Values{
	"client_id":    {"registered." + base64.RawURLEncoding.EncodeToString([]byte(`{"client_name":"Agent","redirect_uris":["http://127.0.0.1:33418/"]}`))},
	"redirect_uri": {"http://127.0.0.1:33418/"}, "response_type": {"code"}, "code_challenge_method": {"S256"}, "code_challenge": {strings.Repeat("a", 43)},
}.Encode()

// screens reads what can be reached by links, one page of each kind. Of the pages of releases, of which a project has dozens, it returns those that
// have something which no other has had.
func screens(t *testing.T, b *browser.Tab, base string) (paths []string) {
	t.Helper()
	b.Do(t, chromedp.Navigate(base+"/"))
	seen, made := map[string]bool{}, map[string]bool{}
	waiting := []string{
		"/", "/concerns/down", "/faults", // whose addresses look like those of a project
		"/oauth/device", consentPath, // to which only programs lead
		"/projects/1/insights", "/projects/1/insights?q=stats+count()+by+event_type", "/projects/1/insights?q=stats+count()+by+bin(1h)",
	}
	for len(waiting) > 0 {
		path := waiting[0]
		waiting = waiting[1:]
		page := browser.Evaluate[outline](t, b, fmt.Sprintf(outlineOf, path))
		if !revision.MatchString(path) || learn(made, page.Made) {
			paths = append(paths, path)
		}
		for _, to := range page.Links {
			machine := slices.ContainsFunc(notScreens, func(p string) bool { return strings.HasPrefix(to, p) }) || regexp.MustCompile(`(\.(csv|md|txt|json)|/next|/previous)(\?|$)`).MatchString(to)
			if k := kind(to); !machine && !seen[k] {
				seen[k] = true
				waiting = append(waiting, to)
			}
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// learn adds to what is known, and reports whether any of it is new.
func learn(known map[string]bool, all []string) (news bool) {
	for _, one := range all {
		news = news || !known[one]
		known[one] = true
	}
	return news
}

// budget is what a screen may cost a browser with an empty cache: bytes of its page, styles, scripts and pictures as they are sent, requests, and
// elements (ui.md).
type budget struct {
	bytes, requests int
	why             string // it needs more than others
}

const mostElements = 2500

// usual is what all screens may cost but those of budgets: the page, the stylesheet and the script.
var usual = budget{30 << 10, 3, ""}

const uncompressed = "it shows secrets, and what is compressed could tell them: see Shell.Secret"

var budgets = map[string]budget{
	"/projects/{id}/insights/dashboards/{id}":      {30 << 10, 5, "a style sheet of its own, and a script where it is arranged"},
	"/projects/{id}/insights/dashboards/{id}/wall": {30 << 10, 5, "a style sheet and a script of its own"},
	"/docs/clients":                         {54 << 10, 3, "a chapter to read from top to bottom, with examples of all clients"},
	"/projects/{id}/check_ins/{id}":         {44 << 10, 3, uncompressed},
	"/accounts/{id}/people":                 {36 << 10, 3, uncompressed},
	"/accounts/{id}/status_pages/{id}":      {30 << 10, 4, "the public page in a frame"},
	"/accounts/{id}/status_pages/{id}/edit": {36 << 10, 4, uncompressed + "; its own logo"},
}

// wantWithinBudget fails the test when a screen costs too much.
func wantWithinBudget(t testing.TB, b *browser.Tab, path string) {
	t.Helper()
	const cost = `(() => {
		const all = [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")];
		return {bytes: all.reduce((n, e) => n + e.encodedBodySize, 0), requests: all.length, nodes: document.querySelectorAll("*").length};
	})()`
	c := browser.Evaluate[struct{ Bytes, Requests, Nodes int }](t, b, cost)
	most, own := budgets[kind(path)]
	if !own {
		most = usual
	}
	if c.Bytes == 0 || c.Bytes > most.bytes || c.Requests > most.requests || c.Nodes > mostElements {
		t.Errorf("%s takes %d bytes, %d requests and %d elements, want at most %d, %d and %d (%s)", path, c.Bytes, c.Requests, c.Nodes, most.bytes, most.requests, mostElements, most.why)
	}
}

// Every screen that can be reached, light and dark, wide, on a tablet, on a phone and at a zoom of 200 %: nothing in the console,
// nothing that axe finds, nothing wider than the window, and within the budgets. Two browsers share the screens: in one, this story
// ended minutes after all others.
func TestScreensInBrowser(t *testing.T) {
	t.Parallel()
	rig.NeedJavaScript(t)
	axe, err := os.ReadFile(browser.AxePath)
	if err != nil {
		t.Fatal(err)
	}
	base, signIn := serveDemo(t)
	b := openDemoTab(t, signIn)
	b.Look(t, "light", 1440)
	paths := screens(t, b, base)
	if len(paths) < 15 {
		t.Fatalf("only %d screens: %q", len(paths), paths)
	}
	b.WantSilent(t, "on the way")
	text, err := json.Marshal(paths)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d screens: %s", len(paths), text)
	t.Run("first paint", func(t *testing.T) {
		t.Parallel()
		wantEarlyPaints(t, base, signIn)
	})
	for half, name := range []string{"one half", "other half"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := openDemoTab(t, signIn)
			for i := half; i < len(paths); i += 2 {
				wantGoodScreen(t, b, base, paths[i], string(axe))
			}
		})
	}
}

// wantGoodScreen opens a screen and fails the test when something is wrong with it in one of its looks.
func wantGoodScreen(t *testing.T, b *browser.Tab, base, path, axe string) {
	t.Helper()
	b.Look(t, "light", 1440)
	b.Do(t, chromedp.Navigate(base+path), chromedp.WaitVisible(chromedp.CSS("#main")))
	wantWithinBudget(t, b, path)
	// Wide screens have one layout and all others another: everything is checked once in each, and in between what
	// depends on the width. A zoom of 200 % has the layout of a tablet, and so its colors.
	for _, look := range []struct {
		scheme string
		width  int64
		checks string // of axe
	}{
		{"light", 1440, browser.CheckAll},
		{"dark", 1440, browser.CheckColors},
		{"light", 768, browser.CheckLayout},
		{"dark", 768, browser.CheckColors},
		{"light", zoomed, browser.CheckSizes},
		{"light", 390, browser.CheckAll},
		{"dark", 390, browser.CheckColors},
	} {
		b.Look(t, look.scheme, look.width)
		where := fmt.Sprintf("%s, %s, %d wide", path, look.scheme, look.width)
		b.WantNothingFound(t, axe, look.checks, where)
		b.WantSilent(t, where)
		if look.scheme == "light" {
			wantTidy(t, b, where, look.width)
		}
		b.Keep(t, fmt.Sprintf("%s-%s-%d.png", strings.NewReplacer("/", "_", "?", "_").Replace("screen"+path), look.scheme, look.width))
	}
}

// zoomed is how wide the window is for a page that 1440 pixels show at a zoom of 200 %.
const zoomed = 720

// Whether labels of charts are on bars or outside of the window, how many rows the tools of the list of errors take, how many errors are shown
// side by side, before and after "Show all", and what of the list and the navigation a phone does not show.
const (
	placesOfError = `(() => {
		const box = selector => document.querySelector(selector)?.getBoundingClientRect();
		const tops = [".headline", ".figures", "#trace", "#this-event", "#occurrences", "#crumbs", ".fold"].map(box).filter(Boolean).map(b => Math.round(b.top));
		return {
			notes: document.querySelectorAll("main .note:not([hidden]):not(#trace *)").length, trace: Math.round((box(".fault ~ .beside #trace")?.top ?? -scrollY) + scrollY),
			acts: Math.round(box(".acts")?.bottom ?? 0), dock: Math.round(box(".dock")?.top ?? 0), order: tops,
		};
	})()`
	labelsInTheWay = `[...document.querySelectorAll(".chart .y")].filter(label => {
		const a = label.getBoundingClientRect();
		return a.left < 0 || [...label.closest(".chart").querySelectorAll(".bar")].some(bar => {
			const b = bar.getBoundingClientRect();
			return b.left < a.right && a.left < b.right && b.top < a.bottom && a.top < b.bottom;
		});
	}).length`
	rowsOfTools = `!document.querySelector(".faults") ? 1 : new Set([...document.querySelectorAll("#list > .row > *")].filter(e => e.offsetHeight).map(e => {
		const at = e.getBoundingClientRect();
		return Math.round((at.top + at.bottom) / 40);
	})).size`
	sideBySide = `(() => {
		const shown = () => [...document.querySelectorAll(".sides tbody tr")].filter(row => row.offsetHeight).length;
		const folded = shown();
		document.querySelector(".rest input")?.click();
		return [folded, shown()];
	})()`
	onPhones = `(() => {
		const lost = entries => entries.filter(e => !e.offsetHeight).length;
		const click = selector => document.querySelector(selector)?.click();
		click('.dock [popovertarget="side"]');
		const entries = lost([...document.querySelectorAll(".side a")]);
		click('.dock [popovertarget="side"]');
		click(".faults tbody .pick");
		const bar = document.querySelector("div.bar")?.offsetHeight ?? 0;
		click(".faults tbody .pick");
		const tools = [...document.querySelectorAll("#change button, .acts .act > summary")].map(e => Math.round(e.getBoundingClientRect().top));
		return {list: document.querySelector(".faults tbody")?.offsetTop ?? 0, tools: new Set(tools).size, cells: lost([...document.querySelectorAll(".faults tbody tr:first-child :is(.box, .what, .phone)")]), entries: entries, bar: bar};
	})()`
)

// wantErrorFirst fails the test when the page of an error does not show where it happened first, and on phones the rest in its order.
func wantErrorFirst(t testing.TB, b *browser.Tab, where string, width int64) {
	t.Helper()
	at := browser.Evaluate[struct {
		Notes, Trace, Acts, Dock int
		Order                    []int
	}](t, b, placesOfError)
	if at.Trace == 0 || at.Notes > 0 {
		return
	}
	if most := map[int64]int{1440: 300, 390: 360}[width]; at.Trace >= most && most > 0 {
		t.Errorf("%s: the backtrace begins at %d pixels, want less than %d", where, at.Trace, most)
	}
	if width == 390 && (!slices.IsSorted(at.Order) || at.Acts != at.Dock) {
		t.Errorf("%s: the parts begin at %v, and the bar of actions ends at %d, where the navigation begins at %d", where, at.Order, at.Acts, at.Dock)
	}
}

// wantTidy fails the test when parts of a screen are in the way of others.
func wantTidy(t testing.TB, b *browser.Tab, where string, width int64) {
	t.Helper()
	wantErrorFirst(t, b, where, width)
	switch width {
	case 1440:
		if rows := browser.Evaluate[int](t, b, rowsOfTools); rows != 1 {
			t.Errorf("%s: the tools of the list take %d rows", where, rows)
		}
	case 390:
		if n := browser.Evaluate[int](t, b, labelsInTheWay); n > 0 {
			t.Errorf("%s: %d labels of the chart are on its bars or outside", where, n)
		}
		phone := browser.Evaluate[struct{ List, Tools, Cells, Entries, Bar int }](t, b, onPhones)
		if phone.Cells+phone.Entries > 0 || phone.Bar > 180 {
			t.Errorf("%s: %d columns and %d entries of the navigation are hidden, and the bar takes %d of 900 pixels", where, phone.Cells, phone.Entries, phone.Bar)
		}
		if phone.Tools > 3 || strings.HasPrefix(where, "/projects/1/faults,") && phone.List > 420 {
			t.Errorf("%s: what one does with an error takes %d rows, and the list begins at %d of 900 pixels", where, phone.Tools, phone.List)
		}
		if n := browser.Evaluate[[]int](t, b, sideBySide); strings.Contains(where, "/faults/environments") && (n[0] != 20 || n[1] <= 20) {
			t.Errorf("%s: %d of %d errors are shown side by side", where, n[0], n[1])
		}
	}
}
