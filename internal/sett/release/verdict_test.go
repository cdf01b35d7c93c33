package release_test

import (
	"strings"
	"testing"
	"time"

	"sett/internal/sett/release"
)

func TestCompare(t *testing.T) {
	t.Parallel()
	sessions := func(total, crashed int64) release.SessionSums {
		return release.SessionSums{Total: total, Crashed: crashed}
	}
	none, day := release.SessionSums{}, 24*time.Hour
	for _, c := range []struct {
		name           string
		this, previous release.Figures
		want           release.State
		reason         string
	}{
		{"no errors in a day", release.Figures{day, 0, none}, release.Figures{day, 0, none}, release.Same, "0 errors new or reopened, and 0 in as"},
		{"two errors may be chance", release.Figures{day, 2, none}, release.Figures{day, 0, none}, release.Same, "2 errors"},
		{"three are not", release.Figures{day, 3, none}, release.Figures{day, 0, none}, release.Worse, "3 errors"},
		{"as many as before", release.Figures{day, 8, none}, release.Figures{day, 6, none}, release.Same, "and 6 in"},
		{"fewer errors", release.Figures{day, 1, none}, release.Figures{day, 9, none}, release.Better, "1 error new"},
		{"after minutes", release.Figures{time.Minute, 0, none}, release.Figures{day, 9, none}, release.Early, "needs an hour"},
		{"worse after minutes", release.Figures{time.Minute, 5, none}, release.Figures{day, 0, none}, release.Worse, "5 errors"},
		{"more crashes", release.Figures{day, 0, sessions(1000, 30)}, release.Figures{day, 0, sessions(1000, 5)}, release.Worse, "97.00% of sessions without a crash, and 99.50%"},
		{"fewer crashes", release.Figures{day, 0, sessions(1000, 5)}, release.Figures{day, 0, sessions(1000, 30)}, release.Better, "99.50%"},
		{"crashes that may be chance", release.Figures{day, 0, sessions(300, 3)}, release.Figures{day, 0, sessions(300, 1)}, release.Same, "99.00%"},
		{"a change that is small", release.Figures{day, 0, sessions(1e6, 5000)}, release.Figures{day, 0, sessions(1e6, 3000)}, release.Same, "99.50%"},
		{"few sessions", release.Figures{day, 0, sessions(10, 9)}, release.Figures{day, 0, sessions(1000, 1)}, release.Early, "200 sessions"},
		{"sessions are new", release.Figures{day, 0, sessions(1000, 900)}, release.Figures{day, 0, none}, release.Same, "0 errors"},
		{"fewer crashes and more errors", release.Figures{day, 9, sessions(1000, 5)}, release.Figures{day, 0, sessions(1000, 30)}, release.Worse, "9 errors"},
	} {
		got := release.Compare(c.this, c.previous)
		if got.State != c.want || !strings.Contains(strings.Join(got.Reasons, " "), c.reason) {
			t.Errorf("%s: %+v, want %s because of %q", c.name, got, c.want, c.reason)
		}
	}
}

func TestCrashFree(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		sums release.SessionSums
		want float64
		ok   bool
	}{
		{release.SessionSums{}, 0, false},
		{release.SessionSums{Crashed: 3}, 0, false},
		{release.SessionSums{Total: 4, Crashed: 1}, 0.75, true},
		{release.SessionSums{Total: 1, Crashed: 3}, 0, true},
	} {
		if got, ok := c.sums.CrashFree(); got != c.want || ok != c.ok {
			t.Errorf("%+v: %v, %v", c.sums, got, ok)
		}
	}
}
