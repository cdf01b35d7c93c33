package checks

import (
	"maps"
	"slices"
	"time"

	"sett/internal/sett"
)

// Pace is how many checks of a location in a row were slow, or fast.
type Pace struct {
	Run   int64     // above 0: slow ones; below 0: fast ones; 0: the last check failed, or the site has no limit
	Since time.Time // when the first of them began; zero when Run is 0
}

// after returns the pace once a location has looked again. A failed check has no response time, so it is neither slow nor fast.
func (p Pace) after(r CheckReport, limit time.Duration) Pace {
	if !r.Result.Up || limit == 0 {
		return Pace{}
	}
	step := int64(-1)
	if r.Result.Duration > limit {
		step = 1
	}
	if p.Run*step <= 0 {
		return Pace{step, r.Result.At}
	}
	p.Run += step
	return p
}

// SlowEnding says why a time in which a site was slow is over.
type SlowEnding string

// The endings. After SlowEndedFast and SlowEndedOff it is not slow; after the others nothing is known, and receivers who were notified
// wait for more.
const (
	SlowLasts          SlowEnding = ""
	SlowEndedFast      SlowEnding = "fast"
	SlowEndedDown      SlowEnding = "down"
	SlowEndedPaused    SlowEnding = "paused"
	SlowEndedUnchecked SlowEnding = "unchecked" // no location checked it
	SlowEndedOff       SlowEnding = "off"       // a user has removed the limit
)

// SlowSpell is a time in which a site was slow.
type SlowSpell struct {
	ID        int64
	SlowAt    time.Time // when the first of the slow checks began that confirmed it
	FastAt    time.Time // when it was over, whatever the Ending; zero: it lasts
	CreatedAt time.Time // when it was confirmed
	Limit     time.Duration
	Took      time.Duration // of the check that confirmed it; 0 if that was not slow itself
	Ending    SlowEnding
}

// Slow reports whether the site is slow at the moment.
func (s Site) Slow() bool { return s.Active && s.State == sett.SiteUp && !s.SlowSince.IsZero() }

// EndsSlow returns why a change of settings ends the time in which a site is slow; SlowLasts if it does not.
func (s SiteSettings) EndsSlow(want SiteSettings) SlowEnding {
	switch {
	case s.SlowAfter > 0 && want.SlowAfter == 0:
		return SlowEndedOff
	case s.Active && !want.Active:
		return SlowEndedPaused
	}
	return SlowLasts
}

// poll is how the locations of a site stand about its pace.
type poll struct {
	slow []Pace // of locations with enough slow checks in a row
	fast int    // locations with enough fast checks in a row
	all  int    // with those between, those that fail and those that are awaited
}

func (s Site) poll(verdicts []Verdict, live []LiveLocation, now time.Time) (p poll) {
	b := s.ballot(verdicts, live, now)
	for _, v := range b.up {
		switch {
		case v.Pace.Run >= s.SlowChecks:
			p.slow = append(p.slow, v.Pace)
		case v.Pace.Run <= -s.SlowChecks:
			p.fast++
		}
	}
	p.all = len(b.up) + len(b.failing) + b.awaited
	return p
}

// most is how many slow locations make the site slow: half of those that count, as for outages.
func (p poll) most() int { return (p.all + 1) / 2 }

func (p poll) surelySlow() bool { return len(p.slow) > 0 && len(p.slow) >= p.most() }
func (p poll) surelyFast() bool { return p.fast > 0 && p.all-p.fast < p.most() }

// since returns when half of the locations had become slow.
func (p poll) since() time.Time {
	slices.SortFunc(p.slow, func(a, b Pace) int { return a.Since.Compare(b.Since) })
	return p.slow[p.most()-1].Since
}

// judgePace moves what is known of the site's pace to what the locations now say. Between slow and fast it stays as it was.
func (r *SiteRecord) judgePace(report CheckReport, live []LiveLocation, now time.Time) []SiteEvent {
	if r.State != sett.SiteUp || r.SlowAfter == 0 {
		return nil
	}
	p := r.poll(slices.Collect(maps.Values(r.Verdicts)), live, now)
	switch known := !r.SlowSince.IsZero(); {
	case !known && p.surelySlow():
		e := r.event(SiteBecameSlow, later(p.since(), r.ChangedAt))
		e.Known = r.WasSlow
		if report.Result.Up && report.Result.Duration > r.SlowAfter {
			e.Took = report.Result.Duration
		}
		r.SlowSince, r.WasSlow = e.At, false
		return []SiteEvent{e}
	case (known || r.WasSlow) && p.surelyFast():
		e := r.event(SiteBecameFast, later(report.Result.At, r.SlowSince))
		e.Took = report.Result.Duration
		r.SlowSince, r.WasSlow = time.Time{}, false
		return []SiteEvent{e}
	}
	return nil
}

// loseSlow ends the time in which the site is slow, without a word on whether it is fast.
func (r *SiteRecord) loseSlow(at time.Time, why SlowEnding) []SiteEvent {
	if r.SlowSince.IsZero() {
		return nil
	}
	e := r.event(SiteSlowEnded, later(at, r.SlowSince))
	e.Ending = why
	r.SlowSince, r.WasSlow = time.Time{}, true
	return []SiteEvent{e}
}
