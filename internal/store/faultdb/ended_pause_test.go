package faultdb_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/sett/triage"
	"sett/internal/store"
	"sett/internal/store/searchdb"
	"sett/internal/store/storetest"
)

// ofUser makes a report one of an affected user.
func ofUser(user string) func(*faults.Report) { return func(r *faults.Report) { r.User = user } }

// ends looks for the ends of pauses at a time, and returns the alerts that this raised: the event, the time and the number of events.
func (d *desk) ends(now time.Time) (alerts []string) {
	d.T.Helper()
	if err := d.Faults.EndPauses(d.T.Context(), now, time.Time{}); err != nil {
		d.T.Fatal(err)
	}
	for _, a := range d.Raised() {
		alerts = append(alerts, fmt.Sprintf("%s %s %d", a.Event, a.At.Format("15:04"), a.Facts.NoticesCount))
	}
	return alerts
}

func (d *desk) wantEnds(when string, now time.Time, want ...string) {
	d.T.Helper()
	if diff := cmp.Diff(want, d.ends(now)); diff != "" {
		d.T.Errorf("%s (-want +got):\n%s", when, diff)
	}
}

func TestPauseUntilMoreUsers(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("A", ofUser("u0")), d.Report("A", ofUser("u1")), d.Report("B"))
		d.Pause("A", faults.Pause{Users: sett.Some(int64(2))})
		d.Raised()
		minute := func(n int) time.Time { return storetest.Noon.Add(time.Duration(n) * time.Minute) }
		d.Record(minute(1), accounts.Limits{}, d.Report("A", ofUser("u1")), d.Report("A", ofUser("u2")), d.Report("B", ofUser("u3")), d.Report("B", ofUser("u4")))
		d.wantEnds("one more user, and others of another fault", minute(2))
		until, progress, err := s.Faults.PauseOf(t.Context(), minute(2), d.ProjectID, d.FaultID("A"))
		if err != nil || until != (triage.PauseUntil{Users: 2}) || progress.Users != 1 || !progress.Since.Equal(storetest.Noon) || progress.By == nil || progress.By.ID != d.UserID {
			t.Errorf("it waits for %+v, is at %+v, error %v", until, progress, err)
		}
		if until, _, err := s.Faults.PauseOf(t.Context(), minute(2), d.ProjectID+1, d.FaultID("A")); err != nil || until != (triage.PauseUntil{}) {
			t.Errorf("of another project it is %+v, %v", until, err)
		}
		d.Record(minute(3), accounts.Limits{}, d.Report("A", ofUser("u3")))
		d.wantEnds("two more users", minute(4), "occurred 12:03 5")
		d.wantEnds("it has ended", minute(5))
		d.Record(minute(6), accounts.Limits{}, d.Report("A", ofUser("u4")))
		d.wantEnds("it stays ended", minute(7))
		if f := d.Fault("A"); f.Paused(minute(4), f.NoticesCount) {
			t.Errorf("it is still paused: %+v", f.FaultState)
		}
		history, _, err := s.Faults.ListComments(t.Context(), d.ProjectID, d.FaultID("A"), sett.Page{Size: 10})
		if err != nil || len(history) != 2 || history[1].Body != "No longer paused: 2 more users are affected." || history[1].Author != "" {
			t.Errorf("the history is %+v, error %v", history, err)
		}
	})
}

