package checks

import (
	"slices"
	"time"

	"sett/internal/sett"
)

// Verdict is what a location last found of a site.
type Verdict struct {
	Location     Location
	Up           bool
	At           time.Time // when the check ended
	FailingSince time.Time // when the first of the failed checks in a row began; zero when Up
	Failures     int64     // how many they are; 0 though not Up: it may not connect to the site, and says why
	Status       int       // of HTTP; 0 when there was no response
	Reason       string
	Pace         Pace
}

// after returns the verdict once a location has looked again. blocked says that it may not.
func (v Verdict) after(r CheckReport, blocked bool) Verdict {
	next := Verdict{Location: r.Location, Up: r.Result.Up, At: r.end(), Status: r.Result.Status, Reason: r.Result.Reason}
	if next.Up || blocked {
		return next
	}
	next.FailingSince, next.Failures = r.Result.At, 1
	if v.Failures > 0 {
		next.FailingSince, next.Failures = v.FailingSince, v.Failures+1
	}
	return next
}

// Blocked reports whether the location may not connect to the site, and so says nothing of it.
func (v Verdict) Blocked() bool { return !v.Up && v.Failures == 0 }

// Streak is how many checks of a site have failed in a row, over all its locations.
type Streak struct {
	Failures int64
	Since    time.Time // when the first of them began
}

func (s Streak) after(r CheckReport) Streak {
	switch {
	case r.Result.Up:
		return Streak{}
	case s.Failures == 0:
		s.Since = r.Result.At
	}
	s.Failures++
	return s
}

// LiveLocation is a location that currently runs checks.
type LiveLocation struct {
	Location Location
	Since    time.Time
}

// Patience is for how long a verdict is fresh: until the next check of the location must have ended, which looks twice
// when it fails.
func (s SiteSettings) Patience() time.Duration {
	return s.Interval() + 2*s.Timeout + 30*time.Second
}

// ballot is how the locations of a site stand.
type ballot struct {
	up      []Verdict
	failing []Verdict
	awaited int // live and without a fresh verdict, but not for so long that nothing is to be expected of them
}

// ballot asks the live locations of a site. One that has only just come, or got a new target, is waited for, because its
// word could turn the vote around: otherwise the first to speak after a restart would speak for all.
func (s Site) ballot(verdicts []Verdict, live []LiveLocation, now time.Time) (b ballot) {
	for _, l := range live {
		i := slices.IndexFunc(verdicts, func(v Verdict) bool { return v.Location == l.Location })
		switch {
		case !s.Selects(l.Location), i >= 0 && verdicts[i].Blocked() && s.fresh(verdicts[i].At, now):
		case i >= 0 && s.fresh(verdicts[i].At, now) && verdicts[i].Up:
			b.up = append(b.up, verdicts[i])
		case i >= 0 && s.fresh(verdicts[i].At, now):
			b.failing = append(b.failing, verdicts[i])
		case s.fresh(l.Since, now) || s.fresh(s.UpdatedAt, now):
			b.awaited++
		}
	}
	return b
}

// fresh reports whether what was said at a time still holds. A time far ahead is that of a clock which was set back.
func (s SiteSettings) fresh(at, now time.Time) bool {
	age := now.Sub(at)
	return -clockSkew <= age && age <= s.Patience()
}

// most is how many failing locations make an outage: half of those that vote.
func (b ballot) most() int { return (len(b.up) + len(b.failing) + b.awaited + 1) / 2 }

// silent reports whether no location has a fresh verdict.
func (b ballot) silent() bool { return len(b.up)+len(b.failing) == 0 }

// surelyDown and surelyUp never hold at once, and neither holds while it depends on locations that are awaited.
func (b ballot) surelyDown() bool { return !b.silent() && len(b.failing) >= b.most() }
func (b ballot) surelyUp() bool   { return !b.silent() && len(b.failing)+b.awaited < b.most() }

// Judge returns the state of a site as its locations see it. Only fresh verdicts of live locations count; when there is
// none the state stays. A threshold looks at the streak instead, and is over once no location fails.
func (s Site) Judge(verdicts []Verdict, streak Streak, live []LiveLocation, now time.Time) sett.SiteState {
	b := s.ballot(verdicts, live, now)
	down, up := b.surelyDown(), b.surelyUp()
	if s.OutageThreshold > 0 {
		down = !b.silent() && streak.Failures >= s.OutageThreshold
		if s.State == sett.SiteDown {
			up = !b.silent() && len(b.failing)+b.awaited == 0
		}
	}
	switch {
	case down:
		return sett.SiteDown
	case up:
		return sett.SiteUp
	}
	return s.State
}

// downAt returns when an outage began that is confirmed now: with the first failed check of those that confirm it. A
// location that has been failing for long, while the others saw nothing, is not one of them.
func (s Site) downAt(verdicts []Verdict, streak Streak, live []LiveLocation, now time.Time) time.Time {
	at := streak.Since
	if s.OutageThreshold == 0 {
		at = s.ballot(verdicts, live, now).downAt(s.Patience())
	}
	if at.Before(s.ChangedAt) && !farAhead(s.ChangedAt, now) { // it cannot begin before the last one was over
		return s.ChangedAt
	}
	return at
}

func (b ballot) downAt(patience time.Duration) time.Time {
	slices.SortFunc(b.failing, func(a, b Verdict) int { return a.FailingSince.Compare(b.FailingSince) })
	decisive := b.failing[b.most()-1].FailingSince
	for _, v := range b.failing {
		if decisive.Sub(v.FailingSince) <= patience {
			return v.FailingSince
		}
	}
	return decisive
}
