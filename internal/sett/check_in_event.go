package sett

import "time"

// CheckInEvent is a line of a check-in's history: a ping, or what came of one that stayed away.
type CheckInEvent struct {
	ID      int64 // given by the store
	Kind    CheckInEventKind
	At      time.Time // of a miss: the deadline
	Payload *PingPayload
	Source  PingSource    // of a ping
	Facts   *CheckInFacts // of a miss, and of the first ping after misses, when it has just happened; histories have none
}

// CheckInEventKind says what happened to a check-in.
type CheckInEventKind string

// Every kind that a history tells.
const (
	CheckInReported  CheckInEventKind = "reported"  // a ping came
	CheckInMissed    CheckInEventKind = "missing"   // a ping did not come in time
	CheckInRecovered CheckInEventKind = "reporting" // the first ping after misses
	CheckInForgiven  CheckInEventKind = "forgiven"  // the deadline was while no server was alive, or by a clock that was wrong
	CheckInPausing   CheckInEventKind = "paused"
	CheckInResumed   CheckInEventKind = "resumed"
	CheckInChanged   CheckInEventKind = "changed" // schedule or grace period
)
