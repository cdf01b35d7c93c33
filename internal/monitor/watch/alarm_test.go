package watch

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/alarm"
	"sett/internal/sett/alerts"
	"sett/internal/sett/checks"
	"sett/internal/sett/insight"
	"sett/internal/store"
	"sett/internal/store/insightdb"
	"sett/internal/store/storetest"
)

// bell is a project with alarms, and the clock that evaluates them.
type bell struct {
	*storetest.Desk
	t   *testing.T
	s   *store.Store
	now time.Time
	a   *Alarms
}

func newBell(t *testing.T, s *store.Store) *bell {
	b := &bell{storetest.NewDesk(t, s), t, s, storetest.Clock(0), nil}
	b.a = b.node()
	return b
}

// node is another process that evaluates the same alarms.
func (b *bell) node() *Alarms {
	return NewAlarms(AlarmOptions{
		Alarms: b.s.Alarms, Insights: b.s.Insights, Sees: func(time.Time) bool { return true }, Now: func() time.Time { return b.now }, Log: slog.New(slog.DiscardHandler),
	})
}

func (b *bell) must(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

// alarm makes an alarm whose condition is like "gt 2".
func (b *bell) alarm(query, condition string) string {
	b.t.Helper()
	operator, value := "", int64(0)
	if _, err := fmt.Sscan(condition, &operator, &value); err != nil {
		b.t.Fatal(err)
	}
	made, err := b.s.Alarms.Create(b.t.Context(), b.now, b.ProjectID, alarm.AlarmChange{
		Name: sett.Some("Payments"), Query: sett.Some(query), Period: sett.Some[alarm.Span]("1m"),
		Trigger: sett.Some(alarm.Trigger{Type: "alert_result_count", Config: alarm.TriggerConfig{Operator: alarm.Operator(operator), Value: value}}),
	})
	b.must(err)
	return made.ID
}

// send sends events that happen now.
func (b *bell) send(n int) {
	b.t.Helper()
	event := insight.Event{At: b.now.UnixMicro(), Fields: []insight.Field{{Key: "status", Value: "500"}}}
	b.Send(b.now, b.ProjectID, slices.Repeat([]insight.Event{event}, n)...)
}

func (b *bell) pass(d time.Duration) {
	b.t.Helper()
	b.now = b.now.Add(d)
	_, err := b.a.Evaluate(b.t.Context())
	b.must(err)
}

// want compares the history of an alarm, the oldest first, and the number of alerts about it.
func (b *bell) want(what, id string, alertsRaised int, states ...string) {
	b.t.Helper()
	history, _, err := b.s.Alarms.History(b.t.Context(), b.ProjectID, id, sett.Page{Size: 100})
	b.must(err)
	var got []string
	for _, c := range history {
		says := fmt.Sprint(c.Count)
		if c.Error != "" {
			says = c.Error
		}
		got = append([]string{string(c.State) + " " + says}, got...)
	}
	if diff := cmp.Diff(states, got); diff != "" {
		b.t.Errorf("%s (-want +got):\n%s", what, diff)
	}
	var n int
	b.must(b.s.Read.QueryRowContext(b.t.Context(), b.s.Text("SELECT count(*) FROM alerts WHERE subject = $1"), "alarm "+id).Scan(&n))
	if n != alertsRaised {
		b.t.Errorf("%s: %d alerts, want %d", what, n, alertsRaised)
	}
}

func TestAlarmsAreRaised(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		b := newBell(t, s)
		many, none := b.alarm("filter status::int >= 500 | limit 1", "gt 2"), b.alarm("filter status::int >= 500", "eq 0")
		groups := b.alarm("stats count() by status::int", "gt 0")
		b.pass(time.Minute)
		b.want("no event, many", many, 0, "ok 0")
		b.want("no event, none", none, 1, "alarm 0")
		b.send(3)
		b.pass(59 * time.Second)
		b.want("not due", many, 0, "ok 0")
		b.pass(time.Second)
		b.want("three events, many", many, 1, "ok 0", "alarm 3")
		b.want("three events, none", none, 2, "alarm 0", "ok 3")
		b.want("groups", groups, 1, "ok 0", "alarm 1")
		b.pass(time.Minute)
		b.want("over, many", many, 2, "ok 0", "alarm 3", "ok 0")
		for _, raised := range b.Raised() {
			if raised.Subject != alerts.AlarmSubject(many) || raised.Event != alerts.AlertAlarm {
				continue
			}
			if f := raised.Facts.Alarm; f == nil || f.Count != 3 || len(f.Rows) != 1 || !strings.Contains(f.Rows[0], `500`) || f.To.Sub(f.From) != time.Minute {
				t.Errorf("facts %+v", f)
			}
		}
		results, err := s.Alarms.Results(t.Context(), b.ProjectID, many, b.now.Add(-24*time.Hour))
		b.must(err)
		if len(results) != 3 || results[1].Count != 3 {
			t.Errorf("results %v", results)
		}
	})
}

