package chaos

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"sett/e2e/rig"
	"sett/e2e/rig/load"
	"sett/internal/setttest/program"
)

// partGate is a proxy before object storage that holds up requests with a part of an object.
type partGate struct {
	url     string
	came    chan struct{} // has one for every request that is held up
	release chan struct{}
}

func newPartGate(t *testing.T, o *objectStore) *partGate {
	t.Helper()
	g := &partGate{came: make(chan struct{}, 100), release: make(chan struct{})}
	proxy := o.proxy()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Has("partNumber") {
			g.came <- struct{}{}
			select {
			case <-g.release:
			case <-r.Context().Done():
			}
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	t.Cleanup(func() { close(g.release) })
	g.url = s.URL
	return g
}

func (o *objectStore) proxy() http.Handler {
	return &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(&url.URL{Scheme: "http", Host: o.address})
		r.Out.Host = r.In.Host // which is signed
	}}
}

// losesCompletion is the address of a proxy before object storage that passes on the end of an upload, and loses the answer, once.
func (o *objectStore) losesCompletion(t *testing.T) string {
	t.Helper()
	proxy, lost := o.proxy(), false
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost && r.URL.Query().Has("uploadId") && !lost {
			lost = true
			proxy.ServeHTTP(httptest.NewRecorder(), r)
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	t.Cleanup(func() {
		if !lost {
			t.Error("no upload has ended")
		}
	})
	return s.URL
}

// of is the address of a backup, as seen through the proxy.
func (g *partGate) of(name string) string {
	return backupAt(g.url, name)
}

func backupAt(endpoint, name string) string {
	return "s3://events/daily/" + name + "?path-style=true&endpoint=" + endpoint
}

// backup is the address of a backup.
func (o *objectStore) backup(name string) string {
	return backupAt("http://"+o.address, name)
}

// has reports whether there is an object beside the others, and how many uploads have not ended.
func (o *objectStore) has(t *testing.T, name string) (is bool, uploads int) {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(o.dir, "buckets", "events", "daily", name))
	if err != nil {
		t.Fatal(err)
	}
	begun, err := filepath.Glob(filepath.Join(o.dir, "buckets", "events", ".sgwtmp", "multipart", "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	return len(found) > 0, len(begun)
}

// succeed runs a command of sett, which must succeed, and returns what it wrote.
func succeed(t *testing.T, args ...string) string {
	t.Helper()
	out, status := rig.RunSett(rig.Binary, args...)
	if status != 0 {
		t.Fatalf("sett %s: %d: %s", args[0], status, out)
	}
	return out
}

// TestBackupObjects backs up a server to real object storage, while it takes reports, verifies the backup, and restores it into both engines, which then
// have all that was accepted before. The answer to the end of the upload is lost. Neither a backup that is stopped nor one that is killed leaves an object.
func TestBackupObjects(t *testing.T) {
	t.Parallel()
	o, s := newObjectStore(t), rig.Prepare(t, "")
	s.Restart(t)
	l := load.New(s.APIKey)
	end := l.Begin(s.Base)
	l.Await(t, 2000)
	succeed(t, "backup", o.backup("busy.sett"), "--data", s.Data)
	end()
	l.Drain(t, s.Base)

	g := newPartGate(t, o)
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		var said strings.Builder
		cmd := program.Bounded(rig.Binary, "backup", g.of("last.sett"), "--data", s.Data)
		cmd.Env, cmd.Stderr = rig.Environment(), &said
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		select {
		case <-g.came:
		case <-time.After(time.Minute):
			t.Fatalf("the upload does not begin: %v", cmd.Process.Kill())
		}
		if is, uploads := o.has(t, "last.sett"); is || uploads != 1 {
			t.Errorf("while it is sent, the object is there: %v; %d uploads have begun", is, uploads)
		}
		if err := cmd.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		err := cmd.Wait()
		is, uploads := o.has(t, "last.sett")
		if err == nil || is {
			t.Errorf("after %v: %v, the object is there: %v", signal, err, is)
		}
		if stopped := strings.Contains(said.String(), "stopped before the backup was complete"); signal == syscall.SIGTERM && (uploads > 0 || !stopped) {
			t.Errorf("a backup that was stopped left %d uploads, and said %q", uploads, said.String())
		}
	}

	place := o.backup("last.sett")
	succeed(t, "backup", backupAt(o.losesCompletion(t), "last.sett"), "--data", s.Data)
	t.Log(succeed(t, "backup", "--verify", place))
	s.Stop(t)
	key := filepath.Join(s.Data, "secret.key")
	for name, flags := range map[string][]string{
		"SQLite":     {"--data", filepath.Join(t.TempDir(), "data"), "--secret-key-file", key},
		"PostgreSQL": {"--data", t.TempDir(), "--database", rig.DurablePostgres(t), "--secret-key-file", key},
	} {
		succeed(t, append([]string{"restore", place}, flags...)...)
		restored := *s
		restored.Flags = append(flags, "--api-rate-limit", "0")
		restored.Restart(t)
		t.Logf("restored into %s: %s", name, load.Prove(t, &restored, l))
		restored.Stop(t)
	}
}
