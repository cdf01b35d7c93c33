package release

import (
	"fmt"
	"math"
	"time"

	"sett/internal/base/phrase"
)

// Report is a release with its figures.
type Report struct {
	Release
	New, Reopened, Resolved int64 // errors
	Sessions                SessionSums
	Previous                string // the release that was created before it; "" for none
	Verdict                 Verdict
}

// State is how a release compares with the previous one.
type State string

// The states.
const (
	First  State = "first" // there is no previous release
	Early  State = "too_early"
	Better State = "better"
	Worse  State = "worse"
	Same   State = "same"
)

// Verdict is how a release compares with the previous one, and why.
type Verdict struct {
	State   State
	Reasons []string // sentences
}

// Figures are what releases are compared by. The errors of both are those from as long a time after they were created.
type Figures struct {
	Age      time.Duration // since it was created
	Errors   int64         // new and reopened
	Sessions SessionSums
}

// How much is needed for a verdict.
const (
	leastAge      = time.Hour // unless it is worse before
	leastSessions = 200       // of each release, to compare them
	leastChange   = 0.005     // of the share of sessions without a crash
	certainShare  = 2.0       // standard deviations
	certainErrors = 1.64      // standard deviations: 3 new errors after none are more, and 2 are not
)

// Compare returns how a release compares with the previous one.
func Compare(this, previous Figures) Verdict {
	errors := compareErrors(this, previous)
	crashes, enough := compareSessions(this.Sessions, previous.Sessions)
	v := Verdict{State: Same}
	for _, part := range []Verdict{crashes, errors} {
		v.Reasons = append(v.Reasons, part.Reasons...)
	}
	early := this.Age < leastAge || !enough && previous.Sessions.Total >= leastSessions
	switch {
	case errors.State == Worse || crashes.State == Worse:
		v.State = Worse
	case early:
		v.State = Early
		v.Reasons = append(v.Reasons, "A verdict needs an hour, and "+phrase.Count(leastSessions, "session")+" if the previous release has them.")
	case errors.State == Better || crashes.State == Better:
		v.State = Better
	}
	return v
}

func compareErrors(this, previous Figures) Verdict {
	a, b := float64(this.Errors), float64(previous.Errors)
	v := Verdict{State: Same, Reasons: []string{
		fmt.Sprintf("%s new or reopened, and %d in as much time after the previous release.", phrase.Count(this.Errors, "error"), previous.Errors),
	}}
	switch certain := certainErrors * math.Sqrt(a+b); {
	case a > b && a-b >= certain:
		v.State = Worse
	case b > a && b-a >= certain:
		v.State = Better
	}
	return v
}

// compareSessions returns how the shares of sessions without a crash compare, and whether there are enough of them.
func compareSessions(this, previous SessionSums) (v Verdict, enough bool) {
	v.State = Same
	if this.Total < leastSessions || previous.Total < leastSessions {
		return v, false
	}
	now, _ := this.CrashFree()
	before, _ := previous.CrashFree()
	v.Reasons = []string{fmt.Sprintf("%.2f%% of sessions without a crash, and %.2f%% in the previous release.", 100*now, 100*before)}
	n, m := float64(this.Total), float64(previous.Total)
	pooled := (now*n + before*m) / (n + m)
	deviation := math.Sqrt(pooled * (1 - pooled) * (1/n + 1/m))
	switch change := now - before; {
	case math.Abs(change) < leastChange || math.Abs(change) < certainShare*deviation:
	case change < 0:
		v.State = Worse
	default:
		v.State = Better
	}
	return v, true
}
