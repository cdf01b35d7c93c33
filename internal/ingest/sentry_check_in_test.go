package ingest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/checks"
	"sett/internal/sett/faults"
)

// ask sends a request at an address of the project's check-ins without an envelope.
func (o *office) ask(t *testing.T, method, path, body string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	o.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), method, o.dsn("/api/42/cron"+strings.ReplaceAll(path, "KEY", recordedKey)), strings.NewReader(body)))
	return w
}

// wantRun checks the state of the check-in with a slug, and the run that is watched: its id and how many minutes it has left.
func (o *office) wantRun(t *testing.T, slug, want string) {
	t.Helper()
	found, _, err := o.store.Uptime.ListCheckIns(t.Context(), o.setup.ProjectID, sett.Page{Size: 10})
	if err != nil {
		t.Fatal(err)
	}
	got := "none"
	for _, c := range found {
		if c.Slug == slug {
			got = string(c.State)
			if c.Run.IsOpen() {
				got += fmt.Sprint(" ", c.Run.ID, " ", c.Run.DeadlineAt.Sub(o.now).Minutes())
			}
		}
	}
	if got != want {
		t.Errorf("%s is %s, want %s", slug, got, want)
	}
}

func checkInEnvelope(checkIn string) string { return "{}\n{\"type\":\"check_in\"}\n" + checkIn }

func TestSentryRunsAreWatched(t *testing.T) {
	t.Parallel()
	o := setup(t, accounts.Limits{})
	send := func(checkIn string) {
		t.Helper()
		if w := o.sendSentry(t, "/envelope/", checkInEnvelope(checkIn), nil); w.Code != http.StatusOK {
			t.Errorf("%s: %d %s", checkIn, w.Code, w.Body)
		}
	}
	const config = `,"monitor_config":{"schedule":{"type":"interval","value":1,"unit":"day"},"max_runtime":10}`
	send(`{"check_in_id":"6F15B5DE-e14d-4d56-ad41-f15daf542e9d","monitor_slug":"job","status":"in_progress"` + config + `}`)
	o.wantRun(t, "job", "pending 6f15b5dee14d4d56ad41f15daf542e9d 10")
	send(`{"check_in_id":"6f15b5dee14d4d56ad41f15daf542e9d","monitor_slug":"job","status":"ok","environment":"staging","release":"shop@1.2.3"}`)
	o.wantRun(t, "job", "reporting")
	send(`{"check_in_id":"01","monitor_slug":"job","status":"in_progress"}`)
	o.wantRun(t, "job", "reporting 01 10")
	send(`{"check_in_id":"00000000000000000000000000000000","monitor_slug":"job","status":"ok"}`)
	o.wantRun(t, "job", "reporting")

	// Both reports of a run, the end first, as the SDK for Node.js may send them: of a check-in that exists, and of one that does not.
	for _, slug := range []string{"job", "new"} {
		send(`{"check_in_id":"02","monitor_slug":"` + slug + `","status":"ok"}`)
		send(`{"check_in_id":"02","monitor_slug":"` + slug + `","status":"in_progress"` + config + `}`)
		o.wantRun(t, slug, "reporting")
	}

	// A start that another run's end was kept for is watched all the same.
	send(`{"check_in_id":"03","monitor_slug":"third","status":"ok"}`)
	send(`{"check_in_id":"04","monitor_slug":"third","status":"in_progress"` + config + `}`)
	o.wantRun(t, "third", "reporting 04 10")

	found, _, err := o.store.Uptime.ListCheckIns(t.Context(), o.setup.ProjectID, sett.Page{Size: 1})
	if err != nil {
		t.Fatal(err)
	}
	events, _, err := o.store.Uptime.ListCheckInEvents(t.Context(), o.setup.ProjectID, found[0].ID, sett.Page{Size: 10})
	if err != nil || len(events) != 3 {
		t.Fatal(events, err)
	}
	if p := events[2].Payload; p.Environment != "staging" || p.Release != "shop@1.2.3" || p.Status != "success" {
		t.Errorf("the first run is kept as %+v", p)
	}
}

// What is not stored of reports about jobs is counted, once.
func TestDroppedSentryCheckIns(t *testing.T) {
	t.Parallel()
	o := setup(t, accounts.Limits{})
	send := func(checkIn string, status int) {
		t.Helper()
		if w := o.sendSentry(t, "/envelope/", checkInEnvelope(checkIn)+"\n{\"type\":\"event\"}\n"+oneEvent, nil); w.Code != status {
			t.Errorf("%.100s: %d %s", checkIn, w.Code, w.Body)
		}
	}
	o.wantDiscards(t)
	send(`{"monitor_slug":"unknown","status":"in_progress"}`, 200)
	o.wantDiscards(t, "server monitor no_check_in 1")
	send(`{"monitor_slug":"unknown","status":"ok"}`, 200)
	o.wantDiscards(t) // not before it is certain that no start follows
	o.push(time.Minute)
	send(`{"monitor_slug":"other","status":"ok"}`, 200)
	o.wantDiscards(t, "server monitor no_check_in 1")
	send(`{"monitor_slug":"other","status":"in_progress","monitor_config":{"schedule":{"type":"interval","value":1,"unit":"day"}}}`, 200)
	o.push(time.Minute)
	send(`{"monitor_slug":"last","status":"ok"}`, 200)
	o.wantDiscards(t) // the end of other was stored
	send(`{"monitor_slug":"large","status":"ok","contexts":"`+strings.Repeat("x", 100<<10)+`"}`, 413)
	o.wantDiscards(t, "server monitor too_large 1")
	o.wantStored(t, 1) // the event beside each of them
}

