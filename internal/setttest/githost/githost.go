// Package githost is a host of source control for tests. It listens on loopback and answers as the APIs of GitHub, GitLab, Gitea and
// Bitbucket do, from one real repository that the test fills with the git of the machine: commits, changes that are merged, squashed or
// rebased, reverts, force pushes. It makes the webhooks that each host would send, checks tokens, and can refuse, limit or fail. It answers
// only what package monitor/host asks.
package githost

import (
	"crypto/rsa"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"sett/internal/sett/repo"
)

// What a repository is set up with.
const (
	Token  = "token-of-tests"
	Secret = "secret-of-tests"
	name   = "acme/shop"
)

// Server is a host with one repository, whose default branch is main.
type Server struct {
	t      testing.TB
	server *httptest.Server
	mux    *http.ServeMux
	dir    string

	mu         sync.Mutex
	now        time.Time
	changes    []*change
	checks     map[string]repo.Checks
	comments   map[int64][]comment
	commits    map[string]commit // that were read, by id
	requests   []string
	app        *rsa.PrivateKey
	tokens     int // that the App got
	limit      time.Time
	fails      int
	deliveries int
	secret     string
}

type comment struct {
	id   int64
	body string
}

// New makes an empty repository and a server for it, both of which end with the test.
func New(t testing.TB) *Server {
	t.Helper()
	s := &Server{
		t: t, dir: t.TempDir(), mux: http.NewServeMux(), now: time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC),
		secret: Secret, commits: map[string]commit{}, checks: map[string]repo.Checks{}, comments: map[int64][]comment{},
	}
	s.git("init", "--quiet", "--initial-branch=main", ".")
	s.routesOfGitHub()
	s.routesOfGitLab()
	s.routesOfGitea()
	s.routesOfBitbucket()
	s.server = httptest.NewServer(s)
	t.Cleanup(s.server.Close)
	return s
}

// Repository returns the repository as people of sett would set it up, on a kind of host.
func (s *Server) Repository(h repo.Host) repo.Repository {
	return repo.Repository{Host: h, URL: s.URL(), DefaultBranch: "main", Token: Token, Secret: s.secret}
}

// URL returns the address of the repository, which is the same for all kinds of hosts.
func (s *Server) URL() string { return s.server.URL + "/" + name }

// SignWith sets the secret with which webhooks are signed from now on.
func (s *Server) SignWith(secret string) { s.secret = secret }

// At sets the clock, which each commit and each change of a change moves on by a minute.
func (s *Server) At(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = now.UTC()
}

// Limit makes the host refuse all requests until a time, as hosts do that were asked too much; the zero time ends that.
func (s *Server) Limit(until time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.limit = until
}

// Fail makes the host answer all requests with a status; 0 ends that.
func (s *Server) Fail(status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fails = status
}

// SetChecks says what the checks of a commit say.
func (s *Server) SetChecks(sha string, c repo.Checks) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.checks[sha] = c
}

// Comments returns the comments on a change.
func (s *Server) Comments(number int64) (texts []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.comments[number] {
		texts = append(texts, c.body)
	}
	return texts
}

// AddComment has another user comment on a change.
func (s *Server) AddComment(number int64, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.addComment(number, text)
}

func (s *Server) addComment(number int64, text string) comment {
	id := int64(1)
	for _, all := range s.comments {
		id += int64(len(all))
	}
	c := comment{id, text}
	s.comments[number] = append(s.comments[number], c)
	return c
}

// editComment changes a comment; false if there is none.
func (s *Server) editComment(id int64, text string) bool {
	for _, number := range slices.Sorted(maps.Keys(s.comments)) {
		for i, c := range s.comments[number] {
			if c.id == id {
				s.comments[number][i].body = text
				return true
			}
		}
	}
	return false
}

// Requests returns what was asked, such as "GET /api/v4/projects/acme%2Fshop", and forgets it.
func (s *Server) Requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := s.requests
	s.requests = nil
	return all
}

// ServeHTTP answers as a host does. The test may not use the repository at the same time.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, r.Method+" "+r.URL.EscapedPath())
	switch {
	case s.fails != 0:
		w.WriteHeader(s.fails)
		return
	case !s.limit.IsZero():
		w.Header().Set("Retry-After", s.limit.UTC().Format(http.TimeFormat))
		w.WriteHeader(http.StatusTooManyRequests)
		return
	}
	s.mux.ServeHTTP(w, r)
}

// refusal is an answer without a body.
type refusal int

// answer is what a handler says: a refusal, bytes, or what becomes JSON.
type answer = any

// handle adds a route of a kind of host. The handler gets a header to write to.
func (s *Server) handle(h repo.Host, pattern string, f func(r *http.Request, header http.Header) answer) {
	s.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		if !authorized(h, r) && !(h == repo.GitHub && s.isOfApp(r)) {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		switch said := f(r, w.Header()).(type) {
		case refusal:
			w.WriteHeader(int(said))
		case []byte:
			_, _ = w.Write(said)
		default:
			w.Header().Set("Content-Type", "application/json")
			if err := json.NewEncoder(w).Encode(said); err != nil {
				s.t.Error(err)
			}
		}
	})
}

func authorized(h repo.Host, r *http.Request) bool {
	said := r.Header.Get("Authorization")
	switch h {
	case repo.GitLab:
		return r.Header.Get("Private-Token") == Token || said == "Bearer "+Token
	case repo.Gitea:
		return said == "token "+Token
	case repo.Bitbucket:
		if _, password, ok := r.BasicAuth(); ok {
			return password == Token
		}
	}
	return said == "Bearer "+Token
}

// page returns the part of a list that a request asks for, and whether there is more behind it.
func page[T any](r *http.Request, all []T, sizeName string, most int) (part []T, number int, more bool) {
	number, size := 1, most
	if n, err := strconv.Atoi(r.FormValue("page")); err == nil && n > 0 {
		number = n
	}
	if n, err := strconv.Atoi(r.FormValue(sizeName)); err == nil && n > 0 && n < most {
		size = n
	}
	start := min((number-1)*size, len(all))
	end := min(start+size, len(all))
	return append([]T{}, all[start:end]...), number, end < len(all)
}

// numberOf reads a number in the path of a request.
func numberOf(r *http.Request, name string) int64 {
	n, _ := strconv.ParseInt(r.PathValue(name), 10, 64)
	return n
}

// bodyOf reads the JSON of a request.
func bodyOf[T any](r *http.Request) (v T) {
	_ = json.NewDecoder(r.Body).Decode(&v) // a field that is missing fails the test that needs it
	return v
}

func (s *Server) at(path string) string { return s.server.URL + path }

func (s *Server) commitURL(h repo.Host, sha string) string {
	switch h {
	case repo.GitLab:
		return s.URL() + "/-/commit/" + sha
	case repo.Bitbucket:
		return s.URL() + "/commits/" + sha
	}
	return s.URL() + "/commit/" + sha
}

func (s *Server) changeURL(h repo.Host, number int64) string {
	path := map[repo.Host]string{repo.GitHub: "pull", repo.GitLab: "-/merge_requests", repo.Gitea: "pulls", repo.Bitbucket: "pull-requests"}[h]
	return fmt.Sprintf("%s/%s/%d", s.URL(), path, number)
}

// ends splits a range of commits, such as a...b.
func ends(both, sign string) (base, head string) {
	base, head, _ = strings.Cut(both, sign)
	return base, head
}
