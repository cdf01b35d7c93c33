package status

import (
	"strings"
	"testing"
	"time"

	"sett/internal/sett"
)

// written is a time as a body has it, so many minutes after noon.
func written(minutes int) sett.Optional[string] {
	return sett.Some(noonOfStatus.Add(time.Duration(minutes) * time.Minute).Format(time.RFC3339))
}

// What is over can be recorded with its times, and sends no notices.
func TestPastIncidentsAreRecorded(t *testing.T) {
	t.Parallel()
	c := IncidentChange{Name: sett.Some("x"), Message: sett.Some("y"), StartsAt: written(-120), ResolvedAt: written(-60)}
	i, u, err := c.Create(StatusPage{}, noonOfStatus)
	end := noonOfStatus.Add(-time.Hour)
	if err != nil || i.Status != Resolved || u.Status != Resolved || !i.ResolvedAt.Equal(end) || !u.At.Equal(end) || !i.Recorded() {
		t.Errorf("%+v, %+v, %v", i, u, err)
	}
	c.ResolvedAt, c.Status = sett.Optional[string]{}, sett.Some("resolved")
	if i, _, err = c.Create(StatusPage{}, noonOfStatus); err != nil || i.Recorded() || !i.ResolvedAt.Equal(noonOfStatus) {
		t.Errorf("resolved now: %+v, %v", i, err)
	}
}

func TestEndsThatAreRefused(t *testing.T) {
	t.Parallel()
	for says, c := range map[string]IncidentChange{
		"resolved_at must not be in the future":                                                                     {ResolvedAt: written(1)},
		"resolved_at must not be before starts_at, which is 2026-11-22T10:00:00Z":                                   {StartsAt: written(-120), ResolvedAt: written(-121)},
		"resolved_at is for incidents that are resolved; post an update whose status is resolved":                   {Status: sett.Some("monitoring"), ResolvedAt: written(0)},
		"resolved_at must be a time such as 2026-11-22T14:00:00Z":                                                   {ResolvedAt: sett.Some("noon")},
		"resolved_at is only for incidents; maintenance ends at ends_at, or by an update whose status is completed": {Kind: sett.Some("maintenance"), StartsAt: written(10), EndsAt: written(20), ResolvedAt: written(0)},
	} {
		c.Name, c.Message = sett.Some("x"), sett.Some("y")
		if _, _, err := c.Create(StatusPage{}, noonOfStatus); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v", says, err)
		}
	}
}

func TestTheEndOfAnIncidentIsCorrected(t *testing.T) {
	t.Parallel()
	open := StatusIncident{Kind: Disruption, Name: "x", Status: Monitoring, StartsAt: noonOfStatus.Add(-time.Hour), CreatedAt: noonOfStatus.Add(-time.Hour)}
	over := open
	over.Status, over.ResolvedAt = Resolved, noonOfStatus
	over.Updates = []IncidentUpdate{{ID: 2, Status: Resolved, At: noonOfStatus}, {ID: 1, Status: Monitoring, At: noonOfStatus.Add(-time.Hour)}}
	later := noonOfStatus.Add(time.Hour)
	i, err := IncidentChange{ResolvedAt: written(-10)}.Update(over, StatusPage{}, later)
	if want := noonOfStatus.Add(-10 * time.Minute); err != nil || !i.ResolvedAt.Equal(want) {
		t.Fatalf("%+v, %v", i, err)
	}
	if left, err := i.Without(1, later); err != nil || !left.ResolvedAt.Equal(i.ResolvedAt) {
		t.Errorf("without an earlier update it ended %s, %v", left.ResolvedAt, err)
	}
	null := sett.Optional[string]{Sent: true, Null: true}
	for name, c := range map[string]struct {
		of  StatusIncident
		end sett.Optional[string]
		ok  bool
	}{
		"as it was read":      {over, written(0), true},
		"open, as it is":      {open, null, true},
		"open":                {open, written(-10), false},
		"nothing":             {over, null, false},
		"before it began":     {over, written(-61), false},
		"still in the future": {over, written(61), false},
	} {
		if _, err := (IncidentChange{ResolvedAt: c.end}).Update(c.of, StatusPage{}, later); (err == nil) != c.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// An update may be posted after the fact, but not before what was said before it.
func TestUpdatesHaveTimes(t *testing.T) {
	t.Parallel()
	i := StatusIncident{Kind: Disruption, Status: Investigating, StartsAt: noonOfStatus, Updates: []IncidentUpdate{{Status: Investigating, At: noonOfStatus}}}
	now := noonOfStatus.Add(time.Hour)
	said := IncidentUpdateChange{Status: sett.Some("resolved"), Message: sett.Some("x"), CreatedAt: written(20)}
	over, u, err := said.Create(i, now)
	if want := noonOfStatus.Add(20 * time.Minute); err != nil || !u.At.Equal(want) || !over.ResolvedAt.Equal(want) {
		t.Errorf("%+v, %+v, %v", over, u, err)
	}
	for minutes, says := range map[int]string{-1: "created_at must not be before the update before, which is of 2026-11-22T12:00:00Z", 61: "created_at must not be in the future"} {
		said.CreatedAt = written(minutes)
		if _, _, err := said.Create(i, now); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%d: %v", minutes, err)
		}
	}
	said.CreatedAt = sett.Some("")
	if _, u, err := said.Create(i, now); err != nil || !u.At.Equal(now) {
		t.Errorf("blank: %+v, %v", u, err)
	}
	changed := IncidentUpdateChange{Message: sett.Some("y"), CreatedAt: written(20)}
	if _, err := changed.Update(u); err != nil {
		t.Errorf("as it was read: %v", err)
	}
	changed.CreatedAt = written(21)
	if _, err := changed.Update(u); err == nil || !strings.Contains(err.Error(), "created_at of an update stays") {
		t.Error(err)
	}
}
