package client

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"sett/internal/api"
	"sett/internal/serve"
)

// answers is a server in memory: a status and a body for each request, in order; the last one stays.
type answers struct {
	all   []string // a body; "" for a server that does not answer
	asked []string // paths
}

func (a *answers) server() Server {
	return Server{Address: "https://sett.example.org", Token: "t", Project: 1, Do: func(r *http.Request) (*http.Response, error) {
		a.asked = append(a.asked, r.URL.RequestURI())
		text := a.all[min(len(a.asked), len(a.all))-1]
		status := http.StatusOK
		switch {
		case text == "":
			return nil, errors.New("no route to host")
		case strings.Contains(text, `"errors"`):
			status = http.StatusNotFound
		}
		return &http.Response{StatusCode: status, Body: io.NopCloser(strings.NewReader(text))}, nil
	}}
}

func bodyOf(t *testing.T, answer any) string {
	t.Helper()
	text, err := json.Marshal(answer)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func chosen(_ context.Context, s Server) (Server, error) { return s, nil }

// A gate asks until its window has passed, and a silence of the server matters only at the end.
func TestGatesAskUntilTheirWindowPasses(t *testing.T) {
	t.Parallel()
	const fine, unknown = `{"new_faults_count": 0}`, `{"errors": "not found"}`
	for name, tt := range map[string]struct {
		answers []string
		want    string // part of the error
	}{
		"nothing follows":           {[]string{fine}, ""},
		"silence in between":        {[]string{fine, "", fine}, ""},
		"silence at the end":        {[]string{fine, ""}, "no route to host"},
		"a revision that is late":   {[]string{unknown, unknown, fine}, ""},
		"a revision never recorded": {[]string{unknown}, "no deploy and no event names"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				a, begun := &answers{all: tt.answers}, time.Now()
				found, err := a.server().Pass(t.Context(), Gate{Revision: "v1/2", Window: 10 * time.Minute}, chosen)
				if (err != nil) != (tt.want != "") || err != nil && !strings.Contains(err.Error(), tt.want) || len(found) > 0 {
					t.Errorf("%v, %v", found, err)
				}
				if took := time.Since(begun); took != 10*time.Minute || len(a.asked) != 31 || a.asked[0] != "/v2/projects/1/releases/v1%2F2" {
					t.Errorf("%d requests in %v, the first was %s", len(a.asked), took, a.asked[0])
				}
			})
		})
	}
}

// A gate ends as soon as errors follow: those that are new in the revision, and older ones that it reopened.
func TestGatesEndAtTheFirstError(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		now := time.Now()
		list := func(all ...api.Fault) string {
			var l api.FaultList
			l.Results = all
			return bodyOf(t, l)
		}
		old := now.Add(-time.Hour)
		a := &answers{all: []string{
			`{}`,
			`{"new_faults_count": 1}`, `{"results": []}`, `{"new_faults_count": 1}`, // one of another environment
			bodyOf(t, api.Release{CreatedAt: now, NewFaultsCount: 1, ReopenedFaultsCount: 1}),
			list(api.Fault{ID: 7, CreatedAt: now}),
			list(api.Fault{ID: 7, CreatedAt: now}, api.Fault{ID: 8, CreatedAt: old}, api.Fault{ID: 9, CreatedAt: old}),
			`{"results": [{"event": "reopened", "revision": "r1"}]}`,
			`{"results": [{"event": null, "body": "reopened"}, {"event": "reopened", "revision": "r2"}]}`,
		}}
		found, err := a.server().Pass(t.Context(), Gate{Revision: "r2", Environment: "live shop", Window: time.Hour}, chosen)
		if err != nil || len(found) != 2 || found[0].ID != "7" || found[0].Cells[0] != "new" || found[1].ID != "9" || found[1].Cells[0] != "reopened" {
			t.Errorf("%v, %v", found, err)
		}
		if !strings.Contains(a.asked[5], "q=environment%3A%22live+shop%22+revision%3Ar2+-is%3Aignored") || time.Since(now) != 6*time.Minute {
			t.Errorf("%q after %v", a.asked, time.Since(now))
		}
	})
}

// A gate does not pass a release whose errors could not be read.
func TestAGateThatCannotReadDoesNotPass(t *testing.T) {
	t.Parallel()
	for _, missing := range []string{`"unread_blocks": 2`, `"searched_since": "2026-11-29T08:00:00Z"`} {
		synctest.Test(t, func(t *testing.T) {
			a := &answers{all: []string{`{"new_faults_count": 1}`, `{"results": [], ` + missing + `}`}}
			for range 2 * asksOfGate {
				a.all = append(a.all, a.all[:2]...)
			}
			if found, err := a.server().Pass(t.Context(), Gate{Revision: "r2", Window: 10 * time.Minute}, chosen); err == nil || !strings.Contains(err.Error(), "counts new or reopened errors") {
				t.Errorf("%s: %v, %v", missing, found, err)
			}
		})
	}
}

