package checks

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
)

// thatNow is a Wednesday at noon; the ninety days begin on 21 August.
var thatNow = time.Date(2026, 11, 18, 12, 0, 0, 0, time.UTC)

// stamp reads a time of that year, such as "11-17 23:50".
func stamp(text string) time.Time {
	t, err := time.Parse("2006-01-02 15:04", "2026-"+text)
	if err != nil {
		panic(err)
	}
	return t
}

// checked are days, by their texts.
func checked(days ...string) (midnights []time.Time) {
	for _, d := range days {
		midnights = append(midnights, stamp(d+" 00:00"))
	}
	return midnights
}

// summaries lists the days that have data, such as "24h0m0s down 5m0s, outages 1, new 1".
func summaries(days []StatusDay) map[string]string {
	lines := map[string]string{}
	for _, d := range days {
		if d != (StatusDay{Day: d.Day}) {
			line := d.Measured.String()
			if d.Outages > 0 || d.Down > 0 {
				line += fmt.Sprintf(" down %v, outages %d, new %d", d.Down, d.Outages, d.Began)
			}
			lines[d.Day.Format("01-02")] = line
		}
	}
	return lines
}

func wantNinetyDays(t *testing.T, days []StatusDay) {
	t.Helper()
	if len(days) != StatusDays || !days[0].Day.Equal(stamp("08-21 00:00")) || !days[89].Day.Equal(stamp("11-18 00:00")) {
		t.Errorf("%d days from %v", len(days), days[0].Day)
	}
}

