package triage

import (
	"fmt"
	"strings"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/faults"
)

// PauseUntil is what ends a pause before its time: that so many more users are affected, or that there are so many notices within a period.
type PauseUntil struct {
	Users   int64 // more than when the pause began
	Notices int64
	Per     time.Duration
}

// The most that a pause can wait for.
const (
	MostPausedUsers   = 1000
	MostPausedNotices = 10_000
)

// UntilOf returns what ends a pause before its time; the zero PauseUntil for nothing.
func UntilOf(p faults.Pause) (u PauseUntil, err error) {
	var problems sett.Problems
	sett.Check(&problems, "users", p.Users)
	sett.Check(&problems, "notices", p.Notices)
	sett.Check(&problems, "per", p.Per)
	if err := problems.Refusal(); err != nil || !p.Conditional() {
		return u, err
	}
	u = PauseUntil{p.Users.Value, p.Notices.Value, map[string]time.Duration{"hour": time.Hour, "day": 24 * time.Hour}[p.Per.Value]}
	switch {
	case p.Users.Filled() == p.Notices.Filled():
		return u, sett.Refuse("users", "must be sent instead of notices, or notices with per instead of users")
	case p.Users.Filled() && (u.Users < 1 || u.Users > MostPausedUsers):
		return u, sett.Refuse("users", "must be from 1 to %d", MostPausedUsers)
	case p.Users.Filled() && p.Per.Filled():
		return u, sett.Refuse("per", "belongs to notices")
	case p.Notices.Filled() && (u.Notices < 1 || u.Notices > MostPausedNotices):
		return u, sett.Refuse("notices", "must be from 1 to %d", MostPausedNotices)
	case p.Notices.Filled() && u.Per == 0:
		return u, sett.Refuse("per", "must be hour or day")
	}
	return u, nil
}

// PauseProgress is how far a pause is from its end.
type PauseProgress struct {
	Since          time.Time
	By             *sett.Person // nil: the user is deleted
	Users, Notices int64        // as PauseUntil counts them, up to what ends the pause
}

// Reached reports whether the pause ends.
func (u PauseUntil) Reached(p PauseProgress) bool {
	return u.Users > 0 && p.Users >= u.Users || u.Notices > 0 && p.Notices >= u.Notices
}

// Start returns from when on notices count at a time.
func (u PauseUntil) Start(since, now time.Time) time.Time {
	if start := now.Add(-u.Per); u.Per > 0 && start.After(since) {
		return start
	}
	return since
}

// String says what the pause waits for: "100 more users are affected".
func (u PauseUntil) String() string {
	per := "an hour"
	if u.Per > time.Hour {
		per = "a day"
	}
	switch {
	case u.Users == 1:
		return "1 more user is affected"
	case u.Users > 0:
		return fmt.Sprintf("%d more users are affected", u.Users)
	case u.Notices == 1:
		return "it reaches 1 event in " + per
	}
	return fmt.Sprintf("it reaches %d events in %s", u.Notices, per)
}

// PausedEntry records that a user paused a fault until then, at most until a time.
func (u PauseUntil) PausedEntry(end time.Time) faults.Entry {
	return faults.Entry{Event: faults.PausedEvent, Body: fmt.Sprintf("Paused until %s, or until %s.", u, end.UTC().Format("2006-01-02 15:04 UTC"))}
}

// EndedEntry records that the pause is over.
func (u PauseUntil) EndedEntry() faults.Entry {
	return faults.Entry{Event: faults.UnpausedEvent, Body: "No longer paused: " + strings.Replace(u.String(), "reaches", "reached", 1) + "."}
}
