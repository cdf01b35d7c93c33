package statuspage

import (
	"fmt"
	"strings"
	"time"

	"sett/internal/sett/checks"
)

// Bars are dashes of four units with a gap of one, so that consecutive days of the same state take one path command: a page of
// fifty components stays small.
const (
	barStep  = 5
	barGap   = 1
	barLine  = 10 // the middle of the picture, which is 20 high
	barsWide = checks.StatusDays*barStep - barGap
)

// longOutage is the downtime from which a day is shown as bad.
const longOutage = 30 * time.Minute

// bar is the days of one mood.
type bar struct {
	Mood mood
	Path string
}

func dayMood(d checks.StatusDay) mood {
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

// fullDays returns the last checks.StatusDays days. Missing days before the first one have no data.
func fullDays(days []checks.StatusDay) []checks.StatusDay {
	if n := len(days) - checks.StatusDays; n >= 0 {
		return days[n:]
	}
	full := make([]checks.StatusDay, checks.StatusDays)
	copy(full[checks.StatusDays-len(days):], days)
	return full
}

// barsOf returns the bars of days, one path for each mood.
func barsOf(days []checks.StatusDay) (bars []bar) {
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
