package host_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"sett/internal/base/dial"
	"sett/internal/monitor/host"
	"sett/internal/sett/repo"
	"sett/internal/setttest/githost"
)

func TestFailuresSayWhatToDo(t *testing.T) {
	t.Parallel()
	s := githost.New(t)
	s.Commit("main", "Begin", nil)
	until := now.Add(20 * time.Minute)
	for _, kind := range repo.Hosts {
		r := s.Repository(kind)
		h := ask(t, r)
		wrong, elsewhere := r, r
		wrong.Token = "wrong"
		elsewhere.URL = strings.Replace(r.URL, "shop", "other", 1)
		down := r
		down.URL = "http://127.0.0.1:1/acme/shop"
		s.Limit(until)
		_, err := h.Check(t.Context())
		e, ok := errors.AsType[*host.Error](err)
		if !ok || e.Kind != host.Limited || !e.Until.Equal(until) || !strings.Contains(e.Error(), "12:20:00") {
			t.Errorf("%s: %v", kind, err)
		}
		s.Limit(time.Time{})
		for status, want := range map[int]host.Kind{
			http.StatusInternalServerError: host.Unreachable, http.StatusMovedPermanently: host.Refused, http.StatusForbidden: host.Refused,
			http.StatusConflict: host.Strange,
		} {
			s.Fail(status)
			if _, err := h.Check(t.Context()); host.KindOf(err) != want {
				t.Errorf("%s with %d: %v (%s)", kind, status, err, host.KindOf(err))
			}
		}
		s.Fail(0)
		for _, c := range []struct {
			r    repo.Repository
			kind host.Kind
			text string
		}{
			{wrong, host.Refused, "create a new one"}, {elsewhere, host.Refused, "Check the address"}, {down, host.Unreachable, "cannot be reached"},
		} {
			_, err := ask(t, c.r).Check(t.Context())
			if host.KindOf(err) != c.kind || !strings.Contains(err.Error(), c.text) || strings.Contains(err.Error(), c.r.Token) {
				t.Errorf("%s: %v (%s), want %q", kind, err, host.KindOf(err), c.text)
			}
		}
		guarded, err := host.New(dial.New(dial.Policy{}).Client(time.Minute), r, time.Now)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := guarded.Check(t.Context()); host.KindOf(err) != host.Refused || !strings.Contains(err.Error(), "loopback") {
			t.Errorf("%s at a forbidden address: %v", kind, err)
		}
	}
}

func TestAddressesLeadToTheirAPI(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		host repo.Host
		url  string
		want string // the first request, or what is wrong
	}{
		{repo.GitHub, "https://github.com/acme/shop", "https://api.github.com/repos/acme/shop"},
		{repo.GitHub, "https://github.com/acme/shop.git/", "https://api.github.com/repos/acme/shop"},
		{repo.GitHub, "https://git.example.org/acme/shop", "https://git.example.org/api/v3/repos/acme/shop"},
		{repo.GitHub, "https://acme.ghe.com/acme/shop", "https://api.acme.ghe.com/repos/acme/shop"},
		{repo.GitLab, "https://gitlab.example.org/group/sub/shop", "https://gitlab.example.org/api/v4/projects/group%2Fsub%2Fshop"},
		{repo.Gitea, "http://example.org:3000/git/acme/shop", "http://example.org:3000/git/api/v1/repos/acme/shop"},
		{repo.Bitbucket, "https://bitbucket.org/acme/shop", "https://api.bitbucket.org/2.0/repositories/acme/shop"},
		{repo.Bitbucket, "https://bitbucket.example.org/projects/ACME/repos/shop", "Data Center"},
		{repo.GitLab, "https://gitlab.example.org/group/sub/shop/-/tree/main", "https://gitlab.example.org/api/v4/projects/group%2Fsub%2Fshop"},
		{repo.GitHub, "https://github.com/acme", "not valid"},
		{repo.GitHub, "https://github.com/acme/shop/tree/main", "not valid"},
		{repo.GitHub, "https://github.com/../shop", "not valid"},
		{repo.GitHub, "https://github.com/acme/sh%2Fop", "not valid"},
		{repo.GitHub, "https://user:secret@github.com/acme/shop", "not valid"},
		{repo.GitHub, "git@github.com:acme/shop.git", "not valid"},
		{repo.GitHub, "file:///acme/shop", "not valid"},
		{"svn", "https://example.org/acme/shop", "does not know this kind"},
	} {
		asked := &asked{}
		h, err := host.New(asked, repo.Repository{Host: c.host, URL: c.url, Token: "t"}, time.Now)
		got := fmt.Sprint(err)
		if err == nil {
			_, _ = h.Check(t.Context())
			got = asked.first
		}
		if !strings.Contains(got, c.want) {
			t.Errorf("%s: %s, want %s", c.url, got, c.want)
		}
	}
	if _, err := host.New(nil, repo.Repository{Host: repo.GitHub, URL: "https://github.com/acme/shop"}, time.Now); host.KindOf(err) != host.Refused {
		t.Error("without a token:", err)
	}
}

