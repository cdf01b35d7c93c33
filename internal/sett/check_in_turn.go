package sett

import "time"

// CheckInTurn is a change of a check-in's state.
type CheckInTurn struct {
	At    time.Time
	State CheckInState // from then on
}

// CheckInTurns returns how a rule has turned a check-in of the state before into after, of which the history tells events.
func CheckInTurns(before CheckInState, after CheckIn, events []CheckInEvent) (turns []CheckInTurn) {
	turn := func(to CheckInState, at time.Time) {
		if to != before {
			turns, before = append(turns, CheckInTurn{at, to}), to
		}
	}
	for _, e := range events {
		switch e.Kind {
		case CheckInMissed:
			turn(CheckInMissing, e.At)
		case CheckInRecovered:
			turn(CheckInReporting, e.At)
		case CheckInPausing:
			turn(CheckInPaused, e.At)
		case CheckInResumed:
			turn(after.resumes(), e.At)
		case CheckInChanged:
			turn(after.State, e.At)
		}
	}
	turn(after.State, after.ReportedAt) // the history tells nothing of a first ping soon after another
	return turns
}

// resumes is the state that a pause ends with.
func (c CheckIn) resumes() CheckInState {
	if c.Reported {
		return CheckInReporting
	}
	return CheckInPending
}
