package settings

import (
	"testing"
	"time"

	"sett/internal/sett/alerts"
)

func TestTheNextQuietHoursInWords(t *testing.T) {
	t.Parallel()
	at := func(text string) time.Time {
		day, err := time.Parse(time.RFC3339, text)
		if err != nil {
			t.Fatal(err)
		}
		return day
	}
	berlin := &alerts.QuietHours{From: "22:00", To: "07:00", TimeZone: "Europe/Berlin"}
	weekend := &alerts.QuietHours{From: "00:00", To: "24:00", Days: []string{"sat", "sun"}}
	for _, c := range []struct {
		hours           *alerts.QuietHours
		at, next, state string
	}{
		{nil, "2026-11-18T10:30:00Z", "", ""},
		{&alerts.QuietHours{From: "x", To: "07:00"}, "2026-11-18T10:30:00Z", "", ""},
		{berlin, "2026-11-18T10:30:00Z", "The next quiet hours are from 22:00 until tomorrow 07:00 (Europe/Berlin).", ""},
		{berlin, "2026-11-18T21:30:00Z", "Quiet hours are active until tomorrow 07:00 (Europe/Berlin).", "quiet until tomorrow 07:00"},
		{berlin, "2026-11-18T23:30:00Z", "Quiet hours are active until 07:00 (Europe/Berlin).", "quiet until 07:00"}, // it is the next day there
		{weekend, "2026-11-18T10:30:00Z", "The next quiet hours are from Saturday 00:00 until Monday 00:00 (UTC).", ""},
		{weekend, "2026-11-16T00:00:00Z", "The next quiet hours are from Saturday 00:00 until Mon 23 Nov, 00:00 (UTC).", ""},
		{weekend, "2026-11-21T00:00:00Z", "Quiet hours are active until Monday 00:00 (UTC).", "quiet until Monday 00:00"},
	} {
		if got := nextQuiet(c.hours, at(c.at)); got != c.next {
			t.Errorf("at %s: %q, want %q", c.at, got, c.next)
		}
		if got := quietState(c.hours, at(c.at)); got.Word != c.state {
			t.Errorf("at %s: %+v, want %q", c.at, got, c.state)
		}
	}
}
