package checks

import (
	"strings"
	"time"

	"sett/internal/sett"
)

// UptimeCheck is one look at a site from one location.
type UptimeCheck struct {
	At       time.Time // when it began
	Location Location
	Up       bool
	Duration time.Duration
	Status   int    // of HTTP; 0 when there was no response
	Reason   string // why it was not up
}

// CheckReport is what a location found when it looked at a site.
type CheckReport struct {
	SiteID     sett.UUID
	Location   Location
	Revision   int64 // of the site as the location knew it
	Result     ProbeResult
	Backfilled bool // kept while the server could not be reached: corrects history, and never changes what is known now
}

// OldestCheck is how long ago a check may have been that is reported only now; agents keep theirs for a day.
const OldestCheck = 7 * 24 * time.Hour

// What of a result is kept at most, in bytes, and headers.
const (
	maxCheckReason   = 1000
	maxCheckEvidence = 4 << 10
	maxCheckHeaders  = 64
	maxHeaderBytes   = 8 << 10
)

// Cleaned returns the report as it can be stored, whatever an agent has sent: a clock that is ahead is not believed, and
// what is longer than a check makes it is cut.
func (r CheckReport) Cleaned(now time.Time) CheckReport {
	p := &r.Result
	p.Before = min(max(p.Before, 0), MaxProbeTimeout+time.Minute)
	p.Duration = min(max(p.Duration, 0), MaxProbeTimeout+time.Minute)
	p.At = p.At.Truncate(time.Microsecond)
	if p.At.After(now) {
		p.At = now
	}
	if p.Status < 0 || p.Status > 999 {
		p.Status = 0
	}
	p.Reason = cleanText(p.Reason, maxCheckReason)
	p.Phase = ProbePhase(cleanText(string(p.Phase), 20))
	p.Headers = cleanHeaders(ShownHeaders(p.Headers))
	p.Body = p.Body[:min(len(p.Body), maxCheckEvidence)]
	if p.Body != nil {
		p.Body = ShownPage(p.Body)
		p.Body = p.Body[:min(len(p.Body), maxCheckEvidence)]
	}
	if c := p.Certificate; c != nil {
		clean := *c
		clean.Fingerprint, clean.Authority = cleanText(c.Fingerprint, 100), cleanText(c.Authority, 200)
		clean.NotAfter = earlier(c.NotAfter.UTC(), time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)) // what JSON can carry
		p.Certificate = &clean
	}
	return r
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

func cleanHeaders(headers map[string]string) map[string]string {
	var clean map[string]string
	bytes := 0
	for name, value := range headers {
		if bytes += len(name) + len(value); bytes > maxHeaderBytes || len(clean) == maxCheckHeaders {
			return clean
		}
		if clean == nil {
			clean = map[string]string{}
		}
		clean[cleanText(name, maxHeaderBytes)] = cleanText(value, maxHeaderBytes)
	}
	return clean
}

// cleanText returns a text that every engine can store, of so many bytes at most.
func cleanText(text string, most int) string {
	text = strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", ""), "\uFFFD")
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "")
	}
	return text
}

// Check returns the report as a row of the site's history.
func (r CheckReport) Check() UptimeCheck {
	return UptimeCheck{
		At: r.Result.At, Location: r.Location, Up: r.Result.Up, Duration: r.Result.Duration, Status: r.Result.Status, Reason: r.Result.Reason,
	}
}

// end returns when the check was over.
func (r CheckReport) end() time.Time { return r.Result.At.Add(r.Result.Before + r.Result.Duration) }
