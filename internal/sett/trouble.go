package sett

// Trouble is what a receiver knows of the trouble that a subject is in. Its end is news only to those who know of it.
type Trouble int

// What a receiver may know.
const (
	TroubleNone Trouble = iota // there is none, or its end was told
	TroubleHeld                // there is, and all that was to be told of it was held
	TroubleTold
)

// OpeningEvents lists the events that tell of trouble.
func OpeningEvents() []AlertEvent {
	return []AlertEvent{
		AlertOccurred, AlertRateExceeded, AlertVolumeSpike, AlertUnresolved, AlertDown, AlertCheckInMissing, AlertIssueCreate, AlertIssueReopen,
	}
}

// ClosingEvents lists the events that tell of its end.
func ClosingEvents() []AlertEvent {
	return []AlertEvent{AlertResolved, AlertUp, AlertCheckInReporting, AlertIssueClose}
}

// Opened is what the receiver knows after an OpeningEvent was told, or held.
func (t Trouble) Opened(held bool) Trouble {
	if held {
		return max(t, TroubleHeld)
	}
	return TroubleTold
}

// Closed reports whether a ClosingEvent is held, and what the receiver knows then: flood control keeps the end of a
// trouble from those alone who were spared all of the trouble.
func (t Trouble) Closed() (next Trouble, held bool) {
	if t == TroubleHeld {
		return t, true
	}
	return TroubleNone, false
}
