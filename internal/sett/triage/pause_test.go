package triage

import (
	"strings"
	"testing"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/faults"
)

func TestUntilOf(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		p       faults.Pause
		want    PauseUntil
		problem string
	}{
		{faults.Pause{Time: sett.Some("day")}, PauseUntil{}, ""},
		{faults.Pause{Users: sett.Some(int64(1))}, PauseUntil{Users: 1}, ""},
		{faults.Pause{Users: sett.Some(int64(1000))}, PauseUntil{Users: 1000}, ""},
		{faults.Pause{Users: sett.Some(int64(0))}, PauseUntil{}, "users must be from 1 to 1000"},
		{faults.Pause{Users: sett.Some(int64(1001))}, PauseUntil{}, "users must be from 1 to 1000"},
		{faults.Pause{Users: sett.Optional[int64]{Sent: true, Bad: "must be an integer"}}, PauseUntil{}, "users must be an integer"},
		{faults.Pause{Users: sett.Some(int64(1)), Per: sett.Some("day")}, PauseUntil{}, "per belongs to notices"},
		{faults.Pause{Users: sett.Some(int64(1)), Notices: sett.Some(int64(1))}, PauseUntil{}, "users must be sent instead of notices"},
		{faults.Pause{Users: sett.Some(int64(1)), Notices: sett.Optional[int64]{Sent: true, Null: true}, Per: sett.Some("")}, PauseUntil{Users: 1}, ""},
		{faults.Pause{Users: sett.Optional[int64]{Sent: true, Null: true}, Notices: sett.Some(int64(1)), Per: sett.Some("day")}, PauseUntil{Notices: 1, Per: 24 * time.Hour}, ""},
		{faults.Pause{Time: sett.Some(""), Users: sett.Optional[int64]{Sent: true, Null: true}, Per: sett.Some("")}, PauseUntil{}, ""},
		{faults.Pause{Per: sett.Some("day")}, PauseUntil{}, "users must be sent instead of notices"},
		{faults.Pause{Notices: sett.Some(int64(10_000)), Per: sett.Some("hour")}, PauseUntil{Notices: 10_000, Per: time.Hour}, ""},
		{faults.Pause{Notices: sett.Some(int64(1)), Per: sett.Some("day")}, PauseUntil{Notices: 1, Per: 24 * time.Hour}, ""},
		{faults.Pause{Notices: sett.Some(int64(10_001)), Per: sett.Some("hour")}, PauseUntil{}, "notices must be from 1 to 10000"},
		{faults.Pause{Notices: sett.Some(int64(1))}, PauseUntil{}, "per must be hour or day"},
		{faults.Pause{Notices: sett.Some(int64(1)), Per: sett.Some("week")}, PauseUntil{}, "per must be hour or day"},
	} {
		got, err := UntilOf(c.p)
		if (err == nil) != (c.problem == "") || err != nil && !strings.Contains(err.Error(), c.problem) || err == nil && got != c.want {
			t.Errorf("%+v: %+v, %v", c.p, got, err)
		}
		state, err := c.p.Apply(faults.FaultState{PausedCount: 7}, now, 3)
		if c.want != (PauseUntil{}) && (err != nil || !state.PausedUntil.Equal(now.Add(faults.LongestPause)) || state.PausedCount != 0) {
			t.Errorf("%+v: %+v, %v", c.p, state, err)
		}
	}
	both := faults.Pause{Users: sett.Some(int64(1)), Time: sett.Some("day")}
	if _, err := both.Apply(faults.FaultState{}, now, 0); sett.CodeOf(err) != sett.Invalid {
		t.Errorf("until users and for a time: %v", err)
	}
	many := BulkChange{Action: sett.Some("pause"), Pause: sett.Some(faults.Pause{Users: sett.Some(int64(1))})}
	if err := many.Validate(now); err == nil || !strings.Contains(err.Error(), "pause one fault at a time") {
		t.Errorf("many until users: %v", err)
	}
}

func TestPauseUntil(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)
	users, notices := PauseUntil{Users: 10}, PauseUntil{Notices: 100, Per: time.Hour}
	for _, c := range []struct {
		until    PauseUntil
		progress PauseProgress
		want     bool
	}{
		{users, PauseProgress{Users: 9, Notices: 1000}, false},
		{users, PauseProgress{Users: 10}, true},
		{notices, PauseProgress{Users: 1000, Notices: 99}, false},
		{notices, PauseProgress{Notices: 100}, true},
		{PauseUntil{}, PauseProgress{Users: 1, Notices: 1}, false},
	} {
		if got := c.until.Reached(c.progress); got != c.want {
			t.Errorf("%+v with %+v: %t", c.until, c.progress, got)
		}
	}
	for since, want := range map[time.Duration]time.Duration{-time.Minute: -time.Minute, -2 * time.Hour: -time.Hour} {
		if got := notices.Start(now.Add(since), now); !got.Equal(now.Add(want)) {
			t.Errorf("paused %s ago, events count from %s", -since, got)
		}
	}
	if got := users.Start(now.Add(-48*time.Hour), now); !got.Equal(now.Add(-48 * time.Hour)) {
		t.Errorf("until users, events count from %s", got)
	}
	for u, want := range map[PauseUntil]string{
		users: "10 more users are affected", {Users: 1}: "1 more user is affected", notices: "it reaches 100 events in an hour", {Notices: 1, Per: 24 * time.Hour}: "it reaches 1 event in a day",
	} {
		if u.String() != want {
			t.Errorf("%+v is %q, want %q", u, u, want)
		}
	}
	if got := users.PausedEntry(now).Body + users.EndedEntry().Body; got != "Paused until 10 more users are affected, or until 2026-11-26 12:00 UTC.No longer paused: 10 more users are affected." {
		t.Errorf("the history says %s", got)
	}
}
