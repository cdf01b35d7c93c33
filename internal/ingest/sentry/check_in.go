package sentry

import (
	"math"
	"strconv"
	"strings"

	"sett/internal/ingest/scan"
	"sett/internal/sett"
)

// CheckIn is a report about a job: it began, or ended.
type CheckIn struct {
	Slug     string
	Status   string              // in_progress, ok or error; others mean that the job failed
	Duration *int64              // ms; nil if it was not sent
	Settings *sett.CheckInChange // nil if the report does not say when the job runs
}

// Ping returns what the report says about a job that ended, and false for one that has only begun.
func (c CheckIn) Ping() (*sett.PingPayload, bool) {
	switch c.Status {
	case "in_progress":
		return nil, false
	case "ok":
		return &sett.PingPayload{Status: "success", Duration: c.Duration}, true
	default:
		return &sett.PingPayload{Status: "error", Duration: c.Duration}, true
	}
}

// monitor is the configuration of a job.
type monitor struct {
	sent              bool
	kind, value, unit string
	margin, timezone  string
}

// ReadCheckIn reads an item of type check_in. The error is Malformed if it is not JSON, Invalid without a slug.
func ReadCheckIn(payload []byte) (c CheckIn, err error) {
	s := scan.New(textOf(payload))
	var m monitor
	for key := range s.Members {
		switch key {
		case "monitor_slug":
			c.Slug = slugOf(scalar(&s))
		case "status":
			c.Status = scalar(&s)
		case "duration":
			c.Duration = milliseconds(scalar(&s))
		case "monitor_config":
			m = readMonitor(&s)
		default:
			s.Value()
		}
	}
	if err := s.End(); err != nil {
		return c, err
	}
	if c.Slug == "" {
		return c, sett.Errorf(sett.Invalid, "The check-in has no monitor_slug. Send one of letters, digits, - and _.")
	}
	c.Settings = m.settings(c.Slug)
	return c, nil
}

func readMonitor(s *scan.Scanner) (m monitor) {
	for key := range s.Members {
		switch key {
		case "schedule":
			m.sent = true
			for key := range s.Members {
				switch key {
				case "type":
					m.kind = scalar(s)
				case "value":
					m.value = scalar(s)
				case "unit":
					m.unit = scalar(s)
				default:
					s.Value()
				}
			}
		case "checkin_margin":
			m.margin = scalar(s)
		case "timezone":
			m.timezone = scalar(s)
		default:
			s.Value()
		}
	}
	return m
}

// settings returns the settings of the check-in, or nil if there is no schedule.
func (m monitor) settings(slug string) *sett.CheckInChange {
	if !m.sent {
		return nil
	}
	margin, ok := wholeNumber(m.margin)
	if !ok || margin < 1 {
		margin = 1
	}
	c := &sett.CheckInChange{Slug: sett.Some(slug), GracePeriod: sett.Some(periodOf(strconv.Itoa(margin), "minute"))}
	if m.kind == "interval" {
		c.ScheduleType, c.ReportPeriod = sett.Some(string(sett.SimpleSchedule)), sett.Some(m.period())
		return c
	}
	c.ScheduleType, c.CronSchedule, c.CronTimezone = sett.Some(string(sett.CronSchedule)), sett.Some(m.value), sett.Some(m.timezone)
	return c
}

// period returns an interval as sett writes it.
func (m monitor) period() sett.PeriodText {
	if years, ok := wholeNumber(m.value); ok && m.unit == "year" {
		return periodOf(strconv.Itoa(12*min(years, 1_000)), "month")
	}
	return periodOf(m.value, m.unit)
}

func periodOf(count, unit string) sett.PeriodText {
	if count != "1" {
		unit += "s"
	}
	return sett.PeriodText(count + " " + unit)
}

// milliseconds returns a number of seconds in milliseconds, or nil if it is none.
func milliseconds(text string) *int64 {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || !(f >= 0 && f < 1e9) {
		return nil
	}
	ms := int64(math.Round(f * 1000))
	return &ms
}

// maxSlug is how many bytes a slug may have.
const maxSlug = 255

// slugOf returns a name in lower-case letters, digits, - and _, as those of check-ins are.
func slugOf(name string) string {
	slug := strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' {
			return r
		}
		return '-'
	}, strings.ToLower(strings.TrimSpace(name)))
	return strings.Trim(slug[:min(len(slug), maxSlug)], "-")
}
