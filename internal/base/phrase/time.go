package phrase

import (
	"strings"
	"time"
)

// Time formats a time with the zone that it is in: "25 Nov 2026, 19:00 CET".
func Time(t time.Time, layout string) string { return t.Format(layout) + " " + Zone(t) }

// Zone returns the short name of the zone that a time is in: "UTC", "CET", or "UTC+5:45" for a zone without a short name.
func Zone(t time.Time) string {
	name, _ := t.Zone()
	if !strings.HasPrefix(name, "+") && !strings.HasPrefix(name, "-") {
		return name
	}
	text := "UTC" + name[:1] + strings.TrimPrefix(name[1:3], "0")
	if len(name) > 3 {
		text += ":" + name[3:]
	}
	return text
}