func TestPauseUntilManyNotices(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		at := func(d time.Duration) time.Time { return storetest.Noon.Add(d) }
		d.Record(at(-time.Minute), accounts.Limits{}, d.Times(5, "A")...)
		three := faults.Pause{Notices: sett.Some(int64(3)), Per: sett.Some("hour")}
		d.Pause("A", three)
		d.Raised()
		d.wantEnds("events before the pause", at(time.Minute))
		d.Record(at(2*time.Minute), accounts.Limits{}, d.Times(2, "A")...)
		d.Record(at(70*time.Minute), accounts.Limits{}, d.Report("A"))
		d.wantEnds("three events, but not in an hour", at(71*time.Minute))
		d.Update("A", faults.FaultChange{Resolved: sett.Some(true)})
		d.Record(at(75*time.Minute), accounts.Limits{}, d.Report("Other"))
		d.Raised()
		d.wantEnds("a resolved fault", at(76*time.Minute))
		d.Update("A", faults.FaultChange{Resolved: sett.Some(false)})
		d.Raised()
		d.Record(at(80*time.Minute), accounts.Limits{}, d.Times(2, "A")...)
		d.Raised()
		d.wantEnds("three in an hour", at(81*time.Minute), "occurred 13:20 10")
		d.wantEnds("it has ended", at(82*time.Minute))
	})
}

// A condition goes with its pause, however that ends, and a new pause replaces it.
func TestConditionsGoWithTheirPause(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("A"), d.Report("B"))
		one := faults.Pause{Users: sett.Some(int64(1))}
		left := func() int64 { return d.Numbers(`SELECT count(*) FROM pause_conditions`, 1)[0] }
		end := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		later := storetest.Noon.Add(time.Minute)
		for name, ends := range map[string]func(){
			"unpaused":     func() { end(s.Faults.UnpauseFault(t.Context(), later, d.UserID, d.ProjectID, d.FaultID("A"))) },
			"all unpaused": func() { end(s.Faults.UnpauseFaults(t.Context(), later, d.UserID, d.ProjectID)) },
			"paused by time": func() {
				end(s.Faults.PauseFault(t.Context(), later, d.UserID, d.ProjectID, d.FaultID("A"), faults.Pause{Time: sett.Some("day")}))
			},
			"paused with others": func() {
				change := triage.BulkChange{Action: sett.Some("pause"), Pause: sett.Some(faults.Pause{Count: sett.Some(int64(10))})}
				_, err := s.Search.ChangeFaults(t.Context(), later, d.UserID, d.ProjectID, searchdb.Choice{IDs: []int64{d.FaultID("A")}}, change)
				end(err)
			},
			"over": func() { d.ends(storetest.Noon.Add(faults.LongestPause)) },
		} {
			d.Pause("A", one)
			if left() != 1 {
				t.Errorf("%s: there are %d conditions", name, left())
			}
			ends()
			if left() != 0 {
				t.Errorf("%s: the condition stays", name)
			}
		}
		d.Pause("A", one)
		end(s.Faults.MergeFault(t.Context(), later, d.UserID, d.ProjectID, d.FaultID("A"), triage.FaultMerge{IntoID: sett.Some(d.FaultID("B"))}))
		if left() != 0 {
			t.Error("the condition of a merged fault stays")
		}
		d.Run(`INSERT INTO fault_users (fault_id, name, count) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i <= 10000) SELECT $1, 'user ' || i, 1 FROM n`, d.FaultID("B"))
		if err := s.Faults.PauseFault(t.Context(), later, d.UserID, d.ProjectID, d.FaultID("B"), one); sett.CodeOf(err) != sett.Invalid {
			t.Errorf("with more users than are counted: %v", err)
		}
	})
}

func minuteOf(n int) time.Time { return storetest.Noon.Add(time.Duration(n) * time.Minute) }

