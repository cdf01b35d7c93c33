package statuspage

import (
	"fmt"
	"strings"
	"time"

	"sett/internal/sett"
)

// Bars are dashes of four units with a gap of one, so that consecutive days of the same state take one path command: a page of
// fifty components stays small.
const (
	barStep  = 5
	barGap   = 1
	barLine  = 10 // the middle of the picture, which is 20 high
	barsWide = sett.StatusDays*barStep - barGap
)

// longOutage is the downtime from which a day is shown as bad.
const longOutage = 30 * time.Minute

// bar is the days of one mood.
type bar struct {
	Mood mood
	Path string
}

func dayMood(d sett.StatusDay) mood {
	switch {
	case d.Measured <= 0:
		return unclear
	case d.Down >= longOutage:
		return bad
	case d.Down > 0:
		return worse
	}
	return good
}

// fullDays returns the last sett.StatusDays days. Missing days before the first one have no data.
func fullDays(days []sett.StatusDay) []sett.StatusDay {
	if n := len(days) - sett.StatusDays; n >= 0 {
		return days[n:]
	}
	full := make([]sett.StatusDay, sett.StatusDays)
	copy(full[sett.StatusDays-len(days):], days)
	return full
}

// barsOf returns the bars of days, one path for each mood.
func barsOf(days []sett.StatusDay) (bars []bar) {
	days = fullDays(days)
	paths := map[mood]*strings.Builder{}
	for from := 0; from < len(days); {
		m, to := dayMood(days[from]), from+1
		for to < len(days) && dayMood(days[to]) == m {
			to++
		}
		if paths[m] == nil {
			paths[m] = &strings.Builder{}
		}
		fmt.Fprintf(paths[m], "M%d %dh%d", from*barStep, barLine, (to-from)*barStep-barGap)
		from = to
	}
	for _, m := range []mood{unclear, good, worse, bad} {
		if paths[m] != nil {
			bars = append(bars, bar{m, paths[m].String()})
		}
	}
	return bars
}

// barsText describes the bars in words.
func barsText(days []sett.StatusDay) string {
	days = fullDays(days)
	var down time.Duration
	var last time.Time
	unseen, hit := 0, 0
	for _, d := range days {
		switch dayMood(d) {
		case unclear:
			unseen++
		case worse, bad:
			hit++
			down += d.Down
			last = d.Day
		}
	}
	text := count(len(days), "day")
	switch {
	case unseen == len(days):
		return text + ", no data yet"
	case hit == 0:
		text += ", never down"
	case hit == 1:
		text += fmt.Sprintf(", down on 1 of them for %s, on %s", spell(down), last.UTC().Format("2 Jan"))
	default:
		text += fmt.Sprintf(", down on %d of them for %s in all, last on %s", hit, spell(down), last.UTC().Format("2 Jan"))
	}
	if unseen > 0 {
		text += fmt.Sprintf(", no data on %d", unseen)
	}
	return text
}

// uptime returns the share of the measured time in which a component was not down, in percent.
func uptime(days []sett.StatusDay) (percent float64, measured bool) {
	var all, down time.Duration
	for _, d := range fullDays(days) {
		if d.Measured > 0 {
			all += d.Measured
			down += min(d.Down, d.Measured)
		}
	}
	if all == 0 {
		return 0, false
	}
	return 100 * float64(all-down) / float64(all), true
}

// percentText formats a share with two digits, rounded down: after any downtime it is below 100%.
func percentText(percent float64) string {
	cut := float64(int(percent*100)) / 100
	text := fmt.Sprintf("%.2f", cut)
	return strings.TrimSuffix(strings.TrimSuffix(text, "0"), ".0") + "%"
}
