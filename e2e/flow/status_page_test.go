package flow

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/jackc/pgx/v5"

	"sett/e2e/rig"
	"sett/e2e/rig/browser"
	"sett/internal/setttest/pgcluster"
)

// board is a sett on PostgreSQL with status pages in every state. What takes days to happen is written into its database; all
// else happens: sites are checked, jobs report, and incidents are reported with the API.
type board struct {
	*rig.Server
	t      *testing.T
	conn   *pgx.Conn
	target *rig.Target
	sites  map[string]string // ids by name
	pages  map[string]string // ids by slug
}

func newBoard(t *testing.T, flags ...string) *board {
	t.Helper()
	dsn := pgcluster.Postgres(t)
	storage := []string{"--data", t.TempDir(), "--database", dsn}
	b := &board{t: t, Server: &rig.Server{Credentials: rig.Setup(t, storage)}, target: rig.NewTarget(t, "127.0.0.1"), sites: map[string]string{}, pages: map[string]string{}}
	b.target.Breaks(func(_, page string) bool { return page == "Storefront" })
	b.Process = rig.Launch(t, append(append(storage, "--egress-allow", "127.0.0.0/8", "--smtp-url", "stdout:", "--status-rate-limit", "0"), flags...)...)
	b.Base = b.Await(t)
	t.Cleanup(func() { b.Stop(t) })
	var err error
	if b.conn, err = pgx.Connect(t.Context(), dsn); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.conn.Close(t.Context()) })
	return b
}

func (b *board) exec(statement string, args ...any) {
	b.t.Helper()
	if _, err := b.conn.Exec(b.t.Context(), statement, args...); err != nil {
		b.t.Fatalf("%s: %v", statement, err)
	}
}

// micros is the time of the database, some seconds ago, as the store has it.
const micros = `((extract(epoch FROM now()) - $2) * 1000000)::bigint`

// site makes a site with 90 days behind it. That of the name Storefront does not answer as it should.
func (b *board) site(name string) (id string) {
	b.t.Helper()
	var made struct{ ID string }
	body := b.Manage(b.t).Do(http.MethodPost, b.Project()+"/sites", map[string]any{"site": map[string]any{"name": name, "url": b.target.Page(name)}}, http.StatusCreated)
	if err := json.Unmarshal(body, &made); err != nil {
		b.t.Fatal(err)
	}
	b.exec(`UPDATE sites SET created_at = `+micros+` WHERE name = $1`, name, 86*86400)
	b.exec(`INSERT INTO uptime_days (site_id, day, location, checks, failed, total, latencies)
		SELECT s.id, (extract(epoch FROM date_trunc('day', now() AT TIME ZONE 'utc') - n * interval '1 day') * 1000000)::bigint, 1, 1440, 0, 1000, ''
		FROM sites s, generate_series(1, 86) n WHERE s.name = $1`, name)
	b.exec(`INSERT INTO checked_days (site_id, stretch, days)
		SELECT d.site_id, d.day / 5184000000000, sum(1::bigint << (d.day % 5184000000000 / 86400000000)::int) FROM uptime_days d JOIN sites s ON s.id = d.site_id
		WHERE s.name = $1 GROUP BY 1, 2`, name)
	for _, outage := range [][2]int{{33 * 86400, 2400}, {9 * 86400, 300}} {
		b.exec(`INSERT INTO outages (site_id, down_at, up_at, created_at, status, reason, headers, location, phase, body)
			SELECT id, `+micros+`, `+micros+` + $3::bigint * 1000000, `+micros+`, 503, 'Answered 503', 'null', 'Virginia', '', '' FROM sites WHERE name = $1`, name, outage[0], outage[1])
	}
	b.sites[name] = made.ID
	return made.ID
}

// awaitState returns once a site was found in a state.
func (b *board) awaitState(id, state string) {
	b.t.Helper()
	for b.t.Context().Err() == nil {
		var site struct{ State string }
		if b.Manage(b.t).Get(b.Project()+"/sites/"+id, &site); site.State == state {
			return
		}
		<-time.After(500 * time.Millisecond) // the API limits requests
	}
}

// page makes a status page that shows sites.
func (b *board) page(slug string, fields map[string]any, sites ...string) (id string) {
	b.t.Helper()
	shown := []any{}
	for _, s := range sites {
		shown = append(shown, map[string]any{"site_id": s})
	}
	fields["slug"], fields["sites"] = slug, shown
	var made struct{ ID string }
	body := b.Manage(b.t).Do(http.MethodPost, "/v2/accounts/"+b.AccountID+"/status_pages", map[string]any{"status_page": fields}, http.StatusCreated)
	if err := json.Unmarshal(body, &made); err != nil {
		b.t.Fatal(err)
	}
	b.pages[slug] = made.ID
	return made.ID
}

