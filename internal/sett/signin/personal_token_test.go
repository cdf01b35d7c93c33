package signin_test

import (
	"testing"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/signin"
)

func TestParseExpiry(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 18, 23, 30, 0, 0, time.FixedZone("", -3600)) // the 19th in UTC
	const what = "--expires must be a number of days such as 90d, a date such as 2027-11-19, or never"
	const late = "--expires must be a day after today, 2026-11-19 (UTC)"
	for text, want := range map[string]struct {
		at      time.Time
		mistake string
	}{
		"never":      {},
		"1d":         {at: now.AddDate(0, 0, 1)},
		"36525d":     {at: now.AddDate(0, 0, 36525)},
		"2026-11-20": {at: time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)},
		"2026-11-19": {mistake: late},
		"1999-01-01": {mistake: late},
		"2027-02-29": {mistake: what},
		"36526d":     {mistake: what},
		"0d":         {mistake: what},
		"-1d":        {mistake: what},
		"90":         {mistake: what},
		"d":          {mistake: what},
		"":           {mistake: what},
	} {
		var p sett.Problems
		at := signin.ParseExpiry(&p, "--expires", now, text)
		switch err := p.Err(); {
		case want.mistake == "" && (err != nil || !at.Equal(want.at)):
			t.Errorf("%q: %v, %v; want %v", text, at, err, want.at)
		case want.mistake != "" && (err == nil || err.Error() != want.mistake):
			t.Errorf("%q: %v; want %s", text, err, want.mistake)
		}
	}
}
