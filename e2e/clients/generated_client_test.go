package clients

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"sett/e2e/rig"
	"sett/internal/setttest/program"
)

// TestGeneratedClient writes a client from the document of a running server with a public generator, compiles it, and
// walks every operation of the management interface with it: the tests in walk, on both engines.
func TestGeneratedClient(t *testing.T) {
	t.Parallel()
	s := rig.Start(t, "")
	walk := compileWalk(t, s)
	t.Run("SQLite", func(t *testing.T) {
		t.Parallel()
		runWalk(t, walk, s)
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		t.Parallel()
		runWalk(t, walk, rig.Start(t, rig.DurablePostgres(t)))
	})
}

// compileWalk returns the program of the tests in walk, with the client generated from the document of s.
func compileWalk(t testing.TB, s *rig.Server) (program string) {
	t.Helper()
	document, err := asOpenAPI30(s.Manage(t).Do(http.MethodGet, "/openapi.json", nil, http.StatusOK))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	source, generated := filepath.Join(dir, "openapi.json"), filepath.Join(dir, "client.go")
	rig.WriteFile(t, source, document)
	rig.RunGo(t, ".", "run", "-modfile=generator.mod", rig.LittleRun("github.com"), "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen",
		"-config", "walk/client/generator.yaml", "-o", generated, source)

	overlay, program := filepath.Join(dir, "overlay.json"), filepath.Join(dir, "walk")
	place, err := filepath.Abs("walk/client/client.go")
	if err != nil {
		t.Fatal(err)
	}
	replace, err := json.Marshal(map[string]any{"Replace": map[string]string{place: generated}})
	if err != nil {
		t.Fatal(err)
	}
	rig.WriteFile(t, overlay, replace)
	rig.RunGo(t, ".", "test", "-c", rig.LittleRun("sett/e2e"), "-tags", "walk", "-overlay", overlay, "-o", program, "./walk")
	return program
}

func runWalk(t testing.TB, walk string, s *rig.Server) {
	t.Helper()
	between := watch(t, s)
	cmd := program.Bounded(walk, "-base", between.URL, "-token", s.AuthToken, "-account", s.AccountID)
	cmd.Env = rig.Environment()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("the walk of the generated client: %v\n%s", err, out)
	}
	if left := between.left(); len(left) > 0 {
		t.Errorf("the generated client did not walk %d of %d operations; add them in e2e/walk:\n%s", len(left), len(between.called), strings.Join(left, "\n"))
	}
	t.Logf("generated client: %d operations", len(between.called))
}

// watcher stands between a client and a server, and notes which operations of the management interface were called.
type watcher struct {
	*httptest.Server
	mu     sync.Mutex
	called map[string]bool // of each operation, such as "GET /v2/projects/{project_id}"
}

func watch(t testing.TB, s *rig.Server) *watcher {
	t.Helper()
	address, err := url.Parse(s.Base)
	if err != nil {
		t.Fatal(err)
	}
	proxy, mux := httputil.NewSingleHostReverseProxy(address), http.NewServeMux()
	w := &watcher{called: map[string]bool{}}
	for _, operation := range operations(s.Manage(t)) {
		w.called[operation] = false
		mux.HandleFunc(operation, func(to http.ResponseWriter, r *http.Request) {
			w.mu.Lock()
			w.called[operation] = true
			w.mu.Unlock()
			proxy.ServeHTTP(to, r)
		})
	}
	mux.Handle("/", proxy)
	w.Server = httptest.NewServer(mux)
	t.Cleanup(w.Close)
	return w
}

// operations lists the management interface as the server's document has it.
func operations(m rig.Manager) (all []string) {
	m.T.Helper()
	var document struct {
		Paths map[string]map[string]any
	}
	m.Get("/openapi.json", &document)
	for path, methods := range document.Paths {
		for method := range methods {
			if strings.HasPrefix(path, "/v2/") {
				all = append(all, strings.ToUpper(method)+" "+path)
			}
		}
	}
	if len(all) < 60 {
		m.T.Fatalf("the document has %d operations below /v2: are they still found?", len(all))
	}
	return all
}

// left lists the operations that were not called, walked those that were.
func (w *watcher) left() (operations []string) { return w.those(false) }

func (w *watcher) walked() (operations []string) { return w.those(true) }

func (w *watcher) those(wanted bool) (operations []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for operation, called := range w.called {
		if called == wanted {
			operations = append(operations, operation)
		}
	}
	slices.Sort(operations)
	return operations
}
