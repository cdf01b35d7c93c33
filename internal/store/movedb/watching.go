package movedb

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/alerts"
	"sett/internal/sett/checks"
	"sett/internal/sett/move"
	"sett/internal/sett/status"
	"sett/internal/store/db"
)

// Watching stores what another monitor watches in a project, each thing in a transaction.
type Watching struct {
	From      move.Place
	AccountID string
	ProjectID int64 // 0 only in a dry run
	Now       time.Time
	DryRun    bool // nothing is written
	Sites     []checks.SiteKind
	Channels  []alerts.IntegrationKind
	Pages     status.StatusPageRules

	s *Store
}

// Watch completes what stores things of another monitor.
func (s *Store) Watch(w Watching) *Watching {
	w.s = s
	return &w
}

// Outcome says what became of a thing of the source.
type Outcome string

// The outcomes.
const (
	Made    Outcome = "made"
	Changed Outcome = "changed" // as it has changed at the source
	Present Outcome = "present"
	Kept    Outcome = "kept"    // it has changed at the source, but people have changed it in sett
	Deleted Outcome = "deleted" // by people in sett: it does not come again
	Refused Outcome = "refused" // by the rules of sett
)

// Applied is a thing of the source in sett.
type Applied struct {
	Outcome Outcome
	ID      string // by which others refer to it; "" if there is none
	Why     string // it was refused, or is not quite as it was
}

// thing is how one kind of things is stored.
type thing struct {
	kind   move.Kind
	id     string
	record any // what the source says of it

	found func(t Tx) (number int64, err error) // looks for one that people have made; nil: there is none
	check func() error                         // whether the rules of sett allow it
	make  func(t Tx) (number int64, err error) // stores it
	// change makes it what the source says now; nil: it stays as it came
	change func(t Tx, projectID int64, id string) error         // makes it what the source says now
	read   func(t Tx, projectID, number int64) (current, error) // returns how it is in sett
}

// current is how a thing is in sett; the zero value if it is gone.
type current struct {
	id       string
	settings any
}

const importedThing = `-- movedb.importedThing
SELECT i.sett_id, i.project_id, i.record, i.state FROM imported i JOIN projects p ON p.id = i.project_id
WHERE i.source = $1 AND i.host = $2 AND i.kind = $3 AND i.source_id = $4 AND NOT p.deleting`

const noteThing = `-- movedb.noteThing
INSERT INTO imported (source, host, kind, source_id, project_id, sett_id, record, state, count, last_at, complete)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 0, $9, true)
ON CONFLICT (source, host, kind, source_id) DO UPDATE SET project_id = excluded.project_id, sett_id = excluded.sett_id, record = excluded.record,
    state = excluded.state, last_at = excluded.last_at`

// noted is what is known of a thing that came before.
type noted struct {
	number, projectID int64
	record, state     string // sums of what the source said and of what sett made of it
}

func (w *Watching) noted(ctx context.Context, q db.Querier, th thing) (n noted, known bool, err error) {
	row := q.QueryRowContext(ctx, w.s.db.Text(importedThing), w.From.Source, w.From.Host, string(th.kind), th.id)
	err = row.Scan(&n.number, &n.projectID, &n.record, &n.state)
	if errors.Is(err, sql.ErrNoRows) {
		return n, false, nil
	}
	return n, err == nil, err
}

// apply stores a thing, or what has changed of it at the source.
func (w *Watching) apply(ctx context.Context, th thing) (a Applied, err error) {
	if w.DryRun {
		_, known, err := w.noted(ctx, w.s.db.Read, th)
		if known || err != nil {
			return Applied{Outcome: Present}, err
		}
		return refusal(Applied{Outcome: Made}, th.check())
	}
	err = w.s.inTx(ctx, "import "+string(th.kind), func(t Tx) error {
		a, err = w.applyIn(ctx, t, th)
		return err
	})
	return refusal(a, err)
}

// refusal makes an outcome of what the rules of sett say against a thing.
func refusal(a Applied, err error) (Applied, error) {
	if code := sett.CodeOf(err); code == sett.Invalid || code == sett.Conflict {
		return Applied{Outcome: Refused, Why: err.Error()}, nil
	}
	return a, err
}

func (w *Watching) applyIn(ctx context.Context, t Tx, th thing) (a Applied, err error) {
	n, known, err := w.noted(ctx, t, th)
	if err != nil {
		return a, err
	}
	if !known {
		return w.applyNew(ctx, t, th)
	}
	have, err := th.read(t, n.projectID, n.number)
	if a.ID = have.id; err != nil {
		return a, err
	}
	switch {
	case have.id == "":
		a.Outcome = Deleted
	case n.record == sum(th.record):
		a.Outcome = Present
	case th.change == nil || n.state != sum(have.settings):
		a.Outcome = Kept
	default:
		if a.Outcome, err = Changed, th.change(t, n.projectID, have.id); err != nil {
			return a, err
		}
		return w.note(ctx, t, th, n, a)
	}
	return a, nil
}

// applyNew stores a thing that did not come before. One that people have made stays as it is, also later.
func (w *Watching) applyNew(ctx context.Context, t Tx, th thing) (a Applied, err error) {
	n := noted{projectID: w.ProjectID}
	if th.found != nil {
		if n.number, err = th.found(t); err != nil {
			return a, err
		}
	}
	if n.number != 0 {
		return w.note(ctx, t, th, n, Applied{Outcome: Present})
	}
	if n.number, err = th.make(t); err != nil {
		return a, err
	}
	return w.note(ctx, t, th, n, Applied{Outcome: Made})
}

// note notes what the source says of a thing, and what it is now in sett.
func (w *Watching) note(ctx context.Context, t Tx, th thing, n noted, a Applied) (Applied, error) {
	have, err := th.read(t, n.projectID, n.number)
	if err != nil {
		return a, err
	}
	state := sum(have.settings)
	if a.ID = have.id; a.Outcome == Present {
		state = "" // nothing that changes at the source changes it
	}
	_, err = t.Exec(ctx, noteThing, w.From.Source, w.From.Host, string(th.kind), th.id, n.projectID, n.number, sum(th.record), state, db.Micros(w.Now))
	return a, err
}

// sum stands for settings, which may have secrets: it is so short that it shows a change, but not what they are.
func sum(settings any) string {
	text, err := json.Marshal(settings)
	if err != nil {
		panic(err) // it is texts, numbers and times
	}
	all := sha256.Sum256(text)
	return hex.EncodeToString(all[:4])
}