// asked notes the address of the first request and answers none.
type asked struct{ first string }

func (a *asked) Do(r *http.Request) (*http.Response, error) {
	if a.first == "" {
		a.first = r.URL.String()
	}
	return nil, errors.New("no answer")
}

// said answers every request with one answer.
type said struct {
	status int
	header http.Header
	body   string
}

func (s said) Do(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: s.status, Header: s.header, Body: io.NopCloser(strings.NewReader(s.body))}, nil
}

func TestLimitsEndWhenTheHostSays(t *testing.T) {
	t.Parallel()
	in := func(d time.Duration) string { return fmt.Sprint(now.Add(d).Unix()) }
	for i, c := range []struct {
		answer said
		kind   host.Kind
		wait   time.Duration
	}{
		{said{403, http.Header{"X-Ratelimit-Remaining": {"0"}, "X-Ratelimit-Reset": {in(time.Hour)}}, ""}, host.Limited, time.Hour},
		{said{403, http.Header{"Retry-After": {"90"}}, ""}, host.Limited, 90 * time.Second},
		{said{403, http.Header{}, "You have exceeded a secondary rate limit."}, host.Limited, time.Minute},
		{said{403, http.Header{"X-Ratelimit-Remaining": {"7"}}, "Resource not accessible"}, host.Refused, 0},
		{said{429, http.Header{"Ratelimit-Reset": {in(5 * time.Minute)}}, ""}, host.Limited, 5 * time.Minute},
		{said{429, http.Header{"Retry-After": {now.Add(time.Hour).Format(http.TimeFormat)}}, ""}, host.Limited, time.Hour},
		{said{429, http.Header{"Retry-After": {"999999"}}, ""}, host.Limited, 24 * time.Hour},
		{said{429, http.Header{"Ratelimit-Reset": {in(-time.Hour)}}, ""}, host.Limited, time.Minute},
		{said{401, http.Header{}, ""}, host.Refused, 0},
		{said{200, http.Header{}, "<html>Sign in</html>"}, host.Strange, 0},
		{said{200, http.Header{}, `{"default_branch":""}`}, host.Strange, 0},
	} {
		h, err := host.New(c.answer, repo.Repository{Host: repo.GitHub, URL: "https://github.com/acme/shop", Token: "t"}, func() time.Time { return now })
		if err != nil {
			t.Fatal(err)
		}
		_, err = h.Check(t.Context())
		e, ok := errors.AsType[*host.Error](err)
		if !ok || e.Kind != c.kind || c.wait > 0 && !e.Until.Equal(now.Add(c.wait)) {
			t.Errorf("%d: %v (%v)", i, err, e)
		}
	}
}

func TestHostileAnswersAreRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind repo.Host
		body string
		call func(h host.Host) error
		want host.Kind
	}{
		{repo.GitHub, `{"sha":"../../x"}`, func(h host.Host) error { return second(h.Commit(t.Context(), "a1b2c3d4")) }, host.Strange},
		{repo.GitLab, `{"id":""}`, func(h host.Host) error { return second(h.Commit(t.Context(), "a1b2c3d4")) }, host.Strange},
		{repo.Gitea, `[{"sha":"x"}]`, func(h host.Host) error { return second(h.Compare(t.Context(), "a1b2c3d4", "b1b2c3d4")) }, host.Strange},
		{repo.GitHub, `{"status":"sideways"}`, func(h host.Host) error { return second(h.Compare(t.Context(), "a1b2c3d4", "b1b2c3d4")) }, host.Strange},
		{repo.GitHub, `{"number":8}`, func(h host.Host) error { return second(h.Change(t.Context(), 7)) }, host.Strange},
		{repo.GitHub, `{"errors":[{"type":"RATE_LIMITED"}]}`, func(h host.Host) error { return second(h.Blame(t.Context(), "a1b2c3d4", "a", 1, 1)) }, host.Limited},
		{repo.GitHub, strings.Repeat("a", host.MostFile+1), func(h host.Host) error { return second(h.File(t.Context(), "a1b2c3d4", "a")) }, host.Cannot},
		{repo.Bitbucket, `{"values":[{"path":"a","type":"commit_file"}],"next":"https://evil.example.org/"}`, func(h host.Host) error {
			paths, complete, err := h.Tree(t.Context(), "a1b2c3d4")
			if complete || len(paths) != 1 {
				t.Errorf("a list that leads elsewhere is complete: %v, or was followed: %q", complete, paths)
			}
			return err
		}, ""},
	} {
		h, err := host.New(said{200, http.Header{}, c.body}, repo.Repository{Host: c.kind, URL: "https://example.org/acme/shop", Token: "t"}, time.Now)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.call(h); host.KindOf(err) != c.want {
			t.Errorf("%s with %.40s: %v (%s)", c.kind, c.body, err, host.KindOf(err))
		}
	}
}

// pagesOf answers requests with the page that they ask for, with a link to the next one.
type pagesOf func(page int) string

func (p pagesOf) Do(r *http.Request) (*http.Response, error) {
	page, _ := strconv.Atoi(r.URL.Query().Get("page"))
	return said{200, http.Header{}, p(max(page, 1))}.Do(r)
}

// Checks that were not all read have not all passed.
func TestChecksOfManyPages(t *testing.T) {
	t.Parallel()
	page := func(kind repo.Host, result string, last bool) string {
		if kind == repo.GitHub {
			return `{"check_runs":[` + strings.Repeat(`{"status":"completed","conclusion":"success"},`, 99) + `{"status":"completed","conclusion":"` + result + `"}]}`
		}
		next := `,"next":"https://example.org/2.0/repositories/acme/shop/commit/a1b2c3d4/statuses?page=2"`
		if last {
			next = ""
		}
		return `{"values":[` + strings.Repeat(`{"state":"SUCCESSFUL"},`, 99) + `{"state":"` + result + `"}]` + next + `}`
	}
	for _, c := range []struct {
		kind         repo.Host
		good, failed string
	}{{repo.GitHub, "success", "failure"}, {repo.Bitbucket, "SUCCESSFUL", "FAILED"}} {
		for name, tt := range map[string]struct {
			second string // the result of the last check of the second page
			ends   bool
			want   repo.Checks
		}{"one failed": {c.failed, true, repo.ChecksFailed}, "all passed": {c.good, true, repo.ChecksPassed}, "without an end": {c.good, false, repo.ChecksUnknown}} {
			answers := pagesOf(func(n int) string {
				switch {
				case n == 2:
					return page(c.kind, tt.second, tt.ends)
				case n > 2 && tt.ends:
					return `{"check_runs":[]}`
				}
				return page(c.kind, c.good, false)
			})
			h, err := host.New(answers, repo.Repository{Host: c.kind, URL: "https://example.org/acme/shop", Token: "t"}, time.Now)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := h.Checks(t.Context(), "a1b2c3d4"); err != nil || got != tt.want {
				t.Errorf("%s, %s: %q, %v, want %q", c.kind, name, got, err, tt.want)
			}
		}
	}
}
