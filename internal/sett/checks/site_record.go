package checks

import (
	"maps"
	"slices"
	"time"

	"sett/internal/sett"
)

// SiteRecord is what is remembered of a site from check to check.
type SiteRecord struct {
	Site
	Streak          Streak
	Gap             SiteGap // since it was down; NoGap while that is not so
	WasSlow         bool    // it was slow before nothing was known of that, and is not slow for all that is known
	Verdicts        map[Location]Verdict
	CertFingerprint string // of the certificate that was seen last; "" for none
	CertWarned      int64  // the threshold that was last passed by it; 0 for none
}

// CheckUse says what a report of a check is good for.
type CheckUse int

// The uses of a report.
const (
	Useless CheckUse = iota // it is about what the site no longer is, or too old
	History                 // it belongs to the site's history and says nothing about now
	Current                 // it is the newest word of its location
	Blocked                 // so it is, but the location may not connect to the site, which was never checked: nothing follows from it
)

// Use says what a cleaned report is good for. What was found under older settings of a check is about another target,
// even where it fills a gap of the history.
func (r *SiteRecord) Use(report CheckReport, now time.Time) CheckUse {
	switch {
	case !r.CheckedAt(report.Location), report.Revision < r.TargetRevision, now.Sub(report.Result.At) > OldestCheck:
		return Useless
	}
	current := !report.Backfilled && r.fresh(report.end(), now) && !r.overtaken(report, now)
	switch blocked := report.Result.Blocked && r.State == sett.SitePending; { // later, the name leads where it did not before
	case blocked && current:
		return Blocked
	case blocked:
		return Useless
	case current:
		return Current
	}
	return History
}

// overtaken reports whether the location has said something newer; what it said by a clock that was set back is not.
func (r *SiteRecord) overtaken(report CheckReport, now time.Time) bool {
	said := r.Verdicts[report.Location].At
	return !report.end().After(said) && !said.After(now.Add(clockSkew))
}

// Note records a cleaned report and returns the events that follow from it. live are the locations that currently run checks.
func (r *SiteRecord) Note(report CheckReport, live []LiveLocation, now time.Time) (use CheckUse, events []SiteEvent) {
	if use = r.Use(report, now); use == Blocked {
		r.hear(report, true)
		return use, nil
	}
	if farAhead(r.LastCheckedAt, now) { // by a clock that was set back
		r.LastCheckedAt = time.Time{}
	}
	if use == Current {
		events = r.Lapse(report.Result.At)
	}
	if report.Result.At.Sub(r.LastCheckedAt) > r.Patience() {
		r.Streak = Streak{} // after a time without checks, earlier failures are not consecutive with this one
	}
	if use != Useless && report.Result.At.After(r.LastCheckedAt) {
		r.LastCheckedAt = report.Result.At
	}
	if use != Current {
		return use, nil
	}
	before := r.hear(report, false)
	if isLive(live, report.Location) { // reports of other locations do not count: their own network may be the cause
		r.Streak = r.Streak.after(report)
	}
	events = append(events, r.judge(report, live, now)...)
	events = append(events, r.judgePace(report, live, now)...)
	if r.asks(before, report, live, now) {
		r.AskedAt, r.AskedBy = now, report.Location
		events = append(events, r.event(SiteAsked, now))
	}
	return use, append(events, r.noteCertificate(report.Result.Certificate, now)...)
}

// hear keeps the verdict of a location, and returns the one before.
func (r *SiteRecord) hear(report CheckReport, blocked bool) (before Verdict) {
	before = r.Verdicts[report.Location]
	if r.Verdicts == nil {
		r.Verdicts = map[Location]Verdict{}
	}
	said := before
	if report.Result.At.Sub(said.At) > r.Patience() {
		said = Verdict{} // what it said before a gap is not consecutive with this
	}
	next := said.after(report, blocked)
	next.Pace = said.Pace.after(report, r.SlowAfter)
	r.Verdicts[report.Location] = next
	return before
}

// judge moves the state to what the locations now say.
func (r *SiteRecord) judge(report CheckReport, live []LiveLocation, now time.Time) []SiteEvent {
	verdicts := slices.Collect(maps.Values(r.Verdicts))
	before, state := r.State, r.Judge(verdicts, r.Streak, live, now)
	if state == before {
		return nil
	}
	at := report.Result.At
	if state == sett.SiteDown {
		at = r.downAt(verdicts, r.Streak, live, now)
	} else if at.Before(r.ChangedAt) { // the clocks of two locations differ
		at = r.ChangedAt
	}
	gap := r.Gap
	r.State, r.ChangedAt, r.Gap = state, at, NoGap
	switch {
	case state == sett.SiteDown:
		e := r.event(SiteWentDown, at)
		e.Gap = gap
		return append(r.loseSlow(at, SlowEndedDown), e)
	case before == sett.SiteDown, gap != NoGap:
		return []SiteEvent{r.event(SiteCameUp, at)}
	}
	return nil
}

// asks reports whether a failed check makes the other locations look at once: it is the first that its location sees, and
// no location is still at an earlier request.
func (r *SiteRecord) asks(before Verdict, report CheckReport, live []LiveLocation, now time.Time) bool {
	if r.State != sett.SiteUp || report.Result.Up || before.Failures > 0 && r.fresh(before.At, now) || !isLive(live, report.Location) {
		return false
	}
	others := slices.DeleteFunc(slices.Clone(live), func(l LiveLocation) bool {
		return l.Location == report.Location || !r.Selects(l.Location)
	})
	asking := r.fresh(r.AskedAt, now) && slices.ContainsFunc(others, func(l LiveLocation) bool {
		return l.Location != r.AskedBy && r.Verdicts[l.Location].At.Before(r.AskedAt)
	})
	return len(others) > 0 && !asking
}

// noteCertificate remembers the certificate that the site has shown and warns of its end.
func (r *SiteRecord) noteCertificate(c *ProbeCertificate, now time.Time) []SiteEvent {
	if c == nil {
		return nil
	}
	if c.Fingerprint != r.CertFingerprint {
		r.CertFingerprint, r.CertWarned = c.Fingerprint, 0
	}
	r.CertWillExpireAt, r.CertAuthority = c.NotAfter, c.Authority
	passed := certThreshold(*c, now)
	if passed == 0 || r.CertWarned != 0 && passed >= r.CertWarned {
		return nil
	}
	r.CertWarned = passed
	e := r.event(CertWillExpire, now)
	e.Days = passed
	return []SiteEvent{e}
}

func (r *SiteRecord) event(kind SiteEventKind, at time.Time) SiteEvent {
	return SiteEvent{Kind: kind, SiteID: r.ID, SiteName: r.Name, ProjectID: r.ProjectID, At: at}
}

func isLive(live []LiveLocation, l Location) bool {
	return slices.ContainsFunc(live, func(have LiveLocation) bool { return have.Location == l })
}
