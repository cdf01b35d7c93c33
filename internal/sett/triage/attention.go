package triage

import (
	"cmp"
	"slices"
	"time"

	"sett/internal/sett/faults"
)

// NewAtMostFor is for how long faults count as new, however long ago the last deploy was.
const NewAtMostFor = 7 * 24 * time.Hour

// NewFaults is since when faults of a project count as new: one rule for the tab above their list, the badge of a fault, the
// search is:new and the figure of a project.
type NewFaults struct {
	Since time.Time            // where nothing was deployed lately to the environment of a fault
	In    map[string]time.Time // by environment, to which something was
}

// NewFaultsSince returns since when faults count as new at now, by when the last deploy to each environment was; that of the
// whole project is under "".
func NewFaultsSince(deployed map[string]time.Time, now time.Time) NewFaults {
	whole := lately(deployed[""], now)
	n := NewFaults{Since: whole, In: map[string]time.Time{}}
	if whole.IsZero() {
		n.Since = now.Add(-24 * time.Hour)
	}
	for environment, at := range deployed {
		if at = lately(at, now); environment != "" && at.After(whole) {
			n.In[environment] = at
		}
	}
	return n
}

// lately returns a time, or zero when it is longer ago than faults count as new.
func lately(at, now time.Time) time.Time {
	if now.Sub(at) >= NewAtMostFor {
		return time.Time{}
	}
	return at
}

// Of returns since when faults of an environment count as new: since the last deploy to it, or for a day.
func (n NewFaults) Of(environment string) time.Time {
	if at, ok := n.In[environment]; ok {
		return at
	}
	return n.Since
}

// Earliest returns since when faults of any environment may count as new.
func (n NewFaults) Earliest() time.Time {
	earliest := n.Since
	for _, at := range n.In {
		if at.Before(earliest) {
			earliest = at
		}
	}
	return earliest
}

// Latest returns since when faults of every environment count as new.
func (n NewFaults) Latest() time.Time {
	latest := n.Since
	for _, at := range n.In {
		if at.After(latest) {
			latest = at
		}
	}
	return latest
}

// Deployed returns when the last deploy was that makes faults of an environment new, or of any for ""; zero for none.
func (n NewFaults) Deployed(environment string, now time.Time) (last time.Time) {
	if n.Since != now.Add(-24*time.Hour) {
		last = n.Since
	}
	for in, at := range n.In {
		if (environment == "" || in == environment) && at.After(last) {
			last = at
		}
	}
	return last
}

// FaultReason says why a fault asks for attention; lists show it as a badge.
type FaultReason string

// The reasons, the most pressing first.
const (
	NewFault      FaultReason = "new"      // made since the last deploy to its environment, or within a day
	ReopenedFault FaultReason = "reopened" // by a notice, within a day
	RisingFault   FaultReason = "rising"   // occurs far more often than in the week before
	AssignedFault FaultReason = "assigned" // to the user who looks
)

var faultReasons = []FaultReason{NewFault, ReopenedFault, RisingFault, AssignedFault}

// Word returns the reason as people read it.
func (r FaultReason) Word() string {
	return map[FaultReason]string{NewFault: "New", ReopenedFault: "Reopened", RisingFault: "Rising", AssignedFault: "Assigned to you"}[r]
}

// When a fault has a reason.
const (
	ReopenedFor = 24 * time.Hour
	RisingHours = 7 * 24 // that the last hour is compared with
	RisingLeast = 10     // notices in the last hour, or every second notice of a rare fault would be a rise

	risingFactor = 3
	risingKnown  = 3 // hours; what is younger has nothing that it could be compared with
)

// FaultSigns is what the reasons of a fault are seen by.
type FaultSigns struct {
	CreatedAt  time.Time
	NewSince   time.Time // when faults of its environment count as new; NewFaults.Of
	ReopenedAt time.Time // zero: never, or long ago
	LastHour   int64     // notices
	Week       int64     // notices in the RisingHours before the hour that the last hour began in
	Assigned   bool      // to the user who looks
	Done       bool      // resolved, ignored or paused: then it asks for nothing
}

// Reasons returns why the fault asks for attention, the most pressing reason first.
func (s FaultSigns) Reasons(now time.Time) (reasons []FaultReason) {
	add := func(holds bool, r FaultReason) {
		if holds && !s.Done {
			reasons = append(reasons, r)
		}
	}
	add(!s.CreatedAt.Before(s.NewSince), NewFault)
	add(!s.ReopenedAt.IsZero() && now.Sub(s.ReopenedAt) < ReopenedFor, ReopenedFault)
	add(s.rising(now), RisingFault)
	add(s.Assigned, AssignedFault)
	return reasons
}

func (s FaultSigns) rising(now time.Time) bool {
	_, to := RisingWeek(now)
	known := min(int64(to.Sub(s.CreatedAt)/time.Hour), RisingHours)
	return known >= risingKnown && s.LastHour >= RisingLeast && s.LastHour*known > risingFactor*s.Week
}

// RisingWeek returns the full hours that the last hour is compared with: none of them is part of that.
func RisingWeek(now time.Time) (from, to time.Time) {
	to = now.Add(-time.Hour).Truncate(time.Hour)
	return to.Add(-RisingHours * time.Hour), to
}

// AttentionFault is a fault with the reasons why it asks for attention.
type AttentionFault struct {
	faults.Fault
	Reasons []FaultReason
}

// MorePressing compares two faults that have reasons so that the one with the more pressing first reason comes first, and
// of equals the one that occurred last.
func (f AttentionFault) MorePressing(o AttentionFault) int {
	rank := func(f AttentionFault) int { return slices.Index(faultReasons, f.Reasons[0]) }
	return cmp.Or(cmp.Compare(rank(f), rank(o)), o.LastNoticeAt.Compare(f.LastNoticeAt), cmp.Compare(o.ID, f.ID))
}
