package sentry

import (
	"bytes"
	"cmp"
	"math"
	"net/url"
	"strconv"
	"strings"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/checks"
	"sett/internal/sett/run"
	"sett/internal/sett/scan"
)

// mostCheckIn is how many bytes a report about a job may have, as with Sentry.
const mostCheckIn = 100 << 10

// CheckIn is a report about a job: it began, or ended.
type CheckIn struct {
	ID          string // of the run; "" if it was not sent
	Slug        string
	Status      string // in_progress, ok or error; others mean that the job failed
	Environment string // "" if it was not sent, as Release
	Release     string
	Duration    *int64                // ms; nil if it was not sent
	Longest     time.Duration         // how long a run may take; 0 if it was not sent
	Settings    *checks.CheckInChange // nil if the report does not say when the job runs
}

// inProgress is the status of a job that began.
const inProgress = "in_progress"

// Ping returns what the report says about a run, without its time and source.
func (c CheckIn) Ping() checks.Ping {
	p := checks.Ping{Run: run.Report{ID: c.ID, Started: c.Status == inProgress, Longest: c.Longest}}
	if p.Run.Started {
		return p
	}
	p.Payload = &checks.PingPayload{Status: "error", Duration: c.Duration, Environment: c.Environment, Release: c.Release}
	if c.Status == "ok" {
		p.Payload.Status = "success"
	}
	return p
}

// monitor is the configuration of a job.
type monitor struct {
	sent              bool
	kind, value, unit string
	margin, timezone  string
	longest           string
}

// readCheckInItem reads an item of type check_in. The error is also Invalid for one without a slug.
func readCheckInItem(_ *Reader, i Item, _ Request) (Content, error) {
	c, err := readCheckIn(i.Payload)
	if err == nil && c.Slug == "" {
		err = sett.Errorf(sett.Invalid, "The check-in has no monitor_slug. Send one of letters, digits, - and _.")
	}
	return Content{CheckIn: &c}, err
}

// ReadPlainCheckIn reads a report without an envelope: the slug is in its address, the rest in the query, or in a body of JSON.
func ReadPlainCheckIn(slug string, query url.Values, body []byte) (c CheckIn, err error) {
	if len(bytes.TrimSpace(body)) > 0 {
		if c, err = readCheckIn(body); err != nil {
			return c, err
		}
	}
	c.Status, c.Environment = cmp.Or(query.Get("status"), c.Status), cmp.Or(query.Get("environment"), c.Environment)
	c.ID = cmp.Or(runID(query.Get("check_in_id")), c.ID)
	c.Duration = cmp.Or(milliseconds(query.Get("duration")), c.Duration)
	switch c.Status {
	case inProgress, "ok", "error":
	default:
		return c, sett.Errorf(sett.Invalid, "The check-in has no status. Send status=in_progress when the job begins, and status=ok or status=error when it ends.")
	}
	if c.Slug = slugOf(slug); c.Slug == "" {
		return c, sett.Errorf(sett.Invalid, "The URL has no slug of a check-in. Use one of letters, digits, - and _.")
	}
	if c.Settings != nil {
		c.Settings.Slug = sett.Some(c.Slug)
	}
	return c, nil
}

func readCheckIn(payload []byte) (c CheckIn, err error) {
	if len(payload) > mostCheckIn {
		return c, sett.Errorf(sett.TooLarge, "The check-in has more than %d bytes. Send less data.", mostCheckIn)
	}
	s := scan.New(textOf(payload))
	var m monitor
	for key := range s.Members {
		switch key {
		case "check_in_id":
			c.ID = runID(scalar(&s))
		case "monitor_slug":
			c.Slug = slugOf(scalar(&s))
		case "status":
			c.Status = scalar(&s)
		case "environment":
			c.Environment = scalar(&s)
		case "release":
			c.Release = scalar(&s)
		case "duration":
			c.Duration = milliseconds(scalar(&s))
		case "monitor_config":
			m = readMonitor(&s)
		default:
			s.Value()
		}
	}
	c.Settings, c.Longest = m.settings(c.Slug), m.limit()
	return c, s.End()
}

// runID returns the id of a run; "" for the id of zeros, which means the newest run. It is a copy: a report may be kept for longer than its
// body.
func runID(text string) string {
	id := strings.ToLower(strings.ReplaceAll(strings.TrimSpace(text), "-", ""))
	if strings.Trim(id, "0") == "" {
		return ""
	}
	return strings.Clone(id)
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
		case "max_runtime":
			m.longest = scalar(s)
		case "timezone":
			m.timezone = scalar(s)
		default:
			s.Value()
		}
	}
	return m
}

// settings returns the settings of the check-in, or nil if there is no schedule.
func (m monitor) settings(slug string) *checks.CheckInChange {
	if !m.sent {
		return nil
	}
	margin, ok := wholeNumber(m.margin)
	if !ok || margin < 1 {
		margin = 1
	}
	c := &checks.CheckInChange{Slug: sett.Some(slug), GracePeriod: sett.Some(periodOf(strconv.Itoa(margin), "minute"))}
	if m.kind == "interval" {
		c.ScheduleType, c.ReportPeriod = sett.Some(string(checks.SimpleSchedule)), sett.Some(m.period())
		return c
	}
	c.ScheduleType, c.CronSchedule, c.CronTimezone = sett.Some(string(checks.CronSchedule)), sett.Some(m.value), sett.Some(m.timezone)
	return c
}

// limit returns how long a run may take, 0 if that is not known.
func (m monitor) limit() time.Duration {
	minutes, _ := wholeNumber(m.longest)
	return time.Duration(min(max(minutes, 0), 1_000_000)) * time.Minute
}

// period returns an interval as sett writes it.
func (m monitor) period() checks.PeriodText {
	if years, ok := wholeNumber(m.value); ok && m.unit == "year" {
		return periodOf(strconv.Itoa(12*min(years, 1_000)), "month")
	}
	return periodOf(m.value, m.unit)
}

func periodOf(count, unit string) checks.PeriodText {
	if count != "1" {
		unit += "s"
	}
	return checks.PeriodText(count + " " + unit)
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
