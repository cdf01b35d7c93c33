package uptimedb

import (
	"context"
	"fmt"
	"slices"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/checks"
	"sett/internal/sett/faults"
	"sett/internal/store/db"
	"sett/internal/store/statusdb"
)

// storedCheckIn is a check-in with its number, and its state when it was read.
type storedCheckIn struct {
	number int64
	was    sett.CheckInState
	checks.CheckIn
}

// identity lists the columns that never change.
func (c *storedCheckIn) identity() db.Columns {
	return db.Columns{
		db.At("id", &c.ID),
		db.At("project_id", &c.ProjectID),
		db.At("slug", &c.Slug),
		db.At("schedule_type", (*string)(&c.ScheduleType)),
		db.At("created_at", db.TimeIn(&c.CreatedAt)),
	}
}

// settings lists the columns that people write.
func (c *storedCheckIn) settings() db.Columns {
	return db.Columns{
		db.At("name", &c.Name),
		db.At("report_period", &c.ReportPeriod),
		db.At("grace_period", &c.GracePeriod),
		db.At("cron_schedule", &c.CronSchedule),
		db.At("cron_timezone", &c.CronTimezone),
		db.At("reminder_interval", &c.ReminderInterval),
		db.At("updated_at", db.TimeIn(&c.UpdatedAt)),
	}
}

// progress lists the columns that pings and the clock change.
func (c *storedCheckIn) progress() db.Columns {
	return db.Columns{
		db.At("state", (*string)(&c.State)),
		db.At("reported_at", db.TimeIn(&c.ReportedAt)),
		db.At("expected_at", db.TimeIn(&c.ExpectedAt)),
		db.At("deadline_at", db.TimeIn(&c.DeadlineAt)),
		db.At("reported", &c.Reported),
		db.At("missed_count", &c.MissedCount),
		db.At("noted_at", db.TimeIn(&c.NotedAt)),
		db.At("run_id", &c.Run.ID),
		db.At("run_started_at", db.TimeIn(&c.Run.StartedAt)),
		db.At("run_deadline_at", db.TimeIn(&c.Run.DeadlineAt)),
		db.At("run_longest", db.DurationIn(&c.Run.Longest, time.Microsecond)),
		db.At("runs_ended", &c.Run.Ended),
		db.At("trouble_at", db.TimeIn(&c.TroubleAt)),
		db.At("remind_at", db.TimeIn(&c.RemindAt)),
	}
}

func (c *storedCheckIn) columns() db.Columns {
	return slices.Concat(c.identity(), c.settings(), c.progress())
}

var (
	aCheckIn       storedCheckIn // for names of columns
	checkInColumns = "c.number, " + aCheckIn.columns().Of("c")
)

// checkInScanner returns a function that reads a row of checkInColumns, and the columns before them into before.
func checkInScanner(before ...any) func(db.Row) (storedCheckIn, error) {
	var c storedCheckIn
	into := c.columns().Into(append(before, &c.number)...)
	return func(row db.Row) (storedCheckIn, error) {
		err := row.Scan(into...)
		c.was = c.State
		return c, err
	}
}

var checkInsOf = `-- uptimedb.checkIns
SELECT ` + checkInColumns + ` FROM check_ins c WHERE c.project_id = $1`

var (
	listCheckIns     = checkInsOf + " AND c.number > $2 ORDER BY c.number LIMIT $3 OFFSET $4"
	listCheckInsBack = checkInsOf + " AND c.number <= $2 ORDER BY c.number DESC LIMIT $3 OFFSET $4"
	oneCheckIn       = checkInsOf + " AND c.id = $2"
	lockCheckIn      = oneCheckIn + " {{for update}}"
	lockCheckIns     = checkInsOf + " ORDER BY c.number {{for update}}"
)

// ListCheckIns returns a page of the check-ins of a project, in order of creation, and its cursors. An invalid cursor is an Invalid
// error.
func (s *Store) ListCheckIns(ctx context.Context, projectID int64, p sett.Page) (found []checks.CheckIn, marks sett.Marks, err error) {
	stored, marks, err := s.listCheckIns(ctx, s.db.Read, projectID, p)
	for _, c := range stored {
		found = append(found, c.CheckIn)
	}
	return found, marks, err
}

func (s *Store) listCheckIns(ctx context.Context, q db.Querier, projectID int64, p sett.Page) (found []storedCheckIn, marks sett.Marks, err error) {
	var at int64
	statement := listCheckIns
	if p.Back {
		statement = listCheckInsBack
	}
	if p.Mark != "" {
		if err := db.ParseMark(p.Mark, &at); err != nil {
			return nil, sett.Marks{}, err
		}
	}
	skip, most := p.Rows()
	if found, err = s.checkIns(ctx, q, statement, projectID, at, most, skip); err != nil {
		return nil, sett.Marks{}, fmt.Errorf("list check-ins: %w", err)
	}
	found, marks = sett.Cut(p, found, func(c storedCheckIn) string { return db.FormatMark(c.number) })
	return found, marks, nil
}

func (s *Store) checkIns(ctx context.Context, q db.Querier, statement string, args ...any) (found []storedCheckIn, err error) {
	scan := checkInScanner()
	rows, err := q.QueryContext(ctx, s.db.Text(statement), args...)
	return db.Collect(rows, err, scan)
}

// CheckInByID returns a check-in of a project, or a NotFound error.
func (s *Store) CheckInByID(ctx context.Context, projectID int64, id string) (checks.CheckIn, error) {
	return s.ReadCheckIn(ctx, s.db.Read, projectID, id)
}