func TestDaysOfSites(t *testing.T) {
	t.Parallel()
	const patience = 2 * time.Minute
	outage := func(from, to string) SiteOutage {
		if to == "" {
			return SiteOutage{DownAt: stamp(from)}
		}
		return SiteOutage{stamp(from), stamp(to)}
	}
	for name, c := range map[string]struct {
		created, last string
		checked       []time.Time
		outages       []SiteOutage
		want          map[string]string
	}{
		"never checked": {created: "11-17 10:00", want: map[string]string{}},
		"made yesterday": {
			created: "11-17 10:00", last: "11-18 11:59", checked: checked("11-17", "11-18"),
			want: map[string]string{"11-17": "14h0m0s", "11-18": "12h0m0s"},
		},
		"an outage on each side of midnight": {
			created: "01-01 00:00", last: "11-18 11:59", checked: checked("11-16", "11-17", "11-18"),
			outages: []SiteOutage{outage("11-16 23:00", "11-17 00:00"), outage("11-17 00:00", "11-17 00:10")},
			want: map[string]string{
				"11-16": "24h0m0s down 1h0m0s, outages 1, new 1", "11-17": "24h0m0s down 10m0s, outages 1, new 1", "11-18": "12h0m0s",
			},
		},
		"an outage over several days, one of them without checks": {
			created: "01-01 00:00", last: "11-18 11:59", checked: checked("11-14", "11-15", "11-17", "11-18"),
			outages: []SiteOutage{outage("11-14 23:50", "11-17 01:00")},
			want: map[string]string{
				"11-14": "24h0m0s down 10m0s, outages 1, new 1", "11-15": "24h0m0s down 24h0m0s, outages 1, new 0",
				"11-17": "24h0m0s down 1h0m0s, outages 1, new 0", "11-18": "12h0m0s",
			},
		},
		"an outage that lasts, and one before the days": {
			created: "01-01 00:00", last: "11-18 11:59", checked: checked("11-17", "11-18"),
			outages: []SiteOutage{outage("06-01 00:00", "06-02 00:00"), outage("11-17 23:58", "")},
			want:    map[string]string{"11-17": "24h0m0s down 2m0s, outages 1, new 1", "11-18": "12h0m0s down 12h0m0s, outages 1, new 0"},
		},
		"an outage from before the days": {
			created: "01-01 00:00", last: "11-18 11:59", checked: checked("08-20", "08-21"),
			outages: []SiteOutage{outage("08-20 10:00", "08-21 10:00")},
			want:    map[string]string{"08-21": "24h0m0s down 10h0m0s, outages 1, new 0"},
		},
		"not looked at since the morning": {
			created: "01-01 00:00", last: "11-18 08:00", checked: checked("11-18"), outages: []SiteOutage{outage("11-18 07:00", "")},
			want: map[string]string{"11-18": "8h2m0s down 1h2m0s, outages 1, new 1"},
		},
		"paused yesterday while down": {
			created: "01-01 00:00", last: "11-17 08:00", checked: checked("11-17"), outages: []SiteOutage{outage("11-17 07:00", "")},
			want: map[string]string{"11-17": "8h2m0s down 1h2m0s, outages 1, new 1"},
		},
		"outages that overlap by their clocks": {
			created: "01-01 00:00", last: "11-18 11:59", checked: checked("11-18"),
			outages: []SiteOutage{outage("11-18 01:00", "11-18 02:00"), outage("11-18 01:59", "11-18 03:00"), outage("11-18 02:30", "11-18 02:40")},
			want:    map[string]string{"11-18": "12h0m0s down 2h0m0s, outages 2, new 2"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := SiteHistory{CreatedAt: stamp(c.created), Patience: patience, Checked: c.checked, Outages: c.outages}
			if c.last != "" {
				h.LastCheckedAt = stamp(c.last)
			}
			days := h.Days(thatNow)
			wantNinetyDays(t, days)
			if diff := cmp.Diff(c.want, summaries(days)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func turns(pairs ...string) (turns []CheckInTurn) {
	for i := 0; i < len(pairs); i += 2 {
		turns = append(turns, CheckInTurn{stamp(pairs[i]), sett.CheckInState(pairs[i+1])})
	}
	return turns
}

func TestDaysOfCheckIns(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		turns []CheckInTurn
		blind []BlindWindow
		want  map[string]string
	}{
		"never pinged": {want: map[string]string{}},
		"missing for two days": {
			turns: turns("11-15 06:00", "reporting", "11-15 22:00", "missing", "11-17 02:00", "reporting"),
			want: map[string]string{
				"11-15": "18h0m0s down 2h0m0s, outages 1, new 1", "11-16": "24h0m0s down 24h0m0s, outages 1, new 0",
				"11-17": "24h0m0s down 2h0m0s, outages 1, new 0", "11-18": "12h0m0s",
			},
		},
		"paused, and then waiting": {
			turns: turns("11-15 06:00", "reporting", "11-15 22:00", "missing", "11-15 23:00", "paused", "11-17 02:00", "pending", "11-18 10:00", "reporting"),
			want:  map[string]string{"11-15": "17h0m0s down 1h0m0s, outages 1, new 1", "11-18": "2h0m0s"},
		},
		"missing while no server was alive": {
			turns: turns("11-16 00:00", "reporting", "11-16 20:00", "missing", "11-18 02:00", "reporting"),
			blind: []BlindWindow{{stamp("11-16 10:00"), stamp("11-16 11:00")}, {stamp("11-16 21:00"), stamp("11-18 01:00")}, {stamp("11-16 22:00"), stamp("11-16 23:00")}},
			want:  map[string]string{"11-16": "20h0m0s down 1h0m0s, outages 1, new 1", "11-18": "11h0m0s down 1h0m0s, outages 1, new 0"},
		},
		"blind in the middle of an outage": {
			turns: turns("11-18 00:00", "missing"), blind: []BlindWindow{{stamp("11-18 03:00"), stamp("11-18 04:00")}},
			want: map[string]string{"11-18": "11h0m0s down 11h0m0s, outages 1, new 1"},
		},
		"reported by clocks that differ": {
			turns: turns("11-18 00:00", "reporting", "11-18 06:00", "missing", "11-18 05:59", "reporting", "11-18 12:01", "missing"),
			want:  map[string]string{"11-18": "12h0m0s"},
		},
		"one state reported twice": {
			turns: turns("11-18 00:00", "reporting", "11-18 06:00", "missing", "11-18 07:00", "missing", "11-18 08:00", "reporting"),
			want:  map[string]string{"11-18": "12h0m0s down 2h0m0s, outages 1, new 1"},
		},
		"since long before the days": {
			turns: turns("01-01 00:00", "missing", "08-21 01:00", "reporting", "08-22 00:00", "paused"),
			want:  map[string]string{"08-21": "24h0m0s down 1h0m0s, outages 1, new 0"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			days := CheckInHistory{Turns: c.turns}.Days(thatNow, c.blind)
			wantNinetyDays(t, days)
			if diff := cmp.Diff(c.want, summaries(days)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			for most := range c.turns { // however much of it is folded, and when
				var h CheckInHistory
				for i, turn := range c.turns {
					if h.Turns = append(h.Turns, turn); i%(most+1) > 0 {
						continue
					}
					folded, keep, at := h.Fold(thatNow.AddDate(0, 0, -91), thatNow, c.blind)
					if h.Folded = append(h.Folded, folded...); keep > 0 {
						h.Turns = h.Turns[keep:]
						h.Turns[0].At = at
					}
				}
				if diff := cmp.Diff(days, h.Days(thatNow, c.blind)); diff != "" {
					t.Errorf("folded at every %d (-whole +folded):\n%s", most+1, diff)
				}
			}
		})
	}
}

func TestWhatIsNotFolded(t *testing.T) {
	t.Parallel()
	for name, c := range map[string][]CheckInTurn{
		"nothing":                nil,
		"what goes on":           turns("11-17 00:00", "reporting"),
		"what only seems to end": turns("11-17 00:00", "missing", "11-17 10:00", "missing"),
		"what is still to come":  turns("11-17 00:00", "reporting", "11-18 12:01", "missing"),
	} {
		if days, keep, at := (CheckInHistory{Turns: c}).Fold(thatNow.AddDate(0, 0, -91), thatNow, nil); len(days) > 0 || keep > 0 || !at.IsZero() {
			t.Errorf("%s: %d days, until turn %d", name, len(days), keep)
		}
	}
	old := turns("01-01 00:00", "missing", "01-02 00:00", "reporting", "11-17 00:00", "missing")
	days, keep, _ := CheckInHistory{Turns: old}.Fold(stamp("11-16 10:00"), thatNow, nil)
	if diff := cmp.Diff(map[string]string{"11-16": "24h0m0s"}, summaries(days)); diff != "" || keep != 2 {
		t.Errorf("until turn %d (-want +got):\n%s", keep, diff)
	}
}

func TestLevelsOfDays(t *testing.T) {
	t.Parallel()
	const crit = 15 * time.Minute
	for want, days := range map[DayLevel][]StatusDay{
		DayNone: {{}},
		DayOK:   {{Measured: time.Microsecond}},
		DayWarn: {{Measured: time.Hour, Down: time.Microsecond}, {Measured: time.Hour, Down: crit - 1}},
		DayCrit: {{Measured: time.Hour, Down: crit}, {Measured: 24 * time.Hour, Down: 24 * time.Hour}},
	} {
		for _, d := range days {
			if got := d.Level(); got != want {
				t.Errorf("down for %v of %v is %s, want %s", d.Down, d.Measured, got, want)
			}
		}
	}
}
