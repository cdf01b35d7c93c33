package uptime

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"sett/internal/base/cron"
	"sett/internal/sett"
	"sett/internal/sett/checks"
	"sett/internal/web"
)

// share formats a percentage with two decimals, rounded down: it is 100% only without any downtime.
func share(percent float64, ok bool) string {
	switch {
	case !ok:
		return "–"
	case percent >= 100:
		return "100%"
	}
	return strconv.FormatFloat(math.Floor(percent*100)/100, 'f', 2, 64) + "%"
}

// spell formats a duration in its two largest units: "6 d 4 h", "14 min 2 s".
func spell(d time.Duration) string {
	units := []struct {
		of   time.Duration
		name string
	}{{24 * time.Hour, "d"}, {time.Hour, "h"}, {time.Minute, "min"}, {time.Second, "s"}}
	for i, u := range units {
		if d < u.of {
			continue
		}
		text := fmt.Sprintf("%d %s", d/u.of, u.name)
		if i+1 < len(units) {
			if rest := d % u.of / units[i+1].of; rest > 0 {
				text += fmt.Sprintf(" %d %s", rest, units[i+1].name)
			}
		}
		return text
	}
	return fmt.Sprintf("%d ms", max(d, 0).Milliseconds())
}

// millis formats the duration of a check; "–" for none.
func millis(d time.Duration) string {
	if d <= 0 {
		return "–"
	}
	return strconv.FormatInt(max(d.Milliseconds(), 1), 10) + " ms"
}

// schedule describes in words when a check-in expects pings.
func schedule(s checks.CheckInSettings) string {
	text := "every " + strings.TrimPrefix(period(s.ReportPeriod), "1 ")
	if s.ScheduleType == checks.CronSchedule {
		zone := s.CronTimezone
		if zone == "" {
			zone = "UTC"
		}
		text = "cron " + s.CronSchedule + " " + zone
		if cron, err := cron.Parse(s.CronSchedule); err == nil && cron.Words() != "" {
			text = cron.Words() + ", " + zone
		}
	}
	if grace := period(s.GracePeriod); grace != "" {
		text += ", grace " + grace
	}
	return text
}

// period formats a period in the largest unit that divides it; "" for none.
func period(text string) string {
	p, err := cron.ParsePeriod(text)
	switch {
	case err != nil || p.IsZero():
		return ""
	case p.Months > 0:
		return several(p.Months, "month")
	case p.Length%(24*time.Hour) == 0:
		return several(int(p.Length/(24*time.Hour)), "day")
	case p.Length%time.Hour == 0:
		return several(int(p.Length/time.Hour), "hour")
	}
	return several(int(p.Length/time.Minute), "minute")
}

func several(n int, unit string) string {
	if n == 1 {
		return "1 " + unit
	}
	return fmt.Sprintf("%d %ss", n, unit)
}

// next describes when the next ping of a check-in is expected, or how many were missed.
func next(c checks.CheckIn, now time.Time) string {
	switch {
	case c.State == sett.CheckInPaused && !c.DeadlineAt.IsZero():
		return "pause ends " + web.Ago(now, c.DeadlineAt)
	case c.State == sett.CheckInMissing:
		return strconv.FormatInt(c.MissedCount, 10) + " missed"
	case c.Late(now) && c.DeadlineAt.After(now):
		return "in grace, " + spell(c.DeadlineAt.Sub(now).Truncate(time.Minute)+time.Minute) + " left"
	case c.Late(now):
		return "due " + web.Ago(now, c.ExpectedAt)
	case !c.ExpectedAt.IsZero():
		return web.Ago(now, c.ExpectedAt)
	}
	return "–"
}

// called returns the name of a check-in for pages.
func called(c checks.CheckIn) string {
	switch {
	case c.Name != "":
		return c.Name
	case c.Slug != "":
		return c.Slug
	}
	return "Check-in " + c.ID[:min(6, len(c.ID))] + "…"
}

// certificate describes how long the certificate of a site is valid, with the mood of that.
func certificate(s checks.Site, now time.Time) (text string, mood web.Mood) {
	if s.CertWillExpireAt.IsZero() {
		return "–", ""
	}
	left := s.CertWillExpireAt.Sub(now)
	days := int(left / (24 * time.Hour))
	switch {
	case left <= 0:
		return "expired", web.Critical
	case days < 8:
		mood = web.Critical
	case days < 22:
		mood = web.Warning
	}
	if days == 1 {
		return "1 day", mood
	}
	return strconv.Itoa(days) + " days", mood
}