// incident adds an incident to a page, or planned work, which is about the site with a name and began so many seconds ago.
func (b *board) incident(slug, component, kind, status, name, message string, ago int) {
	b.t.Helper()
	began := time.Now().Add(-time.Duration(ago) * time.Second)
	fields := map[string]any{
		"kind": kind, "name": name, "status": status, "message": message, "site_ids": []string{b.sites[component]}, "starts_at": began.Format(time.RFC3339),
	}
	if kind == "maintenance" {
		fields["ends_at"] = began.Add(2 * time.Hour).Format(time.RFC3339)
	}
	b.Manage(b.t).Do(http.MethodPost, "/v2/accounts/"+b.AccountID+"/status_pages/"+b.pages[slug]+"/incidents", map[string]any{"incident": fields}, http.StatusCreated)
}

// fill makes pages in every state, and returns what they show.
func (b *board) fill() (wanted map[string]string) {
	up, down, slow, moved := b.site("Checkout"), b.site("Storefront"), b.site("Search"), b.site("Warehouse")
	for id, state := range map[string]string{up: "up", down: "down", slow: "up", moved: "up"} {
		b.awaitState(id, state)
	}
	var job struct{ ID, URL string }
	made := b.Manage(b.t).Do(http.MethodPost, b.Project()+"/check_ins", map[string]any{"check_in": map[string]any{"name": "Order emails", "slug": "mails", "report_period": "1 hour"}}, http.StatusCreated)
	if err := json.Unmarshal(made, &job); err != nil {
		b.t.Fatal(err)
	}
	if status := rig.Send(http.DefaultClient, http.MethodPost, job.URL, "", func(*http.Request) {}); status != http.StatusOK {
		b.t.Fatalf("a ping at %q: status %d", job.URL, status)
	}
	fields := map[string]any{"name": "Acme status", "features": map[string]any{"home_link": "https://acme.example.test"}, "check_ins": []any{map[string]any{"check_in_id": job.ID, "description": "Sent every hour"}}}
	b.page("mixed", fields, up, down, slow, moved)
	b.incident("mixed", "Search", "incident", "identified", "Slow search in Europe", "One replica is lagging.\nSee https://acme.example.test/news.", 1800)
	b.incident("mixed", "Warehouse", "maintenance", "in_progress", "A new warehouse", "Orders are kept until it is done.", 600)
	b.incident("mixed", "Checkout", "maintenance", "scheduled", "Database upgrade", "Checkout is read-only meanwhile.", -86400)
	b.incident("mixed", "Checkout", "incident", "resolved", "Slow checkout in Europe", "A stuck replica was replaced.", 6*86400)
	b.page("good", map[string]any{"name": "Acme status"}, up, slow, moved)
	b.incident("good", "Checkout", "incident", "resolved", "Slow checkout in Europe", "A stuck replica was replaced.", 6*86400)
	b.page("down", map[string]any{"name": "Acme status", "hide_branding": true}, down)
	b.page("work", map[string]any{"name": "Acme status"}, moved)
	b.incident("work", "Warehouse", "maintenance", "in_progress", "A new warehouse", "Orders are kept until it is done.", 600)
	b.page("empty", map[string]any{"name": strings.Repeat("Averylongname", 15)})
	b.page("locked", map[string]any{"name": "Acme status", "password": "seven lonely walruses"}, up)
	return map[string]string{
		"mixed": "Some systems are experiencing problems", "good": "All systems operational", "down": "Major outage", "work": "Scheduled maintenance in progress",
		"empty": "No checks have run yet", "good/history": "Slow checkout in Europe", "mixed/incidents/1": "One replica is lagging.",
	}
}

// awaitText returns once a page shows a text; the server takes what others write into its database within a second or so.
func (b *board) awaitText(path, text string) {
	b.t.Helper()
	for {
		answer, err := http.Get(b.Base + path)
		if err != nil {
			b.t.Fatal(err)
		}
		body := make([]byte, 1<<20)
		n := 0
		for err == nil && n < len(body) {
			var m int
			m, err = answer.Body.Read(body[n:])
			n += m
		}
		answer.Body.Close()
		if strings.Contains(string(body[:n]), text) {
			return
		}
		if b.t.Context().Err() != nil {
			b.t.Fatalf("%s does not show %q", path, text)
		}
	}
}

