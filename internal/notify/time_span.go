package notify

import (
	"fmt"
	"strings"
	"time"

	"sett/internal/base/phrase"
)

// unit is a part of a time span.
type unit struct {
	length      time.Duration
	name, short string
}

func units() []unit {
	return []unit{{24 * time.Hour, "day", "d"}, {time.Hour, "hour", "h"}, {time.Minute, "minute", "m"}, {time.Second, "second", "s"}}
}

// clockSpan formats a duration to the second, such as "1m 23s".
func clockSpan(d time.Duration) string {
	d = max(d, 0).Truncate(time.Second)
	var parts []string
	for _, u := range units() {
		if n := d / u.length; n > 0 {
			parts = append(parts, fmt.Sprintf("%d%s", n, u.short))
			d -= n * u.length
		}
	}
	if len(parts) == 0 {
		return "0s"
	}
	return strings.Join(parts, " ")
}

// roughSpan formats a duration in its largest unit, such as "2 minutes".
func roughSpan(d time.Duration) string {
	for _, u := range units() {
		if n := int64(d / u.length); n > 0 {
			return plural(n, u.name)
		}
	}
	return "0 seconds"
}

func plural(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// when formats a time in a zone; "" for none.
func when(t time.Time, zone *time.Location) string {
	if t.IsZero() {
		return ""
	}
	return phrase.Time(t.In(zone), "2 January 2006, 15:04:05")
}
