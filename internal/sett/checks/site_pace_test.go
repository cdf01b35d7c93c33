package checks

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"sett/internal/sett"
)

// paced is an up site whose responses are slow after 800 ms, two of them in a row.
func paced(live ...Location) (*SiteRecord, []LiveLocation) {
	r, living := record(live...)
	r.SlowAfter, r.SlowChecks = 800*time.Millisecond, 2
	r.Verdicts = map[Location]Verdict{}
	for _, l := range live {
		r.Verdicts[l] = Verdict{Location: l, Up: true, At: noonOfSites}
	}
	return r, living
}

// noteTurns has the locations check once a minute, each as a word of turns says: s for slow, f for fast, x for a failure, - for no check, and
// 8 for a response that takes as long as the limit. It returns what followed: minute and event, and a "!" for one that receivers know.
func noteTurns(r *SiteRecord, live []LiveLocation, locations []Location, turns ...string) string {
	var got []string
	for i, turn := range turns {
		for j, word := range turn {
			report := seen(locations[j], noonOfSites.Add(time.Duration(i+1)*time.Minute), word != 'x')
			report.Result.Duration = map[rune]time.Duration{'s': 1840 * time.Millisecond, 'f': 90 * time.Millisecond, 'x': 1840 * time.Millisecond, '8': 800 * time.Millisecond}[word]
			if word == '-' {
				continue
			}
			_, events := r.Note(report, live, report.Result.At.Add(2*time.Second))
			for _, e := range events {
				if e.Kind == SiteAsked {
					continue
				}
				text := fmt.Sprintf("%d %s %.0f", i+1, e.Kind, e.At.Sub(noonOfSites).Minutes())
				if e.Known {
					text += "!"
				}
				got = append(got, strings.TrimSpace(text+" "+string(e.Ending)))
			}
		}
	}
	return strings.Join(got, ", ")
}

