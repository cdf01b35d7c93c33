package notify

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/event/payload"
	"sett/internal/notify/channel"
	"sett/internal/sett"
	"sett/internal/sett/alerts"
	"sett/internal/sett/checks"
	"sett/internal/sett/faults"
	"sett/internal/sett/triage"
)

// The message of every event is the same on each engine.
func TestMessages(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(s *scene) {
		for _, e := range events() {
			golden(s.t, string(e)+".golden.json", s.settled(s.compose(s.alert(e))))
		}
		bulk := s.alert(alerts.AlertResolved, many)
		golden(s.t, "resolved_many.golden.json", s.settled(s.compose(bulk)))
		golden(s.t, "assigned_many.golden.json", s.settled(s.compose(s.alert(alerts.AlertAssigned, many))))
		golden(s.t, "check_in_missing_cron.golden.json", s.settled(s.compose(s.alert(alerts.AlertCheckInMissing, func(a *alerts.Alert) {
			a.Facts.CheckIn.ID, a.Facts.CheckIn.Name = s.cron.ID, "Bills"
		}))))
		test := s.alert(alerts.AlertOccurred)
		test.FaultID, test.Subject, test.Facts = 0, alerts.ProjectSubject(s.project.ID), alerts.AlertFacts{Test: true}
		golden(s.t, "test.golden.json", s.settled(s.compose(test)))
	})
}

// many makes an alert one about many faults.
func many(a *alerts.Alert) {
	a.FaultID, a.Environment, a.Subject, a.Facts.FaultIDs = 0, "", alerts.ProjectSubject(a.ProjectID), []int64{1, 2, 3}
}