func TestStatusPagesInBrowser(t *testing.T) {
	t.Parallel()
	rig.NeedJavaScript(t)
	axe, err := os.ReadFile(browser.AxePath)
	if err != nil {
		t.Fatal(err)
	}
	b := newBoard(t)
	wanted := b.fill()
	for path, text := range wanted {
		b.awaitText("/status/"+path, text)
	}
	page := browser.Open(t)
	for _, scheme := range []string{"light", "dark"} {
		for _, width := range []int64{1440, 390} {
			page.Look(t, scheme, width)
			for path, text := range wanted {
				where := fmt.Sprintf("%s, %s, %d wide", path, scheme, width)
				page.Do(t, chromedp.Navigate(b.Base+"/status/"+path))
				if shown := browser.Evaluate[string](t, page, `document.querySelector("main").innerText`); !strings.Contains(shown, text) {
					t.Errorf("%s: the page does not say %q:\n%s", where, text, shown)
				}
				page.WantAccessible(t, string(axe), where)
				page.WantSilent(t, where)
				page.Keep(t, fmt.Sprintf("status-%s-%s-%d.png", path, scheme, width))
			}
			page.Do(t, chromedp.Navigate(b.Base+"/status/locked"), chromedp.WaitVisible(chromedp.CSS("#password")))
			page.WantAccessible(t, string(axe), "locked")
			page.Mu.Lock()
			page.Errors = nil // Chromium notes the status 401
			page.Mu.Unlock()
		}
	}
	page.Do(t, chromedp.SendKeys(chromedp.CSS("#password"), "seven lonely walruses"), chromedp.Click(chromedp.CSS("button.primary")), chromedp.WaitVisible(chromedp.CSS(".overall")))
	page.WantSilent(t, "unlocked")
}

// What a page loads in all stays below 60 KB, and nothing comes from elsewhere.
func TestStatusPageWithoutScripts(t *testing.T) {
	t.Parallel()
	b := newBoard(t)
	for path, text := range b.fill() {
		b.awaitText("/status/"+path, text)
	}
	page := browser.Open(t)
	bytes := 0.0
	if err := chromedp.Listen(page.Ctx, func(event any) {
		if e, ok := event.(*network.EventLoadingFinished); ok {
			page.Mu.Lock()
			defer page.Mu.Unlock()
			bytes += e.EncodedDataLength
		}
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := chromedp.Call(page.Ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}); err != nil {
		t.Fatal(err)
	}
	page.Do(t, chromedp.Navigate(b.Base+"/status/mixed"), chromedp.WaitVisible(chromedp.CSS(".overall.warn")), chromedp.WaitVisible(chromedp.CSS("svg.bars")))
	page.Do(t, chromedp.Click(chromedp.CSS(`a[href="/status/mixed/history"]`)), chromedp.WaitVisible(chromedp.CSS(".incident")))
	page.WantSilent(t, "without scripts")
	page.Mu.Lock()
	defer page.Mu.Unlock()
	if bytes == 0 || bytes > 60<<10 {
		t.Errorf("%.0f bytes were loaded", bytes)
	}
	for _, exchange := range page.Exchanges {
		if !strings.Contains(exchange, b.Base+"/status/mixed") && !strings.Contains(exchange, "favicon") {
			t.Errorf("the page loads %s", exchange)
		}
	}
}

// An open page shows a change by itself, and leaves alone what a user is writing.
func TestStatusPageRefreshes(t *testing.T) {
	t.Parallel()
	b := newBoard(t)
	site := b.site("Checkout")
	b.awaitState(site, "up")
	b.page("good", map[string]any{"name": "Acme status"}, site)
	b.awaitText("/status/good", "All systems operational")
	page := browser.Open(t)
	page.Do(t, chromedp.Navigate(b.Base+"/status/good"), chromedp.WaitVisible(chromedp.CSS(".overall.ok")), chromedp.SendKeys(chromedp.CSS("#email"), "ann@exam"))
	b.incident("good", "Checkout", "incident", "investigating", "Slow checkout", "We are looking.", 60)
	browser.Wait[bool](t, page, `document.querySelector("#overall").innerText.includes("Some systems") && document.querySelector("#state").innerText.includes("We are looking.")`)
	if typed := browser.Evaluate[string](t, page, `document.querySelector("#email").value`); typed != "ann@exam" {
		t.Errorf("what was typed is %q now", typed)
	}
	page.WantSilent(t, "refreshed")
}
