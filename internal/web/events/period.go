package events

import (
	"strings"
	"time"

	"sett/internal/sett/insight"
)

// period is a time that the page can show.
type period struct {
	Value, Label string
	length       time.Duration // until now; 0: Value says it
}

// periods are those that the page offers.
var periods = []period{
	{"1h", "Last hour", time.Hour},
	{"3h", "Last 3 hours", 3 * time.Hour},
	{"24h", "Last 24 hours", 24 * time.Hour},
	{"7d", "Last 7 days", insight.Keep},
	{"today", "Today", 0},
	{"yesterday", "Yesterday", 0},
}

// usualPeriod is the number of the one that is shown first.
const usualPeriod = 2

// longestPeriod is how many bytes of a period are read.
const longestPeriod = 100

// periodOf returns the period with a value: one of the above, or a time as the API takes it. One that cannot be read is the usual one.
func periodOf(value string, now time.Time) (p period, err error) {
	if value = strings.TrimSpace(value[:min(len(value), longestPeriod)]); value == "" {
		return periods[usualPeriod], nil
	}
	for _, p := range periods {
		if p.Value == value {
			return p, nil
		}
	}
	from, to, err := insight.ParseSpan(value, now.Location(), now)
	if err != nil {
		return periods[usualPeriod], err
	}
	return period{Value: value, Label: from.Format(rangeLayout) + " – " + to.Format(rangeLayout)}, nil
}

const rangeLayout = "2 Jan 15:04"

// between returns the value of the period between two times.
func between(from, to time.Time) string {
	return from.UTC().Format(time.RFC3339) + "/" + to.UTC().Format(time.RFC3339)
}

// times returns the first moment of the period and the one behind it, and a step for a chart of it. The zone of now is that of days.
func (p period) times(now time.Time) (from, to time.Time, step time.Duration) {
	if p.length > 0 {
		step = insight.StepOf(p.length)
		to = now.Truncate(step).Add(step)
		return to.Add(-p.length), to, step
	}
	from, to, err := insight.ParseSpan(p.Value, now.Location(), now)
	if err != nil { // which periodOf has refused
		return periods[usualPeriod].times(now)
	}
	return from, to, insight.StepOf(to.Sub(from))
}