// The one line follows the grammar that consumers take apart (wire.md §5.3).
func TestOneLine(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	long := strings.Repeat("é", 300)
	for _, c := range []struct {
		event  alerts.AlertEvent
		change func(*alerts.Alert)
		want   string
	}{
		{alerts.AlertOccurred, nil, "[Shop/production] RuntimeError: boom <b> now"},
		{alerts.AlertResolved, nil, "[Shop/production] RuntimeError resolved by Ann O'Dell"},
		{alerts.AlertResolved, func(a *alerts.Alert) { a.Facts.Actor = nil }, "[Shop/production] RuntimeError resolved"},
		{alerts.AlertResolved, many, "[Shop] 3 errors resolved by Ann O'Dell"},
		{alerts.AlertUnresolved, nil, "[Shop/production] RuntimeError marked as unresolved by Ann O'Dell"},
		{alerts.AlertAssigned, nil, "[Shop/production] RuntimeError assigned to Bob by Ann O'Dell"},
		{alerts.AlertAssigned, func(a *alerts.Alert) { a.Facts.Assignee = nil }, "[Shop/production] RuntimeError unassigned by Ann O'Dell"},
		{alerts.AlertCommented, nil, "[Shop/production] Ann O'Dell commented on RuntimeError: Look at pay: it <raises>."},
		{
			alerts.AlertCommented, func(a *alerts.Alert) { a.Facts.Comment.Body = long },
			"[Shop/production] Ann O'Dell commented on RuntimeError: " + strings.Repeat("é", 191) + "...",
		},
		{alerts.AlertRateExceeded, nil, "[Shop/production] RuntimeError has occurred 2 time(s) in the past hour"},
		{alerts.AlertRateExceeded, func(a *alerts.Alert) { a.Facts.Rate.Rate = alerts.RateMinute }, "[Shop/production] RuntimeError has occurred 2 time(s) in the past minute"},
		{alerts.AlertRateExceeded, func(a *alerts.Alert) { a.Facts.Rate.Rate = alerts.RateDay }, "[Shop/production] RuntimeError has occurred 2 time(s) in the past day"},
		{alerts.AlertRateExceeded, func(a *alerts.Alert) { a.Facts.Rate.Rate = alerts.RateWeek }, "[Shop/production] RuntimeError has occurred 2 time(s) in the past week"},
		{alerts.AlertVolumeSpike, nil, "[Shop/production] RuntimeError happens 15.0 times as often as usual: 120 times in the last 10 minutes"},
		{alerts.AlertDown, nil, "[Shop] Front is down."},
		{alerts.AlertUp, nil, "[Shop] Front is back up after 1m 23s."},
		{alerts.AlertUp, func(a *alerts.Alert) { a.Facts.Site.DownAt = time.Time{} }, "[Shop] Front is back up."},
		{alerts.AlertSlow, nil, "[Shop] Front is slow."},
		{alerts.AlertFast, nil, "[Shop] Front is fast again after 1m 23s."},
		{alerts.AlertFast, func(a *alerts.Alert) { a.Facts.Site.Slow.SlowAt = time.Time{} }, "[Shop] Front is fast again."},
		{alerts.AlertCertWillExpire, nil, "[Shop] SSL certificate for Front will expire on 1/2/2027 11:22:41 UTC"},
		{alerts.AlertCertWillExpire, func(a *alerts.Alert) { a.Facts.Site.CertAuthority = "Deputy\n1" }, "[Shop] An authority's certificate for Front will expire on 1/2/2027 11:22:41 UTC"},
		{alerts.AlertCheckInMissing, nil, "[Shop] MISSING: Backup hasn't checked in for 2 minutes"},
		{
			alerts.AlertCheckInMissing, func(a *alerts.Alert) { a.Facts.CheckIn.ReportedAt = time.Time{} },
			"[Shop] MISSING: Backup hasn't checked in for 1 minute",
		},
		{alerts.AlertCheckInReporting, nil, "[Shop] REPORTING: Backup is reporting again"},
		{alerts.AlertAlarm, nil, "[Shop] ALERT: Payments is in alert status"},
		{alerts.AlertAlarmOK, nil, "[Shop] OK: Payments is no longer in alert status"},
		{alerts.AlertCheckInFailed, nil, "[Shop] FAILED: Backup reported a failure"},
		{alerts.AlertFlooded, func(a *alerts.Alert) {
			a.Facts.Held = &alerts.HeldFacts{Count: 6, Limit: 1, Minutes: 10, Down: []string{"Front", "Shop"}, Well: []string{"Blog"}, DownCount: 3, WellCount: 1, Listed: 5}
		}, "[Shop] 3 more down, missing or failing: Front, Shop, and 1 more; 1 up or reporting again: Blog; and 1 more in the last 10 minutes"},
		{alerts.AlertDeployed, nil, "[Shop/production] josh deployed Shop to production"},
		{alerts.AlertDeployed, func(a *alerts.Alert) { a.Environment = "" }, "[Shop] josh deployed Shop"},
		{alerts.AlertFlooded, nil, "[Shop] and 42 more in the last 10 minutes"},
		{alerts.AlertFlooded, func(a *alerts.Alert) { a.Facts.Held.Quiet = true }, "[Shop] and 42 more in the quiet hours"},
		{alerts.AlertIssueCreate, nil, "[Shop/production] Issue requested for RuntimeError: boom <b> now"},
	} {
		a := s.alert(c.event)
		if c.change != nil {
			c.change(&a)
		}
		m := s.compose(a)
		if m.Text != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.event, m.Text, c.want)
		}
		var body struct{ Message string }
		if err := json.Unmarshal(m.Body, &body); err != nil || body.Message != m.Text {
			t.Errorf("%s: %v, the payload says %q", c.event, err, body.Message)
		}
		if n := len([]rune(m.Text)); c.event == alerts.AlertCommented && n > 250 {
			t.Errorf("%s: %d characters", c.event, n)
		}
	}
}

