package fault

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"sett/internal/store/fault"
)

func TestFacetCache(t *testing.T) {
	t.Parallel()
	var c facetCache
	now, counts, notices := time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC), 0, int64(manyNotices)
	var fails error
	read := func(project int64, keys ...string) {
		_, err := c.read(now, project, keys, func() (fault.Facets, error) {
			counts++
			values := make([]fault.FacetValue, 3*mostOfFacets)
			return fault.Facets{Notices: notices, Values: map[string][]fault.FacetValue{"user": values, browserKey: {{Text: "curl/1", Count: 2}, {Text: "curl/2", Count: 1}}}}, fails
		})
		if !errors.Is(err, fails) {
			t.Errorf("it fails with %v", err)
		}
	}
	want := func(n int, what string) {
		t.Helper()
		if counts != n {
			t.Errorf("%s: counted %d times, want %d", what, counts, n)
		}
	}
	read(1, "user")
	read(1, "user")
	want(1, "again")
	if kept := c.of[countedKey{1, "user"}]; len(kept.Values["user"]) != mostOfFacets || len(kept.Values[browserKey]) != 1 || kept.Values[browserKey][0].Count != 3 {
		t.Errorf("it keeps %d values, and of browsers %+v", len(kept.Values["user"]), kept.Values[browserKey])
	}
	read(2, "user")
	read(1, "user", "class")
	want(3, "another project, and other keys")
	now = now.Add(countedFor)
	read(1, "user")
	want(4, "later")
	now = now.Add(-time.Hour)
	read(1, "user")
	want(5, "after the clock was set back")
	notices = manyNotices - 1
	read(3, "user")
	read(3, "user")
	want(7, "few notices")
	notices, fails = manyNotices, errors.New("broken")
	read(4, "user")
	read(4, "user")
	want(9, "failures")
	fails = nil
	for i := range 3 * mostCounted {
		read(1, fmt.Sprint(i))
	}
	if len(c.of) > mostCounted {
		t.Errorf("it keeps %d", len(c.of))
	}
}