// What sett records counts too, unless the alarm reads other streams.
func TestAlarmsOfErrors(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		b := newBell(t, s)
		id := b.alarm(`filter event_type::str == "notice"`, "gt 1")
		other := b.alarm(`filter event_type::str == "notice"`, "gt 1")
		sent := alarm.AlarmChange{StreamIDs: sett.Some([]string{insight.Sent.ID(b.ProjectID)})}
		b.must(s.Alarms.Update(t.Context(), b.now, b.ProjectID, other, sent))
		b.Record(b.now, accounts.Limits{}, b.Report("A"), b.Report("B"))
		b.pass(time.Minute)
		b.want("all streams", id, 1, "alarm 2")
		b.want("of clients", other, 0, "ok 0")
	})
}

// After hours in which no server ran, only the newest time is evaluated, and not before all of it was seen.
func TestAlarmsDoNotLieAboutDowntime(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		b := newBell(t, s)
		id := b.alarm("filter status::int >= 500", "eq 0")
		beat := func(begins bool) {
			t.Helper()
			_, err := s.Uptime.Beat(t.Context(), b.now, checks.Beginning{Begins: begins})
			b.must(err)
		}
		beat(true)
		b.send(1)
		b.pass(time.Minute)
		b.want("before", id, 0, "ok 1")
		b.now = b.now.Add(3*time.Hour + 20*time.Second)
		beat(true)
		b.pass(0)
		b.want("after the start", id, 0, "ok 1")
		b.pass(40 * time.Second) // the minute in which the server started
		b.want("a minute that was seen in part", id, 0, "ok 1")
		b.pass(time.Minute)
		b.want("a minute that was seen", id, 1, "ok 1", "alarm 0")
	})
}

// Events that were refused are not missing.
func TestAlarmsDoNotLieAboutRefusals(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		b := newBell(t, s)
		id := b.alarm("filter status::int >= 500", "eq 0")
		b.now = b.now.Add(10 * time.Second)
		b.must(s.Insights.NoteRefusals(t.Context(), []insightdb.Refusal{{ProjectID: b.ProjectID, From: b.now, To: b.now.Add(5 * time.Second)}}))
		b.pass(50 * time.Second)
		b.want("refused", id, 0)
		b.pass(time.Minute)
		b.want("not refused", id, 1, "alarm 0")
	})
}

// A process that dies between claim and record loses nothing, and what it does later has no effect.
func TestAlarmsAreEvaluatedOnce(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		b := newBell(t, s)
		id := b.alarm("filter status::int >= 500", "eq 0")
		b.now = b.now.Add(time.Minute)
		dead, err := s.Alarms.Claim(t.Context(), b.now, b.now.Add(alarmLease), 10, 10)
		b.must(err)
		if len(dead) != 1 {
			t.Fatalf("%d alarms are due, want 1", len(dead))
		}
		b.pass(time.Second)
		b.want("claimed", id, 0)
		b.now = b.now.Add(alarmLease)
		var nodes sync.WaitGroup
		for range 4 {
			nodes.Go(func() {
				if _, err := b.node().Evaluate(context.Background()); err != nil {
					t.Error(err)
				}
			})
		}
		nodes.Wait()
		b.want("after the claim", id, 1, "alarm 0")
		found, left := b.a.evaluateProject(t.Context(), b.now, time.Now().Add(time.Minute), dead)
		if len(found) != 1 || len(left) != 0 {
			t.Fatal(found, left)
		}
		b.must(s.Alarms.Record(t.Context(), b.now, found))
		b.want("the dead record it after all", id, 1, "alarm 0")
	})
}

// A query that takes too long is an error of its alarm, keeps its state, and does not hold up others.
func TestAlarmsThatTakeTooLong(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		b := newBell(t, s)
		id := b.alarm("filter status::int >= 500", "gt 0")
		b.send(1)
		b.pass(time.Minute)
		b.want("in time", id, 1, "alarm 1")
		b.send(1)
		b.a.QueryTime = time.Nanosecond
		b.pass(time.Minute)
		const says = "The query takes too long: it may read events for 1ns. Filter more, or choose a shorter evaluation period."
		b.want("too long", id, 1, "alarm 1", "error "+says)
		if found, err := s.Alarms.ByID(t.Context(), b.ProjectID, id); err != nil || found.State != alarm.Raised || found.Error != says {
			t.Error(found.State, found.Error, err)
		}
		b.a.QueryTime = alarmTime
		b.pass(time.Minute)
		b.want("in time again", id, 2, "alarm 1", "error "+says, "ok 0")
	})
}