func TestWhenASiteIsSlow(t *testing.T) {
	t.Parallel()
	one, two, three := []Location{Virginia}, []Location{Virginia, Oregon}, []Location{Virginia, Oregon, London}
	for name, c := range map[string]struct {
		locations []Location
		turns     string
		want      string // the minute, the event, and the minute that it names
	}{
		"one slow check":                          {one, "s f s f s", ""},
		"two in a row":                            {one, "f s s s", "3 slow 2"},
		"as long as the limit":                    {one, "8 8 8", ""},
		"fast again after as many":                {one, "s s f f f", "2 slow 1, 4 fast 4"},
		"one fast check between":                  {one, "s s f s f s", "2 slow 1"},
		"a failure is not slow":                   {three, "ssf xsf ssf ssf", "4 slow 3"},
		"nor is it fast":                          {three, "sss sss ffs xfs ffs ffs", "2 slow 1, 6 fast 6"},
		"half of two":                             {two, "sf sf", "2 slow 1"},
		"both are needed to be fast":              {two, "sf sf sf ff ff", "2 slow 1, 5 fast 5"},
		"one of three":                            {three, "sff sff sff", ""},
		"two of three, the second later":          {three, "sff ssf ssf", "3 slow 2"},
		"a location that fails once":              {three, "sff sfx sff", ""},
		"one of three stays slow":                 {three, "ssf ssf sff sff", "2 slow 1, 4 fast 4"},
		"an outage ends it":                       {one, "s s x", "2 slow 1, 3 slow_ended 3 down, 3 down 3"},
		"still slow after an outage":              {one, "s s x s s", "2 slow 1, 3 slow_ended 3 down, 3 down 3, 4 up 4, 5 slow 4!"},
		"fast after an outage":                    {one, "s s x f f f f", "2 slow 1, 3 slow_ended 3 down, 3 down 3, 4 up 4, 5 fast 5"},
		"slow once more after that":               {one, "s s x f f s s", "2 slow 1, 3 slow_ended 3 down, 3 down 3, 4 up 4, 5 fast 5, 7 slow 6"},
		"checks before an outage count no longer": {one, "s x s s", "2 down 2, 3 up 3, 4 slow 3"},
		"a time without checks":                   {one, "s s - - - - s s", "2 slow 1, 7 slow_ended 4 unchecked, 8 slow 7!"},
		"not in a row":                            {one, "s - - - - s s", "7 slow 6"},
	} {
		r, live := paced(c.locations...)
		if got := noteTurns(r, live, c.locations, strings.Fields(c.turns)...); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
	r, live := paced(one...)
	r.SlowAfter = 0
	if got := noteTurns(r, live, one, "s", "s", "s"); got != "" {
		t.Errorf("without a limit: %s", got)
	}
	r, _ = paced(one...)
	if got := noteTurns(r, nil, one, "s", "s", "s"); got != "" {
		t.Errorf("of a location that is not live: %s", got)
	}
}

func TestWhatEndsASlowTime(t *testing.T) {
	t.Parallel()
	have := NewSiteSettings()
	have.SlowAfter = 800 * time.Millisecond
	for name, c := range map[string]struct {
		change func(*SiteSettings)
		want   SlowEnding
	}{
		"a pause":              {func(s *SiteSettings) { s.Active = false }, SlowEndedPaused},
		"no limit any more":    {func(s *SiteSettings) { s.SlowAfter = 0 }, SlowEndedOff},
		"both":                 {func(s *SiteSettings) { s.SlowAfter, s.Active = 0, false }, SlowEndedOff},
		"another limit":        {func(s *SiteSettings) { s.SlowAfter *= 2 }, SlowLasts},
		"another address":      {func(s *SiteSettings) { s.URL = "https://b.test" }, SlowLasts},
		"the number of checks": {func(s *SiteSettings) { s.SlowChecks = 9 }, SlowLasts},
	} {
		want := have
		c.change(&want)
		if got := have.EndsSlow(want); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	s := Site{SiteSettings: have, State: sett.SiteUp, SlowSince: noonOfSites}
	down, paused, fast := s, s, s
	down.State, paused.Active, fast.SlowSince = sett.SiteDown, false, time.Time{}
	if !s.Slow() || down.Slow() || paused.Slow() || fast.Slow() {
		t.Error("only an active site that is up is slow")
	}
}

func TestLimitsOfSlowResponses(t *testing.T) {
	t.Parallel()
	ms := func(n int64) sett.Optional[int64] { return sett.Some(n) }
	none := sett.Optional[int64]{Sent: true, Null: true}
	for name, c := range map[string]struct {
		change SiteChange
		want   string
	}{
		"usual":                  {SiteChange{SlowAfter: ms(800), SlowChecks: ms(2)}, ""},
		"none":                   {SiteChange{SlowAfter: none, SlowChecks: none}, ""},
		"shortest":               {SiteChange{SlowAfter: ms(1), SlowChecks: ms(1)}, ""},
		"longest":                {SiteChange{SlowAfter: ms(29_999), SlowChecks: ms(20)}, ""},
		"a check would fail":     {SiteChange{SlowAfter: ms(30_000)}, "slow_after must be from 1 to 29999, which is less than the timeout; leave it empty for no alert."},
		"zero":                   {SiteChange{SlowAfter: ms(0)}, "slow_after must be from 1 to 29999, which is less than the timeout; leave it empty for no alert."},
		"far too long":           {SiteChange{SlowAfter: ms(1 << 62)}, "slow_after must be from 1 to 29999, which is less than the timeout; leave it empty for no alert."},
		"no checks":              {SiteChange{SlowChecks: ms(0)}, "slow_checks must be from 1 to 20."},
		"too many":               {SiteChange{SlowChecks: ms(21)}, "slow_checks must be from 1 to 20."},
		"a longer timeout":       {SiteChange{SlowAfter: ms(59_999), Timeout: ms(60)}, ""},
		"only a shorter timeout": {SiteChange{Timeout: ms(1)}, ""},
	} {
		s := NewSiteSettings()
		s.URL, s.SlowAfter = "https://a.test", 5*time.Second
		got, err := c.change.Apply(s)
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case c.want != "" && (err == nil || !strings.HasSuffix(err.Error(), c.want)):
			t.Errorf("%s: %v, want %s", name, err, c.want)
		case c.change.SlowAfter.Null && (got.SlowAfter != 0 || got.SlowChecks != 3):
			t.Errorf("%s: %v, %d", name, got.SlowAfter, got.SlowChecks)
		}
	}
}
