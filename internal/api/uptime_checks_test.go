package api_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/api"
	"sett/internal/serve"
	"sett/internal/sett/checks"
	"sett/internal/setttest"
)

func TestUptimeChecksOfASite(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		live(t, s, checks.Virginia)
		site := createSite(t, s)
		path, status, reason := sitesPath(s, "/"+site.ID+"/uptime_checks"), 200, "Connection timed out"
		var want []api.UptimeCheck
		for i, took := range []time.Duration{0, 1499 * time.Microsecond, 1500 * time.Microsecond, 30 * time.Second, time.Second} {
			result, check := fine(took), api.UptimeCheck{CreatedAt: s.Clock.Now(), Location: checks.Virginia, Up: true, Status: &status}
			if check.Duration = []int64{0, 1, 2, 30000, 1000}[i]; check.Duration == 30000 {
				result.Up, result.Status, result.Reason = false, 0, reason
				check.Up, check.Status, check.Reason = false, nil, &reason
			}
			checked(t, s, site, result)
			s.Clock.Push(time.Minute)
			want = append(want, check)
		}
		slices.Reverse(want)
		list := func(path string) (list serve.List[api.UptimeCheck]) {
			s.Get(path).Into(&list)
			return list
		}
		if diff := cmp.Diff(want, list(path).Results); diff != "" {
			t.Errorf("checks (-want +got):\n%s", diff)
		}
		third := want[2].CreatedAt.Unix()
		for query, want := range map[string][]api.UptimeCheck{
			fmt.Sprint("?created_after=", third):                              want[:3],
			fmt.Sprint("?created_before=", third):                             want[3:],
			fmt.Sprint("?created_after=", third, "&created_before=", third+1): want[2:3],
			"?limit=2": want[:2],
		} {
			if diff := cmp.Diff(want, list(path+query).Results); diff != "" {
				t.Errorf("%s (-want +got):\n%s", query, diff)
			}
		}
		var walked []api.UptimeCheck
		for next, pages := path+"?limit=2", 0; next != "" && pages < 9; pages++ {
			page := list(next)
			walked, next = append(walked, page.Results...), strings.TrimPrefix(page.Links.Next, s.Base)
			checked(t, s, site, fine(time.Second)) // does not move entries to another page
			s.Clock.Push(time.Minute)
		}
		if diff := cmp.Diff(want, walked); diff != "" {
			t.Errorf("page by page (-want +got):\n%s", diff)
		}
	})
}
