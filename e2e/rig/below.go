package rig

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// Below is the path of the base URL of servers that are not alone at their name.
const Below = "/tools/sett"

// neighbor is the proxy of a name at which a sett is served below a path. It notes what is asked of the rest of the name.
type neighbor struct {
	removes bool // the path
	to      atomic.Pointer[httputil.ReverseProxy]

	mu      sync.Mutex
	strayed []string
}

func (n *neighbor) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	rest, inside := strings.CutPrefix(r.URL.Path, Below)
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

// StartBelow serves a sett that is reached below a path.
func StartBelow(t *testing.T, removes bool) (*Server, *neighbor) {
	t.Helper()
	n := &neighbor{removes: removes}
	proxy := httptest.NewServer(n)
	t.Cleanup(proxy.Close)
	storage := []string{"--data", t.TempDir()}
	s := &Server{Credentials: Setup(t, append(slices.Clip(storage), "--email", OwnersEmail, "--password", OwnersPassword)), Storage: storage}
	s.Flags = append(slices.Clip(storage), "--api-rate-limit", "0", "--base-url", proxy.URL+Below, "--egress-allow", "127.0.0.0/8")
	s.Restart(t)
	t.Cleanup(func() { s.Stop(t) })
	to, err := url.Parse("http://" + s.Log.Listen)
	if err != nil {
		t.Fatal(err)
	}
	n.to.Store(httputil.NewSingleHostReverseProxy(to))
	return s, n
}

// WantNoneStrayed fails the test where something was asked outside of the path.
func (n *neighbor) WantNoneStrayed(t testing.TB) {
	t.Helper()
	n.mu.Lock()
	defer n.mu.Unlock()
	strayed := slices.DeleteFunc(n.strayed, func(asked string) bool { return asked == "GET /favicon.ico" }) // browsers ask by themselves
	if len(strayed) > 0 {
		t.Errorf("outside of the path, these were asked: %q", strayed)
	}
}
