package ingest

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/ingest/sentry"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/sett/release"
	"sett/internal/setttest/recording"
	"sett/internal/store/releasedb"
)

var errFull = errors.New("the disk is full")

// saved returns the sums by release and environment.
func (s *Sessions) saved(t *testing.T) map[string]release.SessionSums {
	t.Helper()
	all := map[string]release.SessionSums{}
	err := s.Save(func(hours []releasedb.Hour) error {
		for _, h := range hours {
			k := h.Version + " " + h.Environment
			all[k] = all[k].Plus(h.SessionSums)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestASessionCountsOnce(t *testing.T) {
	t.Parallel()
	o := setup(t, accounts.Limits{})
	started := o.now.Add(-time.Minute).UTC().Format(time.RFC3339)
	send := func(items ...string) {
		t.Helper()
		body := "{}\n"
		for _, item := range items {
			kind := "session"
			if strings.Contains(item, "aggregates") {
				kind = "sessions"
			}
			body += fmt.Sprintf("{\"type\":%q}\n%s\n", kind, strings.ReplaceAll(item, "$", `"started":"`+started+`","attrs":{"release":"shop@1","environment":"eu"}`))
		}
		if w := o.sendSentry(t, "/envelope/", body, nil); w.Code != http.StatusOK {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
	}
	for _, c := range []struct {
		name  string
		items []string
		want  release.SessionSums
	}{
		{"from start to end", []string{`{"sid":"a","init":true,"status":"ok",$}`, `{"sid":"a","status":"exited",$}`}, release.SessionSums{Total: 1}},
		{"sent twice", []string{`{"sid":"b","init":true,"status":"ok",$}`, `{"sid":"b","init":true,"status":"ok",$}`}, release.SessionSums{Total: 1}},
		{"errors", []string{`{"sid":"c","init":true,"errors":1,"status":"ok",$}`, `{"sid":"c","errors":2,"status":"exited",$}`}, release.SessionSums{Total: 1, Errored: 1}},
		{"a crash after an error", []string{`{"sid":"d","init":true,"errors":1,"status":"ok",$}`, `{"sid":"d","errors":2,"status":"crashed",$}`, `{"sid":"d","errors":2,"status":"crashed",$}`}, release.SessionSums{Total: 1, Crashed: 1}},
		{"one item", []string{`{"sid":"e","init":true,"errors":1,"status":"crashed",$}`, `{"sid":"f","init":true,"status":"abnormal",$}`, `{"sid":"g","init":true,"status":"unhandled",$}`}, release.SessionSums{Total: 3, Crashed: 1, Abnormal: 1, Errored: 1}},
		{"sums", []string{`{$,"aggregates":[{"started":"` + started + `","exited":7,"errored":2,"crashed":1},{"exited":1,"abnormal":1,"crashed":-5}]}`}, release.SessionSums{Total: 12, Errored: 2, Crashed: 1, Abnormal: 1}},
		{"nonsense", []string{`{"sid":{},"init":1,"errors":"x","status":[],"attrs":7}`, `{$,"aggregates":{"exited":3}}`, `[`, `{$,"aggregates":[{"exited":"many"}]}`, `{"sid":"h","init":true,"status":"ok"}`}, release.SessionSums{}},
	} {
		send(c.items...)
		want := map[string]release.SessionSums{"shop@1 eu": c.want}
		if c.want == (release.SessionSums{}) {
			want = map[string]release.SessionSums{}
		}
		if diff := cmp.Diff(want, o.sessions.saved(t)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestSessionsOfRecordedClients(t *testing.T) {
	t.Parallel()
	for client, want := range map[string]string{
		"sentry-browser": "map[shop-web@1.2.3 production:{3 3 0 0} shop@1.2.3 production:{1 1 0 0}]",
		"sentry-node":    "map[shop@1.2.3 production:{10 7 3 0}]", "sentry-python": "map[shop@1.2.3 production:{1 0 1 0}]",
		"sentry-java": "map[shop@1.2.3 production:{2 2 0 0}]", "sentry-rust": "map[shop@1.2.3 production:{3 1 1 0}]",
	} {
		o := setup(t, accounts.Limits{})
		for _, c := range recording.Captures(t, client) {
			o.replay(t, c)
		}
		if got := fmt.Sprint(o.sessions.saved(t)); got != want {
			t.Errorf("%s: %s", client, got)
		}
	}
}

func TestSessionsAreBounded(t *testing.T) {
	t.Parallel()
	var s Sessions
	now := time.Date(2026, 11, 18, 10, 30, 0, 0, time.UTC)
	for i := range 2 * mostSessionRows {
		s.add(1, now, sentry.Session{Version: fmt.Sprint(i), SessionSums: release.SessionSums{Total: 1}})
	}
	s.add(2, now, sentry.Session{Version: "1", Started: now.Add(-90 * 24 * time.Hour), SessionSums: release.SessionSums{Total: 1}})
	if err := s.Save(func([]releasedb.Hour) error { return errFull }); !errors.Is(err, errFull) {
		t.Error(err)
	}
	s.add(2, now, sentry.Session{Version: "1", Started: now.Add(time.Hour), SessionSums: release.SessionSums{Total: 1}})
	var rows, others, second int64
	err := s.Save(func(hours []releasedb.Hour) error {
		for _, h := range hours {
			switch {
			case !h.At.Equal(now.Truncate(time.Hour)):
				t.Errorf("sessions count at %s", h.At)
			case h.ProjectID == 2:
				second += h.Total
			case h.Version == release.Other && h.Environment == faults.OtherEnvironment:
				others += h.Total
			default:
				rows++
			}
		}
		return nil
	})
	if err != nil || rows != mostSessionRows || others != mostSessionRows || second != 2 {
		t.Errorf("%v: %d rows, %d others, %d of the second project", err, rows, others, second)
	}
}