// A message contains the facts of its alert, even if they have changed since.
func TestFactsWin(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	ctx := t.Context()
	s.must(s.Faults.UpdateFault(ctx, s.now, ann.ID, s.project.ID, s.fault.ID, faults.FaultChange{Resolved: sett.Some(true), AssigneeID: sett.Some(ann.ID)}))
	s.must(s.Uptime.UpdateSite(ctx, s.now, s.project.ID, s.site.ID, checks.SiteChange{Name: sett.Some("Renamed")}))
	s.must(s.Uptime.UpdateCheckIn(ctx, s.now, s.project.ID, s.checkIn.ID, checks.CheckInChange{Name: sett.Some("Renamed")}))

	fault := s.payloadOf(s.alert(alerts.AlertOccurred))["fault"].(map[string]any)
	if fault["resolved"] != false || fault["notices_count"] != 7.0 || fault["last_notice_at"] != s.notice.Key.Time().Format(time.RFC3339Nano) {
		t.Errorf("occurred: %v", fault)
	}
	if got := s.payloadOf(s.alert(alerts.AlertAssigned))["fault"].(map[string]any)["assignee"]; got != bob.Email {
		t.Errorf("assigned to %v", got)
	}
	s.must(s.Faults.UpdateFault(ctx, s.now, ann.ID, s.project.ID, s.fault.ID, faults.FaultChange{Resolved: sett.Some(false)}))
	if got := s.payloadOf(s.alert(alerts.AlertResolved))["fault"].(map[string]any)["resolved"]; got != true {
		t.Errorf("resolved: %v", got)
	}
	one := s.payloadOf(s.alert(alerts.AlertResolved, func(a *alerts.Alert) { a.Facts.FaultIDs = []int64{a.FaultID} }))
	if _, many := one["fault_ids"]; many || one["fault"] == nil {
		t.Errorf("one of one: %v", one)
	}
	if got := s.payloadOf(s.alert(alerts.AlertDown))["site"].(map[string]any); got["name"] != "Front" || got["state"] != "down" {
		t.Errorf("site %v", got)
	}
	if got := s.payloadOf(s.alert(alerts.AlertCheckInMissing))["check_in"].(map[string]any); got["name"] != "Backup" || got["state"] != "missing" || got["missed_count"] != 1.0 {
		t.Errorf("check-in %v", got)
	}
	const reason = "The job started on 18 November 2026, 10:00:00 UTC and has not ended within 30 minutes."
	authority := s.compose(s.alert(alerts.AlertCertWillExpire, func(a *alerts.Alert) { a.Facts.Site.CertAuthority = "Deputy 1" }))
	if !strings.Contains(authority.Detail, "the one of its authority “Deputy 1”") || !strings.Contains(authority.Detail, "Renew") {
		t.Errorf("of an authority: %q", authority.Detail)
	}
	overran := s.compose(s.alert(alerts.AlertCheckInMissing, func(a *alerts.Alert) { a.Facts.CheckIn.DueAt, a.Facts.CheckIn.Reason = time.Time{}, reason }))
	if overran.Detail != reason || !strings.Contains(overran.Text, "MISSING: Backup hasn't checked in") {
		t.Errorf("of a run that did not end: %q, %q", overran.Text, overran.Detail)
	}
}

// payloadOf is what a webhook is sent of an alert.
func (s *scene) payloadOf(a alerts.Alert) map[string]any {
	s.t.Helper()
	var body map[string]any
	s.must(json.Unmarshal(s.compose(a).Body, &body))
	return body
}

// gone deletes all that alerts are about, or all of the project.
func (s *scene) gone(whole bool) {
	ctx, project := s.t.Context(), s.project.ID
	if whole {
		s.must(s.Store.DeleteProject(ctx, project, func() {}))
		return
	}
	s.must(errors.Join(
		s.Faults.DeleteFault(ctx, project, s.fault.ID), s.Uptime.DeleteSite(ctx, project, s.site.ID),
		s.Uptime.DeleteCheckIn(ctx, project, s.checkIn.ID), s.Faults.DeleteDeploy(ctx, project, s.deploy),
	))
}

// If the subject of an alert was deleted, its message contains what the facts say. The payload still matches the schema of its event.
func TestWhatIsGone(t *testing.T) {
	t.Parallel()
	for _, whole := range []bool{false, true} {
		s := newScene(t)
		s.gone(whole)
		name := map[bool]string{false: "Shop", true: "project 1"}[whole]
		for e, want := range map[alerts.AlertEvent]string{
			alerts.AlertOccurred:       "[" + name + "/production] Error 1",
			alerts.AlertResolved:       "[" + name + "/production] Error 1 resolved by Ann O'Dell",
			alerts.AlertDown:           "[" + name + "] Front is down.",
			alerts.AlertCheckInMissing: "[" + name + "] MISSING: Backup hasn't checked in for 2 minutes",
			alerts.AlertDeployed:       "[" + name + "/production] " + name + " was deployed to production",
		} {
			if got := s.compose(s.alert(e)).Text; got != want {
				t.Errorf("%s: got %q, want %q", e, got, want)
			}
		}
		for _, e := range events() {
			m := s.compose(s.alert(e))
			s.checkSchema(m)
			if m.Title == "" || !strings.HasPrefix(m.URL, "https://sett.example.org/projects/1") {
				t.Errorf("%s: %+v", e, m)
			}
		}
	}
}

