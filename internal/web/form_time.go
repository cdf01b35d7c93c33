package web

import (
	"net/url"
	"time"

	"sett/internal/sett"
)

// localTime is the format of times in forms. Their zone is a field of its own; without it, they are in UTC.
const localTime = "2006-01-02T15:04"

// FormTime returns the value of a field for a time, in a zone; "" for the zero time.
func FormTime(t time.Time, zone *time.Location) string {
	if t.IsZero() {
		return ""
	}
	return t.In(zone).Format(localTime)
}

// ZoneIn returns the time zone of a form. It is part of the form: the user may choose another while the form is open.
func ZoneIn(form url.Values) *time.Location { return sett.TimeZoneOf(form.Get("zone")) }

// TimeIn returns a time of a form, which is in a zone, in the format of the API.
func TimeIn(text string, zone *time.Location) sett.Optional[string] {
	if t, err := time.ParseInLocation(localTime, text, zone); err == nil {
		text = t.Format(time.RFC3339)
	}
	return sett.Some(text)
}
