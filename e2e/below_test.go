package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"sett/internal/setttest/program"
)

// below is the path of the base URL of servers that are not alone at their name.
const below = "/tools/sett"

// neighbor is the proxy of a name at which a sett is served below a path. It notes what is asked of the rest of the name.
type neighbor struct {
	removes bool // the path
	to      atomic.Pointer[httputil.ReverseProxy]

	mu      sync.Mutex
	strayed []string
}

func (n *neighbor) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	rest, inside := strings.CutPrefix(r.URL.Path, below)
	if !inside || rest != "" && rest[0] != '/' {
		n.mu.Lock()
		n.strayed = append(n.strayed, r.Method+" "+r.URL.Path)
		n.mu.Unlock()
		http.NotFound(w, r)
		return
	}
	if n.removes {
		r.URL.Path, r.URL.RawPath = "/"+strings.TrimPrefix(rest, "/"), ""
	}
	n.to.Load().ServeHTTP(w, r)
}

// startBelow serves a sett that is reached below a path.
func startBelow(t *testing.T, removes bool) (*server, *neighbor) {
	t.Helper()
	n := &neighbor{removes: removes}
	proxy := httptest.NewServer(n)
	t.Cleanup(proxy.Close)
	storage := []string{"--data", t.TempDir()}
	s := &server{credentials: setup(t, append(slices.Clip(storage), "--email", ownersEmail, "--password", ownersPassword)), storage: storage}
	s.flags = append(slices.Clip(storage), "--api-rate-limit", "0", "--base-url", proxy.URL+below, "--egress-allow", "127.0.0.0/8")
	s.restart(t)
	t.Cleanup(func() { s.stop(t) })
	to, err := url.Parse("http://" + s.log.listen)
	if err != nil {
		t.Fatal(err)
	}
	n.to.Store(httputil.NewSingleHostReverseProxy(to))
	return s, n
}

// Everything works below a path, whether or not the proxy removes it: pages with their scripts and streams, clients with a DSN or
// an endpoint, jobs, agents and tools. Nothing asks for anything outside of the path.
func TestServedBelowAPath(t *testing.T) {
	t.Parallel()
	for name, removes := range map[string]bool{"proxy removes the path": true, "path arrives": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, n := startBelow(t, removes)
			t.Run("clients", func(t *testing.T) { clientsBelow(t, s) })
			t.Run("browser", func(t *testing.T) { browserBelow(t, s) })
			n.mu.Lock()
			defer n.mu.Unlock()
			strayed := slices.DeleteFunc(n.strayed, func(asked string) bool { return asked == "GET /favicon.ico" }) // browsers ask by themselves
			if len(strayed) > 0 {
				t.Errorf("outside of the path, these were asked: %q", strayed)
			}
		})
	}
}

func clientsBelow(t *testing.T, s *server) {
	m := s.manage(t)
	e := exporter{"sentry/go", installGo, []string{"bin/exceptions"}, nil, checkSentryGo}
	e.run(t, s, e.installed(t), s.base)
	e.check(t, s, m)

	m.do(http.MethodPost, s.project()+"/check_ins", map[string]any{"check_in": map[string]any{"slug": "backup", "report_period": "1 day"}}, http.StatusCreated)
	job := program.Bounded(settBinary, "run", "--server", s.base, "--check-in", "backup", "--api-key", s.APIKey, "--", "true")
	job.Env = environment()
	if out, err := job.CombinedOutput(); err != nil {
		t.Errorf("sett run: %v: %s", err, out)
	}
	var got struct {
		State, URL string
		Links      struct{ Self string }
		Results    []struct{ Slug, State, URL string }
	}
	m.get(s.project()+"/check_ins", &got)
	if len(got.Results) != 2 || got.Links.Self != s.base+s.project()+"/check_ins" || !slices.ContainsFunc(got.Results, func(c struct{ Slug, State, URL string }) bool {
		return c.Slug == "backup" && c.State == "reporting" && strings.HasPrefix(c.URL, s.base+"/v1/check_in/")
	}) {
		t.Errorf("the check-ins are %+v", got)
	}

	target := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(target.Close)
	agent := s.newPost(t, "Frankfurt", &gate{url: s.base})
	agent.start(t)
	site := m.newSite(s, target.URL, "Frankfurt")
	await(t, "the agent's checks arrive", func() bool { return m.site(s, site.ID).State == "up" })
	agent.stop(t)
}

func browserBelow(t *testing.T, s *server) {
	w := &walker{t: t, s: s, scripts: true, tab: openTab(t)}
	w.look(t, "light", 1440)
	w.open("/login")
	w.fill("email", ownersEmail, "password", ownersPassword)
	w.press("Sign in")
	w.want(there(`[href="` + below + `/"][aria-current]`))

	list := fmt.Sprintf("/projects/%d/faults", s.ProjectID)
	w.report(s.APIKey, "Apple", "it broke", "production")
	w.open(list + "?q=class%3AApple*")
	w.awaitAgain(count(rows, 1))
	w.keys("/")
	w.run(chromedp.SendKeys(chromedp.CSS(box), " env"))
	w.await(there(options))
	w.keys(kb.Escape)
	w.keepPage()
	w.report(s.APIKey, "Apple pie", "it broke", "production")
	w.await(`document.querySelector("button[data-live]:not([hidden])")`)
	w.want(kept)
	w.open(list + "?q=class%3AApple*")
	w.follow(rows + " a")
	w.press("Resolve")
	w.want(`location.search.includes("done=resolved")`)
	w.open("/")
	w.palette()
	w.run(chromedp.SendKeys(chromedp.CSS("dialog.palette input"), "appearance"))
	w.await(`document.querySelector("dialog.palette li a")?.href.endsWith("/me/appearance")`)
	w.lead(chromedp.SendKeys(chromedp.CSS("dialog.palette input"), kb.Enter))
	for _, path := range []string{"/docs/clients", "/docs/api", "/docs/webhooks", "/me/security", "/projects", fmt.Sprintf("/projects/%d/insights", s.ProjectID)} {
		w.open(path)
	}
	w.wantSilent(t, "below a path")
	w.signOutBelow()
}

// signOutBelow ends the session, which takes the cookies away that were set for the path.
func (w *walker) signOutBelow() {
	w.t.Helper()
	w.run(chromedp.Click(chromedp.CSS(ownMenu)))
	w.follow(`[action="` + below + `/logout"] button`)
	w.read("You are signed out.")
	w.open("/projects")
	w.want(at(below + "/login"))
}