// An alert without facts still has a message.
func TestAlertsWithoutFacts(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	for _, e := range events() {
		m := s.compose(s.alert(e, func(a *alerts.Alert) { a.Facts, a.FaultID = alerts.AlertFacts{}, 0 }))
		s.checkSchema(m)
		if !strings.HasPrefix(m.Text, "[Shop") || m.Title == "" {
			t.Errorf("%s: %+v", e, m)
		}
	}
}

// A test message has no real subject. Its text, its detail and its payload say that it is a test.
func TestTestsSayThatTheyAre(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	for _, e := range append(alerts.AlertEvents(), alerts.AlertFlooded) {
		m := s.compose(alerts.Alert{ID: 9, ProjectID: s.project.ID, Event: e, Subject: alerts.ProjectSubject(s.project.ID), At: s.now, Facts: alerts.AlertFacts{Test: true}})
		s.checkSchema(m)
		var body struct {
			Test    bool
			Project struct{ Name string }
		}
		s.must(json.Unmarshal(m.Body, &body))
		if !body.Test || body.Project.Name != "Shop" || !strings.HasPrefix(m.Text, "[Shop") || !strings.HasSuffix(m.Text, " (test)") ||
			!strings.HasPrefix(m.Detail, "This is a test") || m.URL != "https://sett.example.org/projects/1" || !m.At.Equal(s.now) {
			t.Errorf("%s: %+v", e, m)
		}
	}
}

func TestMoods(t *testing.T) {
	t.Parallel()
	got := map[channel.Mood]string{}
	for _, e := range events() {
		got[moodOf(e)] += string(e) + " "
	}
	want := map[channel.Mood]string{
		channel.Trouble:  "occurred rate_exceeded volume_spike down slow cert_will_expire check_in_missing check_in_failed alarm_alert ",
		channel.Recovery: "resolved up fast check_in_reporting alarm_ok ",
		channel.News:     "unresolved assigned commented deployed flooded issue_create issue_close issue_reopen ",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A message that was stored is sent byte by byte as it would have been at once: it may be signed.
func TestStoredMessagesStayTheSame(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	for _, e := range events() {
		m := s.compose(s.alert(e))
		stored, err := json.Marshal(m)
		s.must(err)
		var again channel.Message
		s.must(json.Unmarshal(stored, &again))
		if diff := cmp.Diff(m, again); diff != "" {
			t.Errorf("%s (-new +stored):\n%s", e, diff)
		}
	}
}

func TestLinkedIssue(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	m, err := s.Compose(t.Context(), s.alert(alerts.AlertIssueClose), triage.LinkData{"number": json.RawMessage("12")})
	if err != nil || m.Issue == nil || string(m.Issue.Link["number"]) != "12" {
		t.Errorf("%v, %+v", err, m.Issue)
	}
}

// Application frames come first, however deep they are.
func TestTrace(t *testing.T) {
	t.Parallel()
	frames := []payload.Frame{}
	for range 20 {
		frames = append(frames, payload.Frame{File: "/gems/x.rb", Method: "run", Context: "all"})
	}
	frames = append(frames, payload.Frame{File: "[PROJECT_ROOT]/a.rb", Number: new(3), Method: "own\nline", Context: "app"}, payload.Frame{Method: "bare", Context: "app"})
	s := alertContext{notice: &faults.Notice{Payload: payload.Payload{Backtrace: frames}}}
	got := s.trace()
	if len(got) != 10 || got[0] != "a.rb:3 in own line" || got[1] != "bare" || got[2] != "/gems/x.rb in run" {
		t.Errorf("%q", got)
	}
}

// What strangers wrote stays in its line, in its order and within bounds.
func TestHostileTexts(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	evil := "a\r\nBcc: x\u202eevil\x00\u0085" + strings.Repeat("w", 70_000)
	m := s.compose(s.alert(alerts.AlertAssigned, func(a *alerts.Alert) {
		a.Facts.Actor = &sett.Person{Name: evil}
		a.Environment = "prod\nuction"
	}))
	if strings.ContainsAny(m.Text+m.Title, "\r\n\x00\u202e\u0085") || !strings.HasPrefix(m.Text, "[Shop/prod uction] RuntimeError assigned to Bob by a Bcc: x evil w") {
		t.Errorf("%q", m.Text[:80])
	}
	if n := len([]rune(m.Text)); n != mostText || !strings.HasSuffix(m.Text, "...") {
		t.Errorf("%d characters", n)
	}
	if n := len([]rune(m.Title)); n != mostTitle {
		t.Errorf("%d characters of title", n)
	}
}
