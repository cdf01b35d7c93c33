package watch

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"sync"
	"time"

	"sett/internal/base/loop"
	"sett/internal/sett"
	"sett/internal/sett/alarm"
	"sett/internal/sett/insight"
	"sett/internal/store/alarmdb"
	"sett/internal/store/insightdb"
)

const (
	alarmsEvery   = time.Second
	alarmsAtOnce  = 100 // claimed in one transaction
	alarmsOfOne   = 20  // of these, of one project
	alarmPlaces   = 2   // projects that are evaluated at the same time; other queries keep one of the store's places
	alarmTime     = 5 * time.Second
	alarmsOfOneIn = 5 * time.Second  // then the other alarms of a project wait for the next round
	alarmRound    = 30 * time.Second // then what is left waits for the next one
	alarmLease    = time.Minute      // what a dead process has claimed is evaluated after it
)

// AlarmOptions are what Alarms work with.
type AlarmOptions struct {
	Alarms   *alarmdb.Store
	Insights *insightdb.Store
	Sees     func(now time.Time) bool // whether this process knows in which times no server ran
	Now      func() time.Time
	Log      *slog.Logger

	// QueryTime is how long one query may read events; 0: 5 seconds.
	QueryTime time.Duration
}

// Alarms evaluates alarms that are due.
type Alarms struct{ AlarmOptions }

// NewAlarms returns an Alarms. It does nothing before its Loops run.
func NewAlarms(o AlarmOptions) *Alarms {
	if o.QueryTime == 0 {
		o.QueryTime = alarmTime
	}
	return &Alarms{o}
}

// Loops returns the loops that evaluate alarms, and that drop old history.
func (a *Alarms) Loops() []*loop.Loop {
	return []*loop.Loop{
		{Name: "alarms", Does: "Evaluates the queries of alarms.", Every: alarmsEvery, Log: a.Log, Work: a.Evaluate},
		{Name: "alarm history", Does: "Deletes old changes of alarms.", Every: pruneHistory, Jitter: 0.2, Log: a.Log, Work: a.prune},
	}
}

// Evaluate evaluates what is due, and reports whether there may be more. It does nothing while this process does not know in which times no server ran: it would take silence for an absence of events.
func (a *Alarms) Evaluate(ctx context.Context) (more bool, err error) {
	now := a.Now()
	if !a.Sees(now) {
		return false, nil
	}
	due, err := a.Alarms.Claim(ctx, now, now.Add(alarmLease), alarmsOfOne, alarmsAtOnce)
	if err != nil || len(due) == 0 {
		return false, err
	}
	var projects [][]alarmdb.Due
	place := map[int64]int{}
	for _, d := range due {
		i, known := place[d.ProjectID]
		if !known {
			i = len(projects)
			place[d.ProjectID], projects = i, append(projects, nil)
		}
		projects[i] = append(projects[i], d)
	}
	return len(due) == alarmsAtOnce, a.evaluateProjects(ctx, now, projects)
}

// evaluateProjects evaluates the alarms of some projects, and records what it finds together. What is not evaluated in time is given back.
func (a *Alarms) evaluateProjects(ctx context.Context, now time.Time, projects [][]alarmdb.Due) error {
	var (
		mu    sync.Mutex
		found []alarmdb.Found
		left  []alarmdb.Due
		group sync.WaitGroup
	)
	next, end := make(chan []alarmdb.Due), time.Now().Add(alarmRound)
	for range min(alarmPlaces, len(projects)) {
		group.Go(func() {
			for due := range next {
				until := time.Now().Add(alarmsOfOneIn)
				if until.After(end) {
					until = end
				}
				f, l := a.evaluateProject(ctx, now, until, due)
				mu.Lock()
				found, left = append(found, f...), append(left, l...)
				mu.Unlock()
			}
		})
	}
	for _, due := range projects {
		next <- due
	}
	close(next)
	group.Wait()
	ctx = context.WithoutCancel(ctx) // a server that stops keeps what it knows
	return errors.Join(a.Alarms.Record(ctx, now, found), a.Alarms.GiveBack(ctx, left))
}

// evaluateProject evaluates alarms of one project, one after the other. It returns those that it had no time or no place for.
func (a *Alarms) evaluateProject(ctx context.Context, now, until time.Time, due []alarmdb.Due) (found []alarmdb.Found, left []alarmdb.Due) {
	for i, d := range due {
		if time.Now().After(until) {
			return found, due[i:]
		}
		e, err := a.evaluate(ctx, now, d.Alarm)
		switch {
		case ctx.Err() != nil || sett.CodeOf(err) == sett.Unavailable:
			return found, due[i:]
		case err != nil:
			a.Log.WarnContext(ctx, "an alarm could not be evaluated; it is tried again when its claim has ended", "alarm", d.ID, "project", d.ProjectID, "error", err)
		default:
			found = append(found, alarmdb.Found{Due: d, Evaluation: e})
		}
	}
	return found, nil
}

// evaluate evaluates the query of an alarm. What is wrong with the query is not an error, but what the evaluation says.
func (a *Alarms) evaluate(ctx context.Context, now time.Time, of alarm.Alarm) (e alarm.Evaluation, err error) {
	e = alarm.Evaluation{Window: of.Due(now), At: now}
	statement, plan, err := of.Ask(e.Window)
	if err != nil { // an earlier version took it
		e.Error = err.Error()
		return e, nil //nolint:nilerr // the evaluation says it
	}
	gaps, err := a.Alarms.Gaps(ctx, of.ProjectID, e.From, plan.Reads(insight.Sent))
	if err != nil {
		return e, err
	}
	if e.Skipped = e.Unknown(gaps); e.Skipped != "" {
		return e, nil
	}
	result, err := a.Insights.Query(ctx, now, time.Now().Add(a.QueryTime), of.ProjectID, plan)
	if sett.CodeOf(err) == sett.Invalid { // the query takes too much
		e.Error = err.Error()
		return e, nil
	}
	if err != nil {
		return e, err
	}
	if ctx.Err() != nil { // the result is then one of some events
		return e, ctx.Err()
	}
	answer := statement.Answer(result, time.UTC)
	e.Count, e.Error = answer.Found, alarm.Unanswered(result, a.QueryTime)
	for _, row := range answer.Rows[:min(len(answer.Rows), alarm.MostRows)] {
		text, err := json.Marshal(row)
		if err != nil {
			return e, err
		}
		e.Rows = append(e.Rows, string(text))
	}
	return e, nil
}

func (a *Alarms) prune(ctx context.Context) (more bool, err error) {
	return false, a.Alarms.Prune(ctx, a.Now())
}
