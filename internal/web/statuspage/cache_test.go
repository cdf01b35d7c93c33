package statuspage

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/status"
	"sett/internal/setttest/fresh"
	"sett/internal/store"
	"sett/internal/store/accountdb"
	"sett/internal/store/db"
)

// scene is Pages on a store of their own, with an account.
type scene struct {
	*Pages
	t       *testing.T
	dsn     string // "" on SQLite
	store   *store.Store
	account string
	user    int64
	now     time.Time
	logged  *strings.Builder
	mux     http.Handler
}

// scenes runs f on every engine.
func scenes(t *testing.T, f func(t *testing.T, s *scene)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		f(t, newScene(t, fresh.SQLite(t)))
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		f(t, newScene(t, fresh.Postgres(t)))
	})
}

func newScene(t *testing.T, o db.Options) *scene {
	t.Helper()
	opened, err := store.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	closing := sync.OnceFunc(func() { _ = opened.Close() })
	t.Cleanup(closing)
	if _, _, err := opened.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	account, user, err := opened.Accounts.CreateAccount(t.Context(), noon, "Acme", accountdb.NewUser{Email: "a@example.test", Name: "A"})
	if err != nil {
		t.Fatal(err)
	}
	s := &scene{t: t, dsn: o.Database, store: opened, account: account, user: user, now: noon, logged: &strings.Builder{}}
	s.Pages = newPages(t, func(p *Options) {
		p.DB, p.Outbox, p.Status = opened.DB, opened.Outbox, opened.Status
		p.Now, p.Log = func() time.Time { return s.now }, slog.New(slog.NewTextHandler(s.logged, nil))
	})
	s.mux = mux(s.Pages)
	return s
}

// add makes a page.
func (s *scene) add(name string) (id, slug string) {
	s.t.Helper()
	made, err := s.Status.CreateStatusPage(s.t.Context(), s.now, s.account, status.StatusPageRules{}, status.StatusPageChange{Name: sett.Some(name)})
	if err != nil {
		s.t.Fatal(err)
	}
	return made.ID, made.Slug
}

func (s *scene) change(id string, c status.StatusPageChange) {
	s.t.Helper()
	if err := s.Status.UpdateStatusPage(s.t.Context(), s.now, s.account, id, status.StatusPageRules{}, c); err != nil {
		s.t.Fatal(err)
	}
}