// ReadCheckIn is CheckInByID in a snapshot.
func (s *Store) ReadCheckIn(ctx context.Context, q db.Querier, projectID int64, id string) (checks.CheckIn, error) {
	c, err := checkInScanner()(q.QueryRowContext(ctx, s.db.Text(oneCheckIn), projectID, id))
	return c.CheckIn, db.NotFound(err, "Check-in", "find check-in")
}

// CreateCheckIn creates a check-in. The error is NotFound if there is no such project, and Invalid if a field is rejected or another
// check-in of the project has the name or the slug.
func (s *Store) CreateCheckIn(ctx context.Context, now time.Time, projectID int64, change checks.CheckInChange) (c checks.CheckIn, err error) {
	settings, err := change.Create()
	if err != nil {
		return c, err
	}
	err = s.inTx(ctx, "create check-in", func(t Tx) error {
		t.KeepsCaches = true
		c, err = t.AddCheckIn(ctx, now, projectID, settings)
		return err
	})
	return c, err
}

// AddCheckIn is CreateCheckIn in a transaction, with settings that were checked.
func (t Tx) AddCheckIn(ctx context.Context, now time.Time, projectID int64, settings checks.CheckInSettings) (checks.CheckIn, error) {
	if err := t.holdCheckIns(ctx, projectID); err != nil {
		return checks.CheckIn{}, err
	}
	if err := t.checkInTaken(ctx, projectID, "", settings); err != nil {
		return checks.CheckIn{}, err
	}
	return t.createCheckIn(ctx, now, projectID, settings)
}

const countCheckIns = `-- uptimedb.countCheckIns
SELECT count(*) FROM (SELECT 1 FROM check_ins WHERE project_id = $1 LIMIT $2) AS few`

var tooManyCheckIns = fmt.Sprintf("A project may have %d check-ins. Delete one first.", faults.MostCheckIns)

const holdCheckIns = `-- uptimedb.holdCheckIns
SELECT id FROM projects WHERE id = $1 {{for no key update}}`

// holdCheckIns prevents others from creating or renaming check-ins of a project. The error is NotFound if there is no such project.
func (t Tx) holdCheckIns(ctx context.Context, projectID int64) error {
	var id int64
	return db.NotFound(t.QueryRowContext(ctx, t.s.db.Text(holdCheckIns), projectID).Scan(&id), "Project", "hold check-ins")
}

const checkInNameTaken = `-- uptimedb.checkInNameTaken
SELECT EXISTS (SELECT 1 FROM check_ins WHERE project_id = $1 AND name = $2 AND name <> '' AND id <> $3)`

const checkInSlugTaken = `-- uptimedb.checkInSlugTaken
SELECT EXISTS (SELECT 1 FROM check_ins WHERE project_id = $1 AND slug = $2 AND slug <> '' AND id <> $3)`

const takenByCheckIn = "has already been taken by another check-in of this project"

// checkInTaken returns an Invalid error if another check-in of the project, with a different id, has the name or slug.
func (t Tx) checkInTaken(ctx context.Context, projectID int64, id string, settings checks.CheckInSettings) error {
	var p sett.Problems
	for _, field := range []struct{ name, statement, text string }{
		{"name", checkInNameTaken, settings.Name}, {"slug", checkInSlugTaken, settings.Slug},
	} {
		var taken bool
		if err := t.QueryRowContext(ctx, t.s.db.Text(field.statement), projectID, field.text, id).Scan(&taken); err != nil {
			return fmt.Errorf("look for %s of check-in: %w", field.name, err)
		}
		if taken {
			p.Add(field.name, takenByCheckIn)
		}
	}
	return p.Refusal()
}

var insertCheckIn = "-- uptimedb.insertCheckIn\nINSERT INTO check_ins (" + aCheckIn.columns().Names() + ") VALUES (" + aCheckIn.columns().Parameters(1) + ")"

func (t Tx) insertCheckIn(ctx context.Context, c checks.CheckIn) error {
	stored := storedCheckIn{CheckIn: c}
	_, err := t.Exec(ctx, insertCheckIn, stored.columns().Values()...)
	return db.Wrap("insert check-in", err)
}

const deleteCheckIn = `-- uptimedb.DeleteCheckIn
DELETE FROM check_ins WHERE project_id = $1 AND id = $2`

// DeleteCheckIn deletes a check-in and its history. The error is NotFound if the project has no such check-in.
func (s *Store) DeleteCheckIn(ctx context.Context, projectID int64, id string) error {
	return s.inTx(ctx, "delete check-in", func(t Tx) error {
		t.KeepsCaches = true
		return t.deleteCheckIn(ctx, projectID, id)
	})
}

func (t Tx) deleteCheckIn(ctx context.Context, projectID int64, id string) error {
	if err := t.status().HoldShown(ctx, statusdb.HoldShownCheckIn, projectID, id); err != nil {
		return err
	}
	pages, err := t.status().ShownBy(ctx, statusdb.PagesOfCheckIn, projectID, id)
	if err != nil {
		return err
	}
	if err := t.status().HoldPages(ctx, pages); err != nil {
		return err
	}
	found, err := t.Changed(ctx, deleteCheckIn, projectID, id)
	switch {
	case err != nil:
		return err
	case found == 0:
		return sett.Errorf(sett.NotFound, "Check-in not found")
	}
	return t.status().BumpPageRevisions(ctx, pages...)
}