// The error that a release reopened may be behind many that go on. A gate looks for it on more pages, and does not pass what it has not looked at.
func TestGatesLookBehindThePageOfErrorsThatGoOn(t *testing.T) {
	t.Parallel()
	now := time.Now()
	page := func(first int64, next string) string {
		var l api.FaultList
		for n := range int64(25) {
			l.Results = append(l.Results, api.Fault{ID: first + n, CreatedAt: now.Add(-time.Hour)})
		}
		l.Links.Next = next
		return bodyOf(t, l)
	}
	for name, tt := range map[string]struct {
		reopened string // event of the last error
		next     string // after the second page
		want     string // part of the error
	}{
		"on the second page":  {"reopened", "", ""},
		"behind what is read": {"resolved", "https://sett.example.org/v2/projects/1/faults?page=2", "only the 100 errors that occurred last were looked at"},
	} {
		server := (&answers{}).server()
		server.Do = func(r *http.Request) (*http.Response, error) {
			text := page(1, "https://sett.example.org/v2/projects/1/faults?page=2")
			switch {
			case strings.HasSuffix(r.URL.Path, "/r2"):
				text = bodyOf(t, api.Release{CreatedAt: now, ReopenedFaultsCount: 1})
			case strings.HasSuffix(r.URL.Path, "/faults/50/comments"):
				text = `{"results": [{"event": "` + tt.reopened + `", "revision": "r2"}]}`
			case strings.HasSuffix(r.URL.Path, "/comments"), r.URL.Query().Has("created_after"):
				text = `{"results": []}`
			case r.URL.Query().Get("page") == "2":
				text = page(26, tt.next)
			}
			return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(text))}, nil
		}
		found, err := server.Pass(t.Context(), Gate{Revision: "r2"}, chosen)
		if tt.want == "" && (err != nil || len(found) != 1 || found[0].ID != "50") || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: %v, %v", name, found, err)
		}
	}
}

// The count of a release may be there before the lists have the error. The last look does not rely on it.
func TestTheLastLookOfAGateIsWhole(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const counted = `{"new_faults_count": 1}`
		a := &answers{all: []string{counted, `{"results": []}`}}
		for range asksOfGate {
			a.all = append(a.all, counted)
		}
		a.all = append(a.all, bodyOf(t, api.FaultList{List: serve.List[api.Fault]{Results: []api.Fault{{ID: 7}}}}))
		if found, err := a.server().Pass(t.Context(), Gate{Revision: "r2", Window: 10 * time.Minute}, chosen); err != nil || len(found) != 1 {
			t.Errorf("%v, %v after %d requests", found, err, len(a.asked))
		}
	})
}

// A tail shows each event once, says when answers stop, and goes on after them.
func TestTailsShowEachEventOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		at := time.Now()
		list := func(counts ...int64) string {
			var l api.FaultList
			for i, n := range counts {
				seen := at.Add(time.Duration(n) * time.Second)
				l.Results = append(l.Results, api.Fault{ID: int64(i + 1), Klass: "E", NoticesCount: n, NoticesCountInRange: &n, LastNoticeAt: &seen})
			}
			return bodyOf(t, l)
		}
		a := &answers{all: []string{list(5, 1), list(5, 1), "", list(7, 1, 2), list(7, 1, 2)}}
		var shown []Row
		troubles, looks := 0, 0
		err := a.server().Follow(ctx, Tail{Lines: 1, Every: 15 * time.Second, Note: func(string) { troubles++ }, Show: func(rows []Row) error {
			if shown = append(shown, rows...); looks == 3 {
				cancel()
			}
			looks++
			return nil
		}})
		if !errors.Is(err, context.Canceled) || troubles != 1 || len(shown) != 3 || time.Since(at) != 75*time.Second {
			t.Fatalf("%v, %d troubles, %v", err, troubles, shown)
		}
		for i, want := range []struct {
			id  string
			new any
		}{{"1", nil}, {"3", int64(2)}, {"1", int64(2)}} {
			if shown[i].ID != want.id || shown[i].Cells[2] != want.new {
				t.Errorf("line %d: %v", i, shown[i])
			}
		}
		if last := a.asked[len(a.asked)-1]; !strings.Contains(last, "occurred_after=") {
			t.Error(last)
		}
	})
}

// The tail of one error shows each event once, also one that is stored late, and says what it leaves out.
func TestTailsOfAnErrorShowEachEventOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		at := time.Now()
		page := func(next string, seconds ...int) string {
			l := serve.List[api.Notice]{Links: serve.Links{Next: next}}
			for _, n := range seconds {
				l.Results = append(l.Results, api.Notice{ID: strconv.Itoa(n), CreatedAt: at.Add(time.Duration(n) * time.Second)})
			}
			return bodyOf(t, l)
		}
		const path = "/v2/projects/1/faults/7/notices"
		more := "https://sett.example.org" + path + "?page=2"
		many := make([]int, mostEvents)
		for i := range many {
			many[i] = 900 - i
		}
		a := &answers{all: []string{bodyOf(t, api.Fault{ID: 7}), page(more, 9, 8, 7), page(more, 12, 11), "", page(more, 12, 11), page("", 10, 9, 8), page(more, many...), page("", 900)}}
		var shown, notes []string
		looks := 0
		err := a.server().Follow(ctx, Tail{Error: "7", Lines: 2, Every: 15 * time.Second, Note: func(says string) { notes = append(notes, says) }, Show: func(rows []Row) error {
			for _, r := range rows[:min(len(rows), 3)] {
				shown = append(shown, r.ID)
			}
			if looks++; looks == 4 {
				cancel()
			}
			return nil
		}})
		if got := strings.Join(shown, " "); !errors.Is(err, context.Canceled) || got != "8 9 10 11 12 801 802 803" {
			t.Errorf("%v, shown: %s", err, got)
		}
		if len(notes) != 2 || !strings.HasSuffix(notes[0], "trying again") || !strings.Contains(notes[1], "the newest 100 follow") {
			t.Errorf("%q", notes)
		}
		after := url.QueryEscape(at.Add(4 * time.Second).Format(time.RFC3339Nano))
		if a.asked[1] != path || a.asked[2] != path+"?created_after="+after || a.asked[3] != path+"?page=2" || a.asked[4] != a.asked[2] {
			t.Errorf("%q", a.asked)
		}
	})
}
