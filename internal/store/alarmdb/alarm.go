package alarmdb

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/alarm"
	"sett/internal/sett/insight"
	"sett/internal/store/db"
)

// stored is an alarm with what only the store knows of it.
type stored struct {
	alarm.Alarm
	number  int64
	version int64
}

// settings lists the columns that people write.
func (a *stored) settings() db.Columns {
	return db.Columns{
		db.At("name", &a.Name),
		db.At("description", &a.Description),
		db.At("query", &a.Query),
		db.At("streams", db.TextIn(&a.Streams, streamsOf, textOf)),
		db.At("period", (*string)(&a.Period)),
		db.At("lag", (*string)(&a.Lag)),
		db.At("operator", (*string)(&a.Operator)),
		db.At("value", &a.Value),
	}
}

// progress lists the columns that evaluations change.
func (a *stored) progress() db.Columns {
	return db.Columns{
		db.At("state", (*string)(&a.State)),
		db.At("state_since", db.TimeIn(&a.StateSince)),
		db.At("error", &a.Error),
		db.At("count", &a.Count),
		db.At("last_checked", db.TimeIn(&a.LastChecked)),
		db.At("next_check", db.TimeIn(&a.NextCheck)),
		db.At("updated_at", db.TimeIn(&a.UpdatedAt)),
	}
}

func (a *stored) columns() db.Columns {
	identity := db.Columns{db.At("id", &a.ID), db.At("project_id", &a.ProjectID), db.At("created_at", db.TimeIn(&a.CreatedAt)), db.At("version", &a.version)}
	return slices.Concat(identity, a.settings(), a.progress())
}

func streamsOf(text string) (streams []insight.Stream) {
	if text == "" {
		return nil
	}
	for _, slug := range strings.Split(text, ",") {
		streams = append(streams, insight.Stream(slug))
	}
	return streams
}

func textOf(streams []insight.Stream) string {
	var slugs []string
	for _, s := range streams {
		slugs = append(slugs, string(s))
	}
	return strings.Join(slugs, ",")
}

var (
	anAlarm  stored // for names of columns
	alarmsOf = "SELECT a.number, " + anAlarm.columns().Of("a") + " FROM alarms a WHERE a.project_id = $1"

	listAlarms = "-- alarmdb.List\n" + alarmsOf + " ORDER BY a.number"
	oneAlarm   = "-- alarmdb.ByID\n" + alarmsOf + " AND a.id = $2"
	lockAlarm  = oneAlarm + " {{for update}}"
)

// scanner returns a function that reads rows of the columns, the number before them.
func scanner() func(db.Row) (stored, error) {
	var a stored
	into := a.columns().Into(&a.number)
	return func(row db.Row) (stored, error) {
		err := row.Scan(into...)
		return a, err
	}
}

// List returns the alarms of a project, in order of creation.
func (s *Store) List(ctx context.Context, project int64) ([]alarm.Alarm, error) {
	return s.ReadList(ctx, s.db.Read, project)
}

// ReadList is List in a snapshot.
func (s *Store) ReadList(ctx context.Context, q db.Querier, project int64) (found []alarm.Alarm, err error) {
	rows, err := q.QueryContext(ctx, s.db.Text(listAlarms), project)
	all, err := db.Collect(rows, err, scanner())
	for _, a := range all {
		found = append(found, a.Alarm)
	}
	return found, db.Wrap("list alarms", err)
}

// ByID returns an alarm of a project, or a NotFound error.
func (s *Store) ByID(ctx context.Context, project int64, id string) (alarm.Alarm, error) {
	a, err := s.byID(ctx, project, id)
	return a.Alarm, err
}

func (s *Store) byID(ctx context.Context, project int64, id string) (stored, error) {
	a, err := scanner()(s.db.Read.QueryRowContext(ctx, s.db.Text(oneAlarm), project, id))
	return a, db.NotFound(err, "Alarm", "find alarm")
}

const (
	holdProject = `-- alarmdb.holdProject
SELECT id FROM projects WHERE id = $1 {{for no key update}}`

	countAlarms = `-- alarmdb.countAlarms
SELECT count(*) FROM alarms WHERE project_id = $1`
)

var insertAlarm = "-- alarmdb.insertAlarm\nINSERT INTO alarms (" + anAlarm.columns().Names() + ", claimed_until) VALUES (" + anAlarm.columns().Parameters(1) + ", 0)"