// A project may have as many check-ins by its clients as by any other way, and those that it has go on.
func TestMostCheckInsOfSentryClients(t *testing.T) {
	t.Parallel()
	o := setup(t, accounts.Limits{})
	var list []checks.CheckInChange
	for i := range faults.MostCheckIns - 1 {
		list = append(list, checks.CheckInChange{Slug: sett.Some(fmt.Sprint("job-", i)), ReportPeriod: sett.Some[checks.PeriodText]("1 day")})
	}
	if _, err := o.store.Uptime.SyncCheckIns(t.Context(), o.now, o.setup.ProjectID, list); err != nil {
		t.Fatal(err)
	}
	send := func(slug string, status int) {
		t.Helper()
		body := checkInEnvelope(`{"monitor_slug":"` + slug + `","status":"ok","monitor_config":{"schedule":{"type":"interval","value":1,"unit":"day"}}}`)
		if w := o.sendSentry(t, "/envelope/", body, nil); w.Code != status {
			t.Errorf("%s: %d %s, want %d", slug, w.Code, w.Body, status)
		}
	}
	send("one-more", 200)
	o.wantDiscards(t)
	send("too-many", 409)
	send("too-many", 409)
	o.wantDiscards(t, "server monitor full 2")
	send("one-more", 200)
	send("job-7", 200)
	o.wantDiscards(t)
}

func TestPlainSentryCheckIns(t *testing.T) {
	t.Parallel()
	o := setup(t, accounts.Limits{})
	const config = `"monitor_config":{"schedule":{"type":"crontab","value":"0 * * * *"},"max_runtime":5}`
	for _, c := range []struct {
		method, path, body string
		status             int
		run                string
	}{
		{"GET", "/job/KEY/?status=in_progress", "", 404, "none"},
		{"POST", "/job/KEY/", `{"status":"in_progress","check_in_id":"a",` + config + `}`, 202, "pending a 5"},
		{"GET", "/job/KEY?status=ok&check_in_id=a&environment=staging&duration=1.5", "", 202, "reporting"},
		{"POST", "/job/KEY/?status=in_progress&check_in_id=b", "", 202, "reporting b 5"},
		{"POST", "/job/?sentry_key=KEY", `{"status":"error","check_in_id":"b"}`, 202, "failing"},
		{"GET", "/job/KEY/", "", 422, "failing"},
		{"GET", "/job/KEY/?status=fine", "", 422, "failing"},
		{"POST", "/job/KEY/", `{"status":`, 400, "failing"},
		{"POST", "/job/KEY/?status=ok", "[]", 202, "reporting"},
		{"POST", "/job/KEY/?status=ok", `{"a":"` + strings.Repeat("x", 100<<10) + `"}`, 413, "reporting"},
		{"GET", "/job/wrong/?status=ok", "", 403, "reporting"},
		{"GET", "/job/?status=ok", "", 403, "reporting"},
		{"GET", "/%3F/KEY/?status=ok", "", 422, "reporting"},
	} {
		w := o.ask(t, c.method, c.path, c.body)
		if w.Code != c.status || w.Header().Get("Access-Control-Allow-Origin") != "*" {
			t.Errorf("%s %s: %d %s %v, want %d", c.method, c.path, w.Code, w.Body, w.Header(), c.status)
		}
		o.wantRun(t, "job", c.run)
	}
	found, _, err := o.store.Uptime.ListCheckIns(t.Context(), o.setup.ProjectID, sett.Page{Size: 10})
	if err != nil || len(found) != 1 {
		t.Fatal(found, err)
	}
	events, _, err := o.store.Uptime.ListCheckInEvents(t.Context(), o.setup.ProjectID, found[0].ID, sett.Page{Size: 10})
	if err != nil || len(events) != 4 || events[0].Kind != checks.CheckInRecovered {
		t.Fatal(events, err)
	}
	if p := events[2].Payload; p.Status != "error" {
		t.Errorf("the second run is kept as %+v", p)
	}
	if p := events[3].Payload; p.Environment != "staging" || *p.Duration != 1500 || p.Status != "success" {
		t.Errorf("the first run is kept as %+v", p)
	}
}
