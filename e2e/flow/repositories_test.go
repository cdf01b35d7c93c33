package flow

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/chromedp/chromedp"

	"sett/e2e/rig"
	"sett/internal/sett/repo"
	"sett/internal/setttest/githost"
)

// repositories connects a repository as its page says. Then an error shows the commit that it came from and the change that repairs it, which
// resolves it once it is deployed.
func (w *walker) repositories() {
	g := githost.New(w.t)
	g.At(time.Now().Add(-time.Hour))
	id, key := w.project("Repositories")
	w.s.Manage(w.t).Put(fmt.Sprintf("/v2/projects/%d", id), map[string]any{"project": map[string]any{"resolve_errors_on_deploy": false}})
	g.Commit("main", "Begin", map[string]*string{"app/cart.rb": githost.Text("class Cart", "  sum", "end")})
	bad := g.Commit("main", "Round totals", map[string]*string{"app/cart.rb": githost.Text("class Cart", "  round", "end")})

	hook := w.connect(id, g)
	w.deploy(key, bad)
	w.reportLine(key, "TotalError", bad)
	fault := w.onlyFault(id)
	w.awaitAgain(shows("main", "Suspect commit"))
	w.read("Round totals", "line 2 of app/cart.rb", "in a commit or pull request resolves this error once it is deployed")

	g.Commit("repair", "Round later", map[string]*string{"app/cart.rb": githost.Text("class Cart", "  sum.round", "end")})
	number := g.Open("repair", "Round later", "Fixes SETT-"+fault[strings.LastIndexByte(fault, '/')+1:])
	w.hear(hook, g, number)
	w.awaitAgain(shows("main", "A change for this is open: #1 Round later"))
	w.accessible("error with a change")
	w.want(there(fmt.Sprintf(`main a[href="%s/pull/%d"]`, g.URL(), number)))
	landed := g.Merge(number, githost.Squash)
	w.hear(hook, g, number)
	w.awaitAgain(shows("main", "Merged, waits for a deploy"))
	w.want(`!` + shows("main", "A change for this is open") + ` && !` + shows("main", "Resolved"))
	w.deploy(key, landed)
	w.awaitAgain(shows("main", "Deployed in "+repo.Short(landed)))
	w.read("Resolved in " + repo.Short(landed))
	w.open(fmt.Sprintf("/projects/%d/settings/repositories", id))
	w.read("acme/shop", "Connected")
}

// connect adds a repository, and returns the address of its webhook.
func (w *walker) connect(project int64, g *githost.Server) (hook string) {
	w.t.Helper()
	w.open(fmt.Sprintf("/projects/%d/settings/repositories", project))
	w.read("Connect the repository of this project.")
	w.fill("url", g.URL(), "token", githost.Token)
	w.refused("Add repository") // a host of one's own is not known by its address
	w.want(there("#host-problem"))
	w.run(chromedp.SetValue(chromedp.CSS("#host"), string(repo.GitHub)))
	w.fill("token", githost.Token)
	w.press("Add repository")
	w.read("Repository added.", "acme/shop", "No webhook has arrived yet.", "A token is stored.")
	w.accessible("repository")
	g.SignWith(w.text("#hook-secret"))
	return w.text("#hook-url")
}

// hear has the host say that a change is another.
func (w *walker) hear(hook string, g *githost.Server, number int64) {
	w.t.Helper()
	if status := g.Changed(repo.GitHub, number).Post(w.t, hook); status != http.StatusCreated {
		w.t.Fatalf("the webhook is answered with %d", status)
	}
}

// deploy reports a deploy.
func (w *walker) deploy(key, revision string) {
	w.t.Helper()
	w.send("/v1/deploys", key, fmt.Sprintf(`{"deploy": {"environment": "production", "revision": %q}}`, revision))
}

// reportLine reports an error in line 2 of app/cart.rb.
func (w *walker) reportLine(key, class, revision string) {
	w.t.Helper()
	w.send("/v1/notices", key, fmt.Sprintf(`{"error": {"class": %q, "message": "It is wrong", "backtrace": [{"file": "[PROJECT_ROOT]/app/cart.rb", "number": "2", "method": "total", "context": "app"}]},
		"server": {"environment_name": "production", "revision": %q}}`, class, revision))
}

func (w *walker) send(path, key, body string) {
	w.t.Helper()
	status := rig.Send(http.DefaultClient, http.MethodPost, w.s.Base+path, body, func(r *http.Request) {
		r.Header.Set("X-API-Key", key)
		r.Header.Set("Content-Type", "application/json")
	})
	if status != http.StatusCreated {
		w.t.Fatalf("%s answers %d", path, status)
	}
}

// onlyFault opens the page of the error that a project has, and returns its path.
func (w *walker) onlyFault(project int64) string {
	w.t.Helper()
	w.open(fmt.Sprintf("/projects/%d/faults", project))
	w.awaitAgain(count(rows, 1))
	w.follow(rows + " a")
	return w.here()
}