// What the pause of a fault waits for is neither nearer nor farther after others were merged into it or split off.
func TestPausesWaitForAsMuchAfterMerges(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		pause faults.Pause
		last  func(*faults.Report) // of the notices that end it
	}{
		"users":   {faults.Pause{Users: sett.Some(int64(2))}, ofUser("u5")},
		"notices": {faults.Pause{Notices: sett.Some(int64(3)), Per: sett.Some("hour")}, ofUser("u3")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storetest.Engines(t, func(t *testing.T, s *store.Store) {
				d := merges{newDesk(t, s)}
				d.Record(minuteOf(-1), accounts.Limits{}, d.Report("A", ofUser("u0")))
				d.Pause("A", c.pause)
				d.Record(minuteOf(-1), accounts.Limits{}, d.Report("A", ofUser("u1")), d.Report("B", ofUser("u2")), d.Report("B", ofUser("u3")), d.Report("B", ofUser("u4")), d.Report("B", ofUser("u4")))
				a, b := d.FaultID("A"), d.FaultID("B")
				d.Raised()
				d.merge(b, a)
				d.wantEnds("merged", minuteOf(1))
				d.Record(minuteOf(2), accounts.Limits{}, d.Report("B", ofUser("u2")), d.Report("B", ofUser("u3")))
				d.wantEnds("again by the same users, and two events", minuteOf(3))
				d.split(b)
				d.merge(b, a)
				d.wantEnds("split off and merged again", minuteOf(3))
				d.Record(minuteOf(4), accounts.Limits{}, d.Report("A", c.last), d.Report("B", c.last), d.Report("B", c.last))
				if name == "notices" {
					d.Record(minuteOf(4), accounts.Limits{}, d.Report("A"))
				}
				d.wantEnds("reached", minuteOf(5), fmt.Sprintf("occurred 12:04 %d", d.Fault("A").NoticesCount))
			})
		})
	}
}

// The pause of a merged fault waits for it, with its condition, and the fault that stays is not silent for it. It then waits for as much as before,
// of the fault's own.
func TestConditionsOfMergedFaultsWait(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		pause faults.Pause
		until triage.PauseUntil
	}{
		"users":   {faults.Pause{Users: sett.Some(int64(2))}, triage.PauseUntil{Users: 2}},
		"notices": {faults.Pause{Notices: sett.Some(int64(4)), Per: sett.Some("day")}, triage.PauseUntil{Notices: 4, Per: 24 * time.Hour}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storetest.Engines(t, func(t *testing.T, s *store.Store) {
				d := merges{newDesk(t, s)}
				d.Record(minuteOf(-1), accounts.Limits{}, d.Report("A", ofUser("u0")), d.Report("B", ofUser("u1")), d.Report("Part", ofUser("u2")))
				a, b, part := d.FaultID("A"), d.FaultID("B"), d.FaultID("Part")
				d.merge(part, a)
				d.Pause("A", c.pause)
				d.Record(minuteOf(1), accounts.Limits{}, d.Report("A", ofUser("u3")))
				d.Raised()
				waits := func(when string, fault int64, until triage.PauseUntil) {
					t.Helper()
					got, progress, err := s.Faults.PauseOf(t.Context(), minuteOf(2), d.ProjectID, fault)
					if err != nil || got != until || until != (triage.PauseUntil{}) && (progress.Users != min(until.Users, 1) || progress.Notices != 1 || progress.By == nil) {
						t.Errorf("%s: fault %d waits for %+v, is at %+v, %v", when, fault, got, progress, err)
					}
				}
				for _, back := range []func(){
					func() { d.split(a) },
					func() {
						if _, err := s.Faults.UndoFaults(t.Context(), minuteOf(2), d.UserID, d.ProjectID, faults.MergedEvent, storetest.Noon); err != nil {
							t.Fatal(err)
						}
					},
				} {
					d.merge(a, b)
					waits("merged", b, triage.PauseUntil{})
					if f := d.Fault("B"); f.Paused(minuteOf(2), f.NoticesCount) {
						t.Errorf("the fault that stays is paused: %+v", f.FaultState)
					}
					back()
					waits("split off", a, c.until)
					waits("split off", b, triage.PauseUntil{})
				}
				d.Record(minuteOf(3), accounts.Limits{}, d.Report("A", ofUser("u4")), d.Report("A"), d.Report("A"))
				d.wantEnds("reached", minuteOf(4), fmt.Sprintf("occurred 12:03 %d", d.Fault("A").NoticesCount))
			})
		})
	}
}
