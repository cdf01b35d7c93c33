package maintenance

import (
	"slices"
	"strings"
	"time"

	"sett/internal/base/moment"
	"sett/internal/sett"
)

// WindowChange is the body that creates or updates a window: only the fields that were sent change.
type WindowChange struct {
	Reason     sett.Optional[string]   `json:"reason,omitzero" doc:"Why alerts are held, for your team." range:"0,500" example:"Upgrade of the database"`
	StartsAt   sett.Optional[string]   `json:"starts_at,omitzero" doc:"When it starts: by default now, as for a time that has passed, and at most a year ahead. It cannot be changed once the window is active. RFC 3339." example:"2026-12-01T22:00:00Z"`
	EndsAt     sett.Optional[string]   `json:"ends_at,omitzero" doc:"When it ends, at most 30 days after its start. Null, the default, for a window that lasts until you end it, 7 days at most. RFC 3339." example:"2026-12-01T23:30:00Z"`
	SiteIDs    sett.Optional[[]string] `json:"site_ids,omitzero" doc:"The only sites whose alerts are held. Without any sites and check-ins, those of all are held. Cannot be changed once the window is active, as check_in_ids and errors."`
	CheckInIDs sett.Optional[[]string] `json:"check_in_ids,omitzero" doc:"The only check-ins whose alerts are held."`
	Errors     sett.Optional[bool]     `json:"errors,omitzero" doc:"Whether alerts about new and frequent errors of the project are held too; false by default."`
}

// Create returns the settings of a new window, or an Invalid error that names every field that is wrong.
func (c WindowChange) Create(now time.Time) (Settings, error) {
	var p sett.Problems
	s := Settings{StartsAt: now, UntilEnded: true}
	c.apply(&p, &s)
	s.notBefore(now)
	s.check(&p, now)
	return s, p.Refusal()
}

// notBefore starts a window now at the earliest: what has been sent cannot be held. A form says the minute, which may have passed.
func (s *Settings) notBefore(now time.Time) {
	if s.StartsAt.Before(now) {
		s.StartsAt = now
	}
	if s.UntilEnded {
		s.EndsAt = s.StartsAt.Add(LongestOpen)
	}
}

// Update returns the settings with the change made. The error is Invalid if a field is wrong, and a Conflict if the window has ended.
func (c WindowChange) Update(w Window, now time.Time) (Settings, error) {
	if err := w.Editable(now); err != nil {
		return w.Settings, err
	}
	var p sett.Problems
	s := w.Settings
	c.apply(&p, &s)
	if w.State(now) == Active {
		s.keep(&p, w.Settings)
	} else {
		s.notBefore(now)
	}
	s.check(&p, now)
	return s, p.Refusal()
}

// keep adds a problem for each setting that differs from that of a window that is active: what it holds would no longer be its own.
func (s Settings) keep(p *sett.Problems, have Settings) {
	const fixed = "cannot be changed once the window is active; end it and create another one"
	if !s.StartsAt.Equal(have.StartsAt) {
		p.Add("starts_at", fixed)
	}
	if !slices.Equal(s.SiteIDs, have.SiteIDs) {
		p.Add("site_ids", fixed)
	}
	if !slices.Equal(s.CheckInIDs, have.CheckInIDs) {
		p.Add("check_in_ids", fixed)
	}
	if s.Errors != have.Errors {
		p.Add("errors", fixed)
	}
}

// apply takes over what was sent.
func (c WindowChange) apply(p *sett.Problems, s *Settings) {
	sett.SetField(p, "reason", c.Reason, &s.Reason, "")
	s.Reason = strings.TrimSpace(s.Reason)
	if c.StartsAt.Blank() {
		s.StartsAt = time.Time{} // by default now; see notBefore
	}
	setTime(p, "starts_at", c.StartsAt, &s.StartsAt)
	if c.EndsAt.Sent && c.EndsAt.Bad == "" {
		s.UntilEnded = c.EndsAt.Blank()
	}
	if s.UntilEnded {
		s.EndsAt = s.StartsAt.Add(LongestOpen)
	}
	setTime(p, "ends_at", c.EndsAt, &s.EndsAt)
	c.SiteIDs.Value = sett.CanonicalUUIDs(c.SiteIDs.Value)
	setIDs(p, "site_ids", c.SiteIDs, &s.SiteIDs)
	setIDs(p, "check_in_ids", c.CheckInIDs, &s.CheckInIDs)
	sett.SetField(p, "errors", c.Errors, &s.Errors, false)
}

func (s Settings) check(p *sett.Problems, now time.Time) {
	sett.CheckText(p, "reason", s.Reason, longestReason)
	switch {
	case s.StartsAt.After(now.Add(Ahead)):
		p.Add("starts_at", "must be at most a year ahead")
	case !s.EndsAt.After(s.StartsAt):
		p.Add("ends_at", "must be after starts_at")
	case !s.EndsAt.After(now):
		p.Add("ends_at", "must be in the future")
	case s.EndsAt.After(s.StartsAt.Add(Longest)):
		p.Add("ends_at", "must be at most 30 days after starts_at")
	}
}

// setTime takes over a time that was sent. Null and blank are for the caller.
func setTime(p *sett.Problems, field string, sent sett.Optional[string], into *time.Time) {
	if !sett.Check(p, field, sent) || sent.Blank() {
		return
	}
	at, ok := moment.Read(sent.Value)
	if !ok || !at.Equal(sett.Written(at)) {
		p.Add(field, "must be a time such as 2026-12-01T22:00:00Z")
		return
	}
	*into = at.UTC().Truncate(time.Microsecond)
}

func setIDs(p *sett.Problems, field string, sent sett.Optional[[]string], into *[]string) {
	sett.SetField(p, field, sent, into, nil)
	if len(*into) > mostIDs {
		p.Add(field, "are too many (maximum is %d)", mostIDs)
		return
	}
	*into = slices.Compact(slices.Sorted(slices.Values(*into)))
}
