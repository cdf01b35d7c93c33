package host_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"sett/internal/base/dial"
	"sett/internal/monitor/host"
	"sett/internal/sett/repo"
	"sett/internal/setttest/githost"
)

func TestTreesAreAskedForOnce(t *testing.T) {
	t.Parallel()
	s := githost.New(t)
	all := []string{}
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		all = append(all, s.Commit("main", name, map[string]*string{name: githost.Text(name)}))
	}
	m := host.NewMemory(dial.New(dial.Anywhere()).Client(time.Minute), time.Now)
	requests := func(name string, kind repo.Host, want int) {
		t.Helper()
		h, err := m.Open(s.Repository(kind))
		if err != nil {
			t.Fatal(err)
		}
		s.Requests()
		paths, complete, err := h.Tree(t.Context(), name)
		if got := len(s.Requests()); err != nil || !complete || len(paths) == 0 || got != want {
			t.Errorf("%s at %s: %d requests, want %d; %q, %v", name, kind, got, want, paths, err)
		}
	}
	requests(all[0], repo.GitHub, 1)
	requests(all[0], repo.GitHub, 0)
	requests(all[0], repo.GitLab, 1) // what one host says is not said of another
	requests("main", repo.GitHub, 1)
	requests("main", repo.GitHub, 1) // it moves
	for _, sha := range all[1:] {
		requests(sha, repo.GitHub, 1)
	}
	requests(all[4], repo.GitHub, 0)
	stranger := s.Repository(repo.GitHub)
	stranger.Token = "guessed"
	if h, err := m.Open(stranger); err != nil {
		t.Fatal(err)
	} else if paths, _, err := h.Tree(t.Context(), all[4]); host.KindOf(err) != host.Refused || len(paths) > 0 {
		t.Errorf("who has no token that counts reads what another one's token read: %q, %v", paths, err)
	}
	requests(all[0], repo.GitHub, 1) // forgotten
}

func TestAppsGetTokensForAnHour(t *testing.T) {
	t.Parallel()
	s := githost.New(t)
	s.Commit("main", "Begin", nil)
	clock := now
	s.At(clock)
	m := host.NewMemory(dial.New(dial.Anywhere()).Client(time.Minute), func() time.Time { return clock })
	r := s.Repository(repo.GitHub)
	r.Token = s.App()
	check := func(want int) {
		t.Helper()
		h, err := m.Open(r)
		if err == nil {
			_, err = h.Check(t.Context())
		}
		if err != nil || s.Tokens() != want {
			t.Errorf("%d tokens, want %d; %v", s.Tokens(), want, err)
		}
	}
	check(1)
	check(1)
	clock = clock.Add(56 * time.Minute)
	s.At(clock)
	check(2)
	other := s.App() // another key
	if h, err := m.Open(r); err != nil {
		t.Error(err)
	} else if clock = clock.Add(time.Hour); true {
		_, err = h.Check(t.Context())
		if host.KindOf(err) != host.Refused || !strings.Contains(err.Error(), "install it") || strings.Contains(err.Error(), "BEGIN") {
			t.Error("with an old key:", err)
		}
	}
	for _, token := range []string{
		strings.Replace(other, "4711", "", 1), strings.Replace(other, "END", "ENDE", 1), "4711\n-----BEGIN RSA PRIVATE KEY-----\nAAAA\n-----END RSA PRIVATE KEY-----",
		"two words", "two\nlines",
	} {
		r.Token = token
		if _, err := m.Open(r); host.KindOf(err) != host.Refused {
			t.Errorf("%.30q: %v", token, err)
		}
	}
	gitlab := s.Repository(repo.GitLab)
	gitlab.Token = other
	if _, err := m.Open(gitlab); host.KindOf(err) != host.Refused {
		t.Error("an App at GitLab:", err)
	}
	if got := s.Requests(); slices.ContainsFunc(got, func(r string) bool { return strings.Contains(r, "BEGIN") }) {
		t.Error("the key is in an address:", got)
	}
}
