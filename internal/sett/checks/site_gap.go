package checks

import (
	"time"

	"sett/internal/sett"
)

// SiteGap says why it is not known any more how a site does that was down. Its outage has ended with the checks, and receivers who were
// notified of it wait for its end.
type SiteGap string

// The gaps.
const (
	NoGap        SiteGap = ""
	GapPaused    SiteGap = "paused"    // a user has stopped its checks
	GapUnchecked SiteGap = "unchecked" // no location checked it
)

// Lapse is the rule for a site whose last check is too old to say how it does: it is pending since then.
func (r *SiteRecord) Lapse(now time.Time) []SiteEvent {
	grown := r.LastCheckedAt.Add(r.Patience())
	if !r.Active || r.State == sett.SitePending || r.LastCheckedAt.IsZero() || !now.After(grown) {
		return nil
	}
	return r.forget(grown, GapUnchecked)
}

// Unchecked returns the time before a check in which no location checked the site, zero for none. Note is to be called after it. The
// creation of the site counts as a check.
func (r *SiteRecord) Unchecked(at, now time.Time) (w BlindWindow) {
	from := later(r.LastCheckedAt, r.CreatedAt).Add(r.Patience())
	if farAhead(r.LastCheckedAt, now) || !at.After(from) {
		return w
	}
	return BlindWindow{from, at}
}

// forget makes the site pending since a time at which its checks ended.
func (r *SiteRecord) forget(at time.Time, gap SiteGap) (events []SiteEvent) {
	if r.State == sett.SiteDown {
		at = later(at, r.ChangedAt)
		r.Gap, events = gap, []SiteEvent{r.event(SiteLapsed, at)}
	}
	events = append(events, r.loseSlow(at, SlowEndedUnchecked)...)
	r.State, r.ChangedAt, r.Streak = sett.SitePending, at, Streak{}
	return events
}