// Create creates an alarm. The error is NotFound if there is no such project, and Invalid if a field is rejected.
func (s *Store) Create(ctx context.Context, now time.Time, project int64, change alarm.AlarmChange) (alarm.Alarm, error) {
	const idLength = 12
	settings, err := change.Apply(project, alarm.Settings{})
	if err != nil {
		return alarm.Alarm{}, err
	}
	now = now.Truncate(time.Microsecond) // as it is stored
	a := stored{Alarm: alarm.New(sett.RandomStringFrom(db.RandomOf(ctx), idLength), project, settings, now)}
	err = s.inTx(ctx, "create alarm", func(t Tx) error {
		var id, n int64
		if err := t.QueryRowContext(ctx, s.db.Text(holdProject), project).Scan(&id); err != nil {
			return db.NotFound(err, "Project", "hold alarms")
		}
		if err := t.QueryRowContext(ctx, s.db.Text(countAlarms), project).Scan(&n); err != nil {
			return err
		}
		if n >= alarm.MostAlarms {
			return sett.Errorf(sett.Invalid, "A project may have %d alarms. Delete one first.", alarm.MostAlarms)
		}
		t.Wake(Changed)
		_, err := t.Exec(ctx, insertAlarm, a.columns().Values()...)
		return db.Wrap("insert alarm", err)
	})
	return a.Alarm, err
}

var writeAlarm = "-- alarmdb.writeAlarm\nUPDATE alarms SET version = version + 1, claimed_until = 0, " + slices.Concat(anAlarm.settings(), anAlarm.progress()).Set(2) + " WHERE number = $1"

// Update applies a change to an alarm. The error is NotFound if the project has no such alarm, and Invalid if a field is rejected.
func (s *Store) Update(ctx context.Context, now time.Time, project int64, id string, change alarm.AlarmChange) error {
	return s.inTx(ctx, "update alarm", func(t Tx) error {
		a, err := scanner()(t.QueryRowContext(ctx, s.db.Text(lockAlarm), project, id))
		if err != nil {
			return db.NotFound(err, "Alarm", "read alarm")
		}
		settings, err := change.Apply(project, a.Settings)
		if err != nil {
			return err
		}
		a.Alarm = a.Edit(settings, now)
		t.Wake(Changed)
		_, err = t.Exec(ctx, writeAlarm, slices.Concat(a.settings(), a.progress()).Values(a.number)...)
		return db.Wrap("write alarm", err)
	})
}

const deleteAlarm = `-- alarmdb.Delete
DELETE FROM alarms WHERE project_id = $1 AND id = $2`

// Delete deletes an alarm with its history. The error is NotFound if the project has no such alarm.
func (s *Store) Delete(ctx context.Context, project int64, id string) error {
	return s.inTx(ctx, "delete alarm", func(t Tx) error {
		n, err := t.Changed(ctx, deleteAlarm, project, id)
		if err == nil && n == 0 {
			err = sett.Errorf(sett.NotFound, "Alarm not found")
		}
		return err
	})
}

const (
	changesOf = `-- alarmdb.History
SELECT c.id, c.at, c.state, c.from_at, c.to_at, c.count, c.error, c.query, c.condition FROM alarms a JOIN alarm_changes c ON c.alarm = a.number
WHERE a.project_id = $1 AND a.id = $2 AND ($3 = 0 OR c.id < $3) ORDER BY c.id DESC LIMIT $4 OFFSET $5`

	changesBack = `-- alarmdb.HistoryBack
SELECT c.id, c.at, c.state, c.from_at, c.to_at, c.count, c.error, c.query, c.condition FROM alarms a JOIN alarm_changes c ON c.alarm = a.number
WHERE a.project_id = $1 AND a.id = $2 AND c.id >= $3 ORDER BY c.id LIMIT $4 OFFSET $5`
)

// History returns a page of the changes of an alarm, newest first. An invalid cursor is an Invalid error.
func (s *Store) History(ctx context.Context, project int64, id string, p sett.Page) (found []alarm.Change, marks sett.Marks, err error) {
	var mark int64
	if p.Mark != "" {
		if err := db.ParseMark(p.Mark, &mark); err != nil {
			return nil, marks, err
		}
	}
	statement := changesOf
	if p.Back {
		statement = changesBack
	}
	skip, most := p.Rows()
	rows, err := s.db.Read.QueryContext(ctx, s.db.Text(statement), project, id, mark, most, skip)
	found, err = db.Collect(rows, err, func(row db.Row) (alarm.Change, error) { return scanChange(row) })
	if err != nil {
		return nil, marks, fmt.Errorf("list changes of alarm: %w", err)
	}
	found, marks = sett.Cut(p, found, func(c alarm.Change) string { return db.FormatMark(c.ID) })
	return found, marks, nil
}

// scanChange reads a row with the columns of changesOf, and the columns before them into before.
func scanChange(row db.Row, before ...any) (c alarm.Change, err error) {
	var at, from, to int64
	err = row.Scan(append(before, &c.ID, &at, (*string)(&c.State), &from, &to, &c.Count, &c.Error, &c.Query, &c.Condition)...)
	c.At, c.Window = db.FromMicros(at), alarm.Window{From: db.FromMicros(from), To: db.FromMicros(to)}
	return c, err
}
