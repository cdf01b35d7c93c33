package stream

import (
	"cmp"
	"strings"

	"sett/internal/sett"
	"sett/internal/sett/alarm"
	"sett/internal/sett/checks"
	"sett/internal/sett/insight"
)

// checks reads each check of a site, from each location.
func (s *Store) checks(r *reading) error {
	return s.Uptime.EachCheck(r.ctx, r.q, r.project, r.from, r.to, func(site checks.Site, c checks.UptimeCheck) error {
		fields := append(siteFields("site.", site), text("location", string(c.Location)), insight.NumberField("duration", float64(c.Duration.Milliseconds())), truth("up", c.Up), text("state", stateOf(c.Up)))
		if c.Status != 0 {
			fields = append(fields, insight.NumberField("response.status_code", float64(c.Status)))
		}
		return r.event(c.At, append(fields, text("reason", c.Reason))...)
	})
}

// outages reads the beginning and the end of each outage.
func (s *Store) outages(r *reading) error {
	return s.Uptime.EachOutage(r.ctx, r.q, r.project, r.from, r.to, func(site checks.Site, o checks.Outage) error {
		if !o.UpAt.IsZero() {
			lasted := insight.NumberField("duration", float64(o.UpAt.Sub(o.DownAt).Milliseconds()))
			if err := r.event(o.UpAt, append(siteFields("", site), text("state", stateOf(true)), lasted)...); err != nil {
				return err
			}
		}
		return r.event(o.CreatedAt, append(siteFields("", site), text("state", stateOf(false)), text("reason", o.Reason))...)
	})
}

func siteFields(prefix string, site checks.Site) []insight.Field {
	return []insight.Field{text(prefix+"id", site.ID.String()), text(prefix+"name", site.Name), text(prefix+"url", site.URL)}
}

func stateOf(up bool) string {
	if up {
		return string(sett.SiteUp)
	}
	return string(sett.SiteDown)
}

// isCheckInKey reports whether events of check-ins may have a key.
func isCheckInKey(key string) bool {
	return oneOf("check_in_id", "name", "slug", "state", "project_id")(key) || strings.HasPrefix(key, "payload.")
}

// checkIns reads reports, misses and pauses. What follows from a report, such as that a check-in recovered, is no event of its own.
func (s *Store) checkIns(r *reading) error {
	return s.Uptime.EachCheckInEvent(r.ctx, r.q, r.project, r.from, r.to, func(c checks.CheckIn, e checks.CheckInEvent) error {
		state, ok := map[checks.CheckInEventKind]sett.CheckInState{
			checks.CheckInReported: sett.CheckInReporting, checks.CheckInMissed: sett.CheckInMissing, checks.CheckInPausing: sett.CheckInPaused,
		}[e.Kind]
		if !ok {
			return nil
		}
		fields := []insight.Field{text("check_in_id", c.ID), text("name", cmp.Or(c.Name, c.Slug)), text("slug", c.Slug), text("state", string(state))}
		return r.event(e.At, append(fields, payloadFields(e.Payload)...)...)
	})
}

// payloadFields returns what a job said of its run.
func payloadFields(p *checks.PingPayload) []insight.Field {
	if p == nil {
		return nil
	}
	fields := []insight.Field{
		text("payload.status", p.Status), text("payload.stdout", p.Stdout), text("payload.stderr", p.Stderr),
		text("payload.environment", p.Environment), text("payload.release", p.Release), text("payload.reason", p.Reason),
	}
	if p.Duration != nil {
		fields = append(fields, insight.NumberField("payload.duration", float64(*p.Duration)))
	}
	if p.ExitCode != nil {
		fields = append(fields, insight.NumberField("payload.exit_code", float64(*p.ExitCode)))
	}
	return fields
}

// alarms reads each change of an alarm's state.
func (s *Store) alarms(r *reading) error {
	return s.Alarms.EachChange(r.ctx, r.q, r.project, r.from, r.to, func(a alarm.Alarm, c alarm.Change) error {
		fields := []insight.Field{text("id", a.ID), text("name", a.Name), text("state", string(c.State)), text("error", c.Error)}
		if c.State != alarm.Failed {
			fields = append(fields, insight.NumberField("count", float64(c.Count)))
		}
		return r.event(c.At, fields...)
	})
}
