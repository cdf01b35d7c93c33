package alarm

import (
	"time"

	"sett/internal/sett/alerts"
	"sett/internal/sett/insight"
)

// Ask returns the query, and what of the events in a window it reads.
func (s Settings) Ask(w Window) (*insight.Statement, insight.Plan, error) {
	statement, err := insight.ParseStatement(s.Query)
	if err != nil {
		return nil, insight.Plan{}, err
	}
	plan := statement.Plan(w.From, w.To, time.UTC)
	plan.Streams, plan.WithoutAlarms = s.Streams, true
	return statement, plan, nil
}

// Unanswered says why a result does not tell the number of rows; "" if it does. The query may read events for so long.
func Unanswered(r insight.Result, most time.Duration) string {
	switch {
	case r.Since > 0:
		return "The query takes too long: it may read events for " + most.String() + ". Filter more, or choose a shorter evaluation period."
	case r.Dropped:
		return "The query has too many groups, or too large events, to count them. Filter more, group by fewer fields, or choose fields."
	case r.Unread > 0:
		return "Some stored events are damaged and cannot be read, so the rows cannot be counted."
	}
	return ""
}

// TrialTime is how far back an alarm is tried.
const TrialTime = 24 * time.Hour

// Past returns the windows of the evaluations in the last day, the newest first: one at least, and two days of a period of two days.
func (s Settings) Past(now time.Time) (all []Window) {
	period, lag := s.Period.Duration(), s.Lag.Duration()
	for at := now.Truncate(min(period, TrialTime)); len(all) == 0 || at.After(now.Add(-TrialTime)); at = at.Add(-period) {
		all = append(all, Window{at.Add(-lag - period), at.Add(-lag)})
	}
	return all
}

// Alerts returns how often evaluations, the oldest first, would have notified people that the alarm is raised.
func (s Settings) Alerts(all []Evaluation) (n int64) {
	a := Alarm{Settings: s, State: Initial}
	for _, e := range all {
		after, _, event := a.Evaluated(e)
		if event == alerts.AlertAlarm {
			n++
		}
		a = after
	}
	return n
}
