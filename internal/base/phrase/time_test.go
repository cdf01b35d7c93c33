package phrase

import (
	"testing"
	"time"
)

func TestTime(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 7, 1, 22, 5, 0, 0, time.UTC)
	for zone, want := range map[string]string{
		"UTC": "1 Jul 22:05 UTC", "Europe/Berlin": "2 Jul 00:05 CEST", "America/Sao_Paulo": "1 Jul 19:05 UTC-3",
		"Asia/Kathmandu": "2 Jul 03:50 UTC+5:45", "Asia/Kolkata": "2 Jul 03:35 IST", "America/New_York": "1 Jul 18:05 EDT",
		"Pacific/Kiritimati": "2 Jul 12:05 UTC+14",
	} {
		location, err := time.LoadLocation(zone)
		if err != nil {
			t.Fatal(err)
		}
		if got := Time(at.In(location), "2 Jan 15:04"); got != want {
			t.Errorf("%s: %s, want %s", zone, got, want)
		}
	}
}
