package sett

import (
	"encoding/json"
	"slices"

	"sett/internal/cron"
	"sett/internal/phrase"
)

// QuietHoursChange is quiet hours as people write them. They are sent as a whole: what is left out of them has its default.
type QuietHoursChange struct {
	From     Optional[string]      `json:"from,omitzero" doc:"When they start: a time of day from 00:00 to 23:59." required:"true" range:"5,5" example:"22:00"`
	To       Optional[string]      `json:"to,omitzero" doc:"When they end: a time of day up to 24:00. A time before from is on the next day." required:"true" range:"5,5" example:"07:00"`
	TimeZone Optional[string]      `json:"time_zone,omitzero" doc:"The time zone: an IANA name, or one of Rails; UTC by default." range:"0,255" example:"Europe/Berlin"`
	Days     Optional[[]string]    `json:"days,omitzero" doc:"The days on which they start; every day if empty, which is the default." enum:"mon,tue,wed,thu,fri,sat,sun"`
	Urgent   Optional[LenientBool] `json:"urgent_at_once,omitzero" doc:"Urgent events are sent at once despite quiet hours: down, up, check_in_missing, check_in_reporting, rate_exceeded and volume_spike. True by default."`

	unknown []string // keys that there are not
}

func quietHoursNames() []string { return []string{"from", "to", "time_zone", "days", "urgent_at_once"} }

// UnmarshalJSON notes keys that there are not: whoever misspells one would be told at night.
func (c *QuietHoursChange) UnmarshalJSON(data []byte) error {
	type fields QuietHoursChange // without this method
	if err := json.Unmarshal(data, (*fields)(c)); err != nil {
		return err
	}
	c.unknown = unknownKeys(data, quietHoursNames())
	return nil
}

// setQuietHours takes over the quiet hours of an integration.
func (c IntegrationChange) setQuietHours(p *Problems, kind IntegrationKind, s *IntegrationSettings) {
	const field = "quiet_hours"
	switch {
	case c.QuietHours.Null:
		s.QuietHours = nil
	case !Check(p, field, c.QuietHours):
	case kind.Tracker:
		p.Add(field, "can't be set for an issue tracker: issues wake no one")
	default:
		s.QuietHours = c.QuietHours.Value.apply(p, field)
	}
}

// apply returns the quiet hours, and notes what is wrong with them.
func (c QuietHoursChange) apply(p *Problems, field string) *QuietHours {
	for _, name := range c.unknown {
		p.Add(field, "must be some of %s", noneOf(quietHoursNames(), name))
	}
	q, urgent := &QuietHours{}, LenientBool(true)
	from := c.setTime(p, field+".from", c.From, &q.From)
	to := c.setTime(p, field+".to", c.To, &q.To)
	if from && q.From == "24:00" {
		p.Add(field+".from", "must be before 24:00: the next day starts at 00:00")
	}
	if from && to && q.From == q.To {
		p.Add(field+".to", "must not be the same as from: for whole days, use 00:00 to 24:00 and list the days")
	}
	set(p, field+".time_zone", c.TimeZone, &q.TimeZone, "")
	if _, err := cron.TimeZone(q.TimeZone); err != nil {
		p.Add(field+".time_zone", "%s", err)
	}
	q.Days = c.days(p, field+".days")
	if q.From == "00:00" && q.To == "24:00" && (len(q.Days) == 0 || len(q.Days) == len(QuietDays())) {
		p.Add(field+".days", "must leave out a day if they last from 00:00 to 24:00: no notification would ever be sent")
	}
	set(p, field+".urgent_at_once", c.Urgent, &urgent, true)
	q.Urgent = bool(urgent)
	return q
}

// setTime takes over a time of day and reports whether it is one.
func (c QuietHoursChange) setTime(p *Problems, field string, sent Optional[string], dst *string) bool {
	set(p, field, sent, dst, "")
	switch {
	case sent.Bad != "":
		return false
	case *dst == "":
		p.Add(field, "can't be blank: give a time of day such as 22:00")
	case clockMinute(*dst) < 0:
		p.Add(field, "must be a time of day such as 22:00 or 07:30; %s is none", phrase.Quote(*dst))
	}
	return clockMinute(*dst) >= 0
}

// days returns the days that were sent, each once, in their order in the week.
func (c QuietHoursChange) days(p *Problems, field string) (days []string) {
	if !Check(p, field, c.Days) || len(c.Days.Value) == 0 {
		return nil
	}
	for _, name := range c.Days.Value {
		if !slices.Contains(QuietDays(), name) {
			p.Add(field, "must be some of %s", noneOf(QuietDays(), name))
			return nil
		}
	}
	return slices.DeleteFunc(QuietDays(), func(day string) bool { return !slices.Contains(c.Days.Value, day) })
}
