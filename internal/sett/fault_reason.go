package sett

import (
	"cmp"
	"slices"
	"time"
)

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
	Fault
	Reasons []FaultReason
}

// MorePressing compares two faults that have reasons so that the one with the more pressing first reason comes first, and
// of equals the one that occurred last.
func (f AttentionFault) MorePressing(o AttentionFault) int {
	rank := func(f AttentionFault) int { return slices.Index(faultReasons, f.Reasons[0]) }
	return cmp.Or(cmp.Compare(rank(f), rank(o)), o.LastNoticeAt.Compare(f.LastNoticeAt), cmp.Compare(o.ID, f.ID))
}