// round is one of the loop.
func (s *scene) round() (more bool) {
	s.t.Helper()
	more, err := s.Refresh(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	return more
}

func (s *scene) get(path string, status int, texts ...string) string {
	s.t.Helper()
	return want(s.t, ask(s.t, s.mux, "GET", path, "", "Accept", "text/html"), status, texts...).Body.String()
}

func TestChangesAreShown(t *testing.T) {
	t.Parallel()
	scenes(t, func(t *testing.T, s *scene) {
		s.round()
		s.get("/status/shop", 404)
		id, _ := s.add("Shop")
		other, _ := s.add("Other")
		s.round()
		s.get("/status/shop", 200, "<h1>Shop</h1>", "This page has no components yet")
		s.change(id, status.StatusPageChange{Name: sett.Some("Store"), HideBranding: sett.Some(sett.LenientBool(true))})
		s.get("/status/shop", 200, "<h1>Store</h1>") // also before the round
		s.round()
		s.get("/status/shop", 200, "<h1>Store</h1>")
		s.get("/status/shop/feed.atom", 200, "<title>Store</title>")
		s.change(id, status.StatusPageChange{Slug: sett.Some("store")})
		s.get("/status/shop", 404)
		s.get("/status/store", 200)
		s.change(id, status.StatusPageChange{Password: sett.Some("open sesame"), PasswordHash: "hash of open sesame"})
		s.round()
		s.get("/status/store", 401)
		if err := s.Status.DeleteStatusPage(t.Context(), s.account, other); err != nil {
			t.Fatal(err)
		}
		s.get("/status/other", 404)
		s.round()
		s.get("/status/other", 404)
		if n := s.cache.count(); n != 1 {
			t.Errorf("%d pages are kept, want one", n)
		}
	})
}

// A plan that ends takes away what it had, and gives it back: nothing that is stored is lost.
func TestPlanDecidesWhatIsDrawn(t *testing.T) {
	t.Parallel()
	s := newScene(t, fresh.SQLite(t))
	id, _ := s.add("Shop")
	s.change(id, status.StatusPageChange{
		HideBranding: sett.Some(sett.LenientBool(true)),
		Features:     sett.Some(status.StatusFeaturesChange{HomeLink: sett.Some("https://shop.example.org"), CustomCSS: sett.Some("h1 { color: teal }")}),
	})
	const home, custom = `href="https://shop.example.org"`, "/s/custom"
	for _, step := range []struct {
		plan accounts.Plan
		has  bool
	}{{accounts.TeamPlan, true}, {accounts.DeveloperPlan, false}, {accounts.SelfHosted, true}} {
		s.Plan = step.plan
		s.now = s.now.Add(time.Hour)
		s.round()
		body := ask(t, s.mux, "GET", "/status/shop", "", "Accept", "text/html").Body.String()
		if strings.Contains(body, home) != step.has || strings.Contains(body, custom) != step.has {
			t.Errorf("under the plan %s: %s", step.plan, body)
		}
	}
}

// Views do not extend the time for which a deleted page is shown.
func TestDeletedPageIsGoneWhenDrawn(t *testing.T) {
	t.Parallel()
	scenes(t, func(t *testing.T, s *scene) {
		id, _ := s.add("Shop")
		s.round()
		if err := s.Status.DeleteStatusPage(t.Context(), s.account, id); err != nil {
			t.Fatal(err)
		}
		s.now = s.now.Add(time.Hour)
		s.get("/status/shop", 404)
		s.get("/status/shop", 404)
	})
}

// Viewed pages are rendered again after a while; others on request.
func TestDrawingsAge(t *testing.T) {
	t.Parallel()
	scenes(t, func(t *testing.T, s *scene) {
		s.add("Shop")
		s.round()
		page := s.index.Load().pages[0]
		renderedAt := func() time.Duration { return page.rendered.Load().view.ReadAt.Sub(noon) }
		s.now = noon.Add(time.Hour)
		if s.round(); renderedAt() != 0 {
			t.Errorf("a page that is not viewed was rendered after %v", renderedAt())
		}
		if s.get("/status/shop", 200); renderedAt() != time.Hour {
			t.Errorf("a page was shown as it was at %v", renderedAt())
		}
		for _, step := range []struct{ after, want time.Duration }{{14 * time.Second, 0}, {15 * time.Second, 15 * time.Second}, {9 * time.Minute, 9 * time.Minute}, {11 * time.Minute, 9 * time.Minute}} {
			s.now = noon.Add(time.Hour + step.after)
			if s.round(); renderedAt() != time.Hour+step.want {
				t.Errorf("after %v it is of %v, want %v", step.after, renderedAt()-time.Hour, step.want)
			}
		}
	})
}

// A view costs one small statement, which looks for changes, whatever is asked for, and draws nothing anew: PostgreSQL says of
// each connection when its last statement began.
func TestViewsOnlyLookForChanges(t *testing.T) {
	t.Parallel()
	s := newScene(t, fresh.Postgres(t))
	s.add("Shop")
	s.round()
	conn, err := pgx.Connect(t.Context(), s.dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	var began time.Time
	if err := conn.QueryRow(t.Context(), "SELECT clock_timestamp()").Scan(&began); err != nil {
		t.Fatal(err)
	}
	others := func() (n int) {
		t.Helper()
		const statement = `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
			AND query_start > $1 AND query NOT LIKE '-- statusdb.statusFeed%'`
		if err := conn.QueryRow(t.Context(), statement, began).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	rendered := s.index.Load().pages[0].rendered.Load()
	for range 20 {
		for _, path := range []string{"", ".json", "/status.json", "/history", "/feed.atom", "/feed.json", "/badge.svg", "/s/" + s.style} {
			s.get("/status/shop"+path, 200)
		}
		for _, path := range []string{"shop/incidents/1", "shop/history?page=2", "unknown", "unknown/history", "unknown.json", "unknown/s/x.css"} {
			s.get("/status/"+path, 404)
		}
		want(t, ask(t, s.mux, "POST", "/status/unknown/unlock", "", "From", "192.0.2.77"), 404)
		s.posts = nil
	}
	if n := others(); n != 0 {
		t.Errorf("%d connections have run something else", n)
	}
	if s.index.Load().pages[0].rendered.Load() != rendered {
		t.Error("a page that has not changed was rendered again")
	}
	s.add("Other")
	if others() == 0 {
		t.Error("other statements are not seen: this test sees nothing")
	}
}

// All requests for a page without a rendering wait for the same one.
func TestManyAskAtOnce(t *testing.T) {
	t.Parallel()
	scenes(t, func(t *testing.T, s *scene) {
		s.add("Shop")
		s.round()
		page := s.index.Load().pages[0]
		s.now = s.now.Add(time.Hour)
		renderings := make([]*rendering, 50)
		var wg sync.WaitGroup
		for n := range renderings {
			wg.Go(func() { renderings[n], _ = s.freshRendering(t.Context(), page) })
		}
		wg.Wait()
		for _, d := range renderings {
			if d == nil || d != renderings[0] || !d.view.ReadAt.Equal(s.now) {
				t.Fatal("there was more than one rendering")
			}
		}
	})
}

// At startup 500 pages are rendered in advance, some in each round.
func TestPagesAreDrawnBeforeTheyAreAskedFor(t *testing.T) {
	t.Parallel()
	s := newScene(t, fresh.SQLite(t))
	for range 60 {
		s.add("Shop")
	}
	if !s.round() || s.cache.count() != atOnce {
		t.Errorf("the first round has rendered %d pages", s.cache.count())
	}
	if s.round() || s.cache.count() != 60 {
		t.Errorf("two rounds have rendered %d pages", s.cache.count())
	}
	if urgency(newCached("x"), s.now, false) != notDue {
		t.Error("pages are rendered in advance although there are enough")
	}
}

func TestCrowdIsBounded(t *testing.T) {
	t.Parallel()
	var c pageCache
	pages := make([]*cached, 40)
	for n := range pages {
		pages[n] = newCached(fmt.Sprint(n))
		pages[n].viewed.Store(int64(n))
		pages[n].rendered.Store(&rendering{})
		c.keep(pages[n], mostBytes/20)
		c.keep(pages[n], mostBytes/20)
	}
	kept := 0
	for n, page := range pages {
		if page.rendered.Load() != nil {
			kept++
		} else if n > 30 {
			t.Errorf("page %d was dropped, which was asked for lately", n)
		}
	}
	if c.bytes > mostBytes || kept != c.count() || kept < 15 {
		t.Errorf("%d pages of %d bytes are kept, %d counted", kept, c.bytes, c.count())
	}
	for n := range mostPages + 10 {
		c.keep(newCached(fmt.Sprint(n)), 1)
	}
	if c.count() > mostPages {
		t.Errorf("%d pages are kept", c.count())
	}
	grown := newCached("grown")
	c.keep(grown, 1)
	c.grow(grown, mostBytes)
	c.grow(newCached("unknown"), mostBytes)
	if c.count() != 1 || c.bytes != mostBytes+1 {
		t.Errorf("of a page that has grown and of others %d are kept, %d bytes", c.count(), c.bytes)
	}
	for page := range c.sizes {
		c.drop(page)
		c.drop(page)
	}
	if c.bytes != 0 {
		t.Errorf("%d bytes are kept of nothing", c.bytes)
	}
}

// A request for a page that has changed according to the directory does not get the old one.
func TestChangedPageIsDrawnWhenItIsAskedFor(t *testing.T) {
	t.Parallel()
	scenes(t, func(t *testing.T, s *scene) {
		id, _ := s.add("Shop")
		s.round()
		s.change(id, status.StatusPageChange{Name: sett.Some("Store")})
		entries, err := s.Status.StatusDirectory(t.Context(), s.learnt.Load())
		if err != nil {
			t.Fatal(err)
		}
		s.learn(entries)
		s.get("/status/shop", 200, "<h1>Store</h1>")
	})
}

// However many documents are requested one by one, only those that are kept are counted: otherwise a client that reads the history
// of a page repeatedly would evict the renderings of all other pages.
func TestDocumentsThatWereDroppedDoNotCount(t *testing.T) {
	t.Parallel()
	p := newPages(t)
	show(t, p, fullView())
	page := p.index.Load().pages[0]
	d := page.rendered.Load()
	d.page = page
	p.cache.keep(page, 0)
	for n := range 3*mostLater + 1 {
		if _, err := d.main.lazily(fmt.Sprint(n), func() (*document, error) { return newDocument(nil, pageForm, []byte("<p>")), nil }); err != nil {
			t.Fatal(err)
		}
	}
	kept := 0
	for _, one := range d.main.later {
		kept += one.size()
	}
	if p.cache.bytes != kept || kept == 0 {
		t.Errorf("%d bytes are counted, %d kept", p.cache.bytes, kept)
	}
}
