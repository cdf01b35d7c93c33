package api_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/api"
	"sett/internal/sett/checks"
	"sett/internal/setttest"
)

func TestUptimeOfASite(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		live(t, s, checks.Virginia)
		site := createSite(t, s)
		path := sitesPath(s, "/"+site.ID+"/uptime")
		none := map[string]any{
			"from": "2026-10-20T00:00:00Z", "to": "2026-11-19T00:00:00Z", "checks": 0.0, "failed": 0.0, "uptime": nil, "p50": nil, "p95": nil, "days": []any{},
		}
		if diff := cmp.Diff(none, s.Get(path).JSON()); diff != "" {
			t.Errorf("before the first check (-want +got):\n%s", diff)
		}

		look := func(up bool, took time.Duration) {
			result := fine(took)
			if !up {
				result = checks.ProbeResult{Reason: "Connection timed out", Duration: took}
			}
			checked(t, s, site, result)
			s.Clock.Push(time.Minute)
		}
		look(true, 100*time.Millisecond) // on 18 November
		look(true, 100*time.Millisecond)
		look(true, 400*time.Millisecond)
		look(false, 30*time.Second)
		s.Clock.Push(24 * time.Hour)
		live(t, s, checks.Virginia)
		look(false, 30*time.Second) // on 19 November

		near := cmp.Comparer(func(a, b int64) bool { return a == b || a-b <= a/40 && b-a <= b/40 })
		sum := func(checks, failed int64, percent float64) api.UptimeSum {
			return api.UptimeSum{Checks: checks, Failed: failed, Uptime: &percent, P50: new(int64(100)), P95: new(int64(400))}
		}
		first := api.UptimeDay{Day: "2026-11-18", Location: checks.Virginia, UptimeSum: sum(4, 1, 75)}
		second := api.UptimeDay{Day: "2026-11-19", Location: checks.Virginia, UptimeSum: api.UptimeSum{Checks: 1, Failed: 1, Uptime: new(0.0)}}
		day := func(n int) time.Time { return time.Date(2026, 11, n, 0, 0, 0, 0, time.UTC) }
		for query, want := range map[string]api.Uptime{
			"":                                  {From: day(20).AddDate(0, -1, 1), To: day(20), UptimeSum: sum(5, 2, 60), Days: []api.UptimeDay{first, second}},
			"?from=2026-11-19":                  {From: day(19), To: day(20), UptimeSum: second.UptimeSum, Days: []api.UptimeDay{second}},
			"?from=2026-11-18&to=2026-11-18":    {From: day(18), To: day(19), UptimeSum: first.UptimeSum, Days: []api.UptimeDay{first}},
			"?from=1795000000&to=1795000000":    {From: day(18), To: day(19), UptimeSum: first.UptimeSum, Days: []api.UptimeDay{first}},
			"?from=2025-11-20&to=2026-11-20":    {From: day(20).AddDate(-1, 0, 0), To: day(21), UptimeSum: sum(5, 2, 60), Days: []api.UptimeDay{first, second}},
			"?start=2026-11-18&stop=2026-11-18": {From: day(18), To: day(19), UptimeSum: first.UptimeSum, Days: []api.UptimeDay{first}},
			"?start=2026-11-19&from=&to=&stop=": {From: day(19), To: day(20), UptimeSum: second.UptimeSum, Days: []api.UptimeDay{second}},
			"?to=2026-11-17T23:59:59%2B00:00":   {From: day(18).AddDate(0, 0, -30), To: day(18), Days: []api.UptimeDay{}},
		} {
			var got api.Uptime
			if s.Get(path + query).Into(&got); cmp.Diff(want, got, near) != "" {
				t.Errorf("%s (-want +got):\n%s", query, cmp.Diff(want, got, near))
			}
		}
		const form = "must be a date such as 2026-11-18, a time such as 2026-11-18T10:30:00Z, or seconds since 1970, such as 1795000000"
		for query, want := range map[string]string{
			"?from=x&to=1":     "from " + form,
			"?to=2026-13-01":   "to " + form,
			"?from=9999-01-1":  "from " + form,
			"?start=x&stop=-1": "start " + form + "; stop " + form,
			"?stop=%20":        "stop " + form,
			"?from=2026-11-18&start=2026-11-18&to=2026-11-19&stop=2026-11-19": "start must not be sent together with its alias from; stop must not be sent together with its alias to",
			"?from=2026-11-20&to=2026-11-19":                                  "from must not be after to, which is now unless it is given",
			"?from=2027-11-20":                                                "from must not be after to, which is now unless it is given",
			"?from=2025-11-18&to=2026-11-19":                                  "from must be at most 366 days before to, which is now unless it is given",
		} {
			if text := s.Do("GET", path+query, nil).Want(http.StatusUnprocessableEntity).Errors(); text != "Please correct: "+want+"." {
				t.Errorf("%s: %s", query, text)
			}
		}
	})
}
