// Package alarm has the nouns and rules of alarms: saved queries of structured events whose number of rows is compared with a number, again and
// again. It takes what people write, times and results. It returns alarms, the time whose events are counted, states and alerts. It never reads
// events, and knows neither the clock nor where alarms are stored.
package alarm

import (
	"cmp"
	"time"

	"sett/internal/base/phrase"
	"sett/internal/sett"
	"sett/internal/sett/alerts"
	"sett/internal/sett/insight"
)

// State says how an alarm was at its last evaluation that succeeded.
type State string

// The states of alarms. Failed is only in the history: an alarm whose query fails keeps its state, and has an Error.
const (
	Initial State = "initial"
	OK      State = "ok"
	Raised  State = "alarm"
	Failed  State = "error"
)

// Operator compares the number of rows with a number.
type Operator string

// Operators lists the operators.
func Operators() []Operator { return []Operator{"gt", "gte", "lt", "lte", "eq", "neq"} }

// Holds reports whether the comparison of a count with a value is true.
func (o Operator) Holds(count, value int64) bool {
	c := cmp.Compare(count, value)
	switch o {
	case "gt":
		return c > 0
	case "gte":
		return c >= 0
	case "lt":
		return c < 0
	case "lte":
		return c <= 0
	case "eq":
		return c == 0
	}
	return c != 0
}

// Words returns the comparison as people read it.
func (o Operator) Words() string {
	return map[Operator]string{"gt": "more than", "gte": "at least", "lt": "fewer than", "lte": "at most", "eq": "exactly", "neq": "any number but"}[o]
}

// Nearer reports whether a count is nearer to an alarm than another, or further beyond its limit.
func (s Settings) Nearer(count, than int64) bool {
	switch s.Operator {
	case "lt", "lte":
		return count < than
	case "eq":
		return max(count-s.Value, s.Value-count) < max(than-s.Value, s.Value-than)
	}
	return count > than
}

// Limits of alarms.
const (
	MostAlarms  = 100                  // of a project
	KeepHistory = 400 * 24 * time.Hour // of changes
	KeepResults = 25 * time.Hour       // of evaluations, for the chart of a day
	MostRows    = 5                    // that an alert shows
	longestRow  = 300                  // characters of it
)

// Settings are what people write.
type Settings struct {
	Name        string
	Description string
	Query       string
	Streams     []insight.Stream // none: all
	Period      Span             // both how often the query is evaluated, and how much time each evaluation is about
	Lag         Span             // for events that arrive late
	Operator    Operator
	Value       int64
}

// Alarm is an alarm of a project.
type Alarm struct {
	Settings
	ID        string
	ProjectID int64

	State       State
	StateSince  time.Time
	Error       string // why the last evaluation failed; "" if it did not
	Count       int64  // of the last evaluation that succeeded
	LastChecked time.Time
	NextCheck   time.Time // the end of the next evaluation's time, with the lag
	CreatedAt   time.Time
	UpdatedAt   time.Time
}

// Condition says in words when the alarm is raised.
func (s Settings) Condition() string {
	return s.Operator.Words() + " " + phrase.Count(s.Value, "row") + " in " + s.Period.Words()
}

// New returns a new alarm of a project. It is evaluated at the next full minute.
func New(id string, project int64, s Settings, now time.Time) Alarm {
	return Alarm{Settings: s, ID: id, ProjectID: project, State: Initial, NextCheck: firstCheck(now), CreatedAt: now, UpdatedAt: now}
}

// Edit returns the alarm with other settings. What changes its result has it evaluated at the next full minute.
func (a Alarm) Edit(s Settings, now time.Time) Alarm {
	if !a.Settings.countsAs(s) {
		a.NextCheck = firstCheck(now)
	}
	a.Settings, a.UpdatedAt = s, now
	return a
}

// Evaluation is what an evaluation of an alarm found.
type Evaluation struct {
	Window
	At      time.Time // when it was evaluated
	Skipped string    // why it could not be: nothing is known about this time
	Error   string    // why the query failed
	Count   int64
	Rows    []string // the first rows of the result, each as a short line
}

// Change is an entry of the history of an alarm.
type Change struct {
	ID     int64
	At     time.Time
	State  State
	Window Window
	Count  int64  // of OK and Raised
	Error  string // of Failed

	Query, Condition string // of that time, the condition in words
}

// Evaluated returns the alarm after an evaluation, with the change of its history and the event that people hear of, if there are any.
func (a Alarm) Evaluated(e Evaluation) (after Alarm, changed *Change, event alerts.AlertEvent) {
	a.NextCheck = a.After(e.Window)
	if e.Skipped != "" {
		return a, nil, ""
	}
	before := a
	a.LastChecked, a.UpdatedAt, a.Error = e.At, e.At, e.Error
	if e.Error != "" {
		if before.Error == "" {
			changed = &Change{At: e.At, State: Failed, Window: e.Window, Error: e.Error, Query: a.Query, Condition: a.Condition()}
		}
		return a, changed, ""
	}
	a.State, a.Count = OK, e.Count
	if a.Operator.Holds(e.Count, a.Value) {
		a.State = Raised
	}
	if a.State != before.State {
		a.StateSince = e.At
	}
	if a.State != before.State || before.Error != "" {
		changed = &Change{At: e.At, State: a.State, Window: e.Window, Count: e.Count, Query: a.Query, Condition: a.Condition()}
	}
	switch {
	case a.State == before.State:
	case a.State == Raised:
		event = alerts.AlertAlarm
	case before.State == Raised:
		event = alerts.AlertAlarmOK
	}
	return a, changed, event
}

// Alert returns the alert about an event.
func (a Alarm) Alert(event alerts.AlertEvent, e Evaluation) alerts.Alert {
	facts := alerts.AlarmFacts{
		ID: a.ID, Name: a.Name, Description: a.Description, State: string(a.State), Condition: a.Condition(), Count: e.Count, Query: a.Query,
		From: e.From, To: e.To, CreatedAt: a.CreatedAt,
	}
	if event == alerts.AlertAlarm {
		for _, r := range e.Rows[:min(len(e.Rows), MostRows)] {
			facts.Rows = append(facts.Rows, sett.CutText(r, longestRow))
		}
	}
	return alerts.Alert{ProjectID: a.ProjectID, Event: event, Subject: alerts.AlarmSubject(a.ID), At: e.At, Facts: alerts.AlertFacts{Alarm: &facts}}
}
