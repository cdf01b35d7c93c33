package storetest

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/faults"
	"sett/internal/store/db"
	"sett/internal/store/faultdb"
)

// Comment writes a comment about the newest fault of a class.
func (d *Desk) Comment(user int64, class, body string) faults.Comment {
	d.T.Helper()
	c, err := d.Faults.CreateComment(d.T.Context(), Noon, user, d.ProjectID, d.FaultID(class), faults.CommentChange{Body: sett.Some(body)})
	if err != nil {
		d.T.Fatal(err)
	}
	return c
}

func (d *Desk) Deploy(now time.Time, deploy faults.Deploy) int64 {
	d.T.Helper()
	id, err := d.Faults.RecordDeploy(d.T.Context(), now, d.ProjectID, deploy)
	if err != nil {
		d.T.Fatal(err)
	}
	return id
}

// Fault reads the newest fault of a class.
func (d *Desk) Fault(class string) faults.Fault {
	d.T.Helper()
	f, err := d.Faults.FaultByID(d.T.Context(), d.ProjectID, d.FaultID(class))
	if err != nil {
		d.T.Fatal(err)
	}
	return f
}

func ReplaceID(text string, id int64) string {
	return strings.ReplaceAll(text, "$", strconv.FormatInt(id, 10))
}

// Plan returns how SQLite would run a statement, a line a step.
func (d *Desk) Plan(statement string, args ...any) string {
	d.T.Helper()
	rows, err := d.Read.QueryContext(d.T.Context(), "EXPLAIN QUERY PLAN "+statement, args...)
	if err != nil {
		d.T.Fatal(err)
	}
	defer rows.Close()
	var steps []string
	for rows.Next() {
		var id, parent, unused int
		var step string
		if err := rows.Scan(&id, &parent, &unused, &step); err != nil {
			d.T.Fatal(err)
		}
		steps = append(steps, step)
	}
	if err := rows.Err(); err != nil {
		d.T.Fatal(err)
	}
	return strings.Join(steps, "\n")
}

// Share makes a public link whose token has the hash "hash" and the id of the fault.
func (d *Desk) Share(project, fault int64) (hash []byte) {
	d.T.Helper()
	hash = append([]byte("hash"), byte(fault))
	if err := d.Faults.ShareFault(d.T.Context(), Noon, d.UserID, project, fault, hash); err != nil {
		d.T.Fatal(err)
	}
	return hash
}

// RowHeld runs all at once while the statement holds a row, until each waits for it.
func (d *Desk) RowHeld(statement string, id any, atOnce ...func() error) {
	d.T.Helper()
	holding, err := d.Write.BeginTx(d.T.Context(), nil)
	if err != nil {
		d.T.Fatal(err)
	}
	if _, err := holding.ExecContext(d.T.Context(), statement, id); err != nil {
		d.T.Fatal(err)
	}
	done := make(chan error, len(atOnce))
	for _, f := range atOnce {
		go func() {
			err := f()
			for errors.Is(err, db.ErrHeld) { // on a busy machine, one may wait for longer than a session may before the last one begins to
				err = f()
			}
			done <- err
		}()
	}
	const waiting = `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
	for d.Numbers(waiting, 1)[0] < int64(len(atOnce)) {
		select {
		case err := <-done:
			d.T.Fatalf("one of them did not wait: %v", err)
		case <-time.After(2 * time.Millisecond):
		}
	}
	if err := holding.Commit(); err != nil {
		d.T.Fatal(err)
	}
	for range atOnce {
		if err := <-done; err != nil {
			d.T.Error(err)
		}
	}
}

// ListNotices returns a page of the notices of the newest fault of a class.
func (d *Desk) ListedNotices(class string, p faultdb.NoticePage) ([]faults.Notice, sett.Marks) {
	d.T.Helper()
	notices, marks, err := d.Faults.ListNotices(d.T.Context(), d.ProjectID, d.FaultID(class), p)
	if err != nil {
		d.T.Fatal(err)
	}
	return notices, marks
}

func (d *Desk) Save(project int64, change faults.SavedSearchChange) faults.SavedSearch {
	d.T.Helper()
	made, err := d.Search.CreateSavedSearch(d.T.Context(), Noon, d.UserID, project, change)
	if err != nil {
		d.T.Fatal(err)
	}
	return made
}

// FaultID returns the id of the newest fault of a class.
func (d *Desk) FaultID(class string) (id int64) {
	d.T.Helper()
	err := d.Read.QueryRowContext(d.T.Context(), `SELECT max(id) FROM faults WHERE class = $1`, class).Scan(&id)
	if err != nil {
		d.T.Fatal(err)
	}
	return id
}

func (d *Desk) Update(class string, c faults.FaultChange) {
	d.T.Helper()
	if err := d.Faults.UpdateFault(d.T.Context(), Noon, d.UserID, d.ProjectID, d.FaultID(class), c); err != nil {
		d.T.Fatal(err)
	}
}
