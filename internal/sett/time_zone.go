package sett

import (
	"time"

	"sett/internal/base/cron"
)

// CheckTimeZone adds a problem if a field names no time zone; "" is one.
func CheckTimeZone(p *Problems, field, name string) {
	if _, err := cron.TimeZone(name); err != nil {
		p.Add(field, "%s", err)
	}
}

// TimeZoneOf returns the first time zone that is named and exists, else UTC.
func TimeZoneOf(names ...string) *time.Location {
	for _, name := range names {
		if zone, ok := cron.FindTimeZone(name); name != "" && ok {
			return zone
		}
	}
	return time.UTC
}
