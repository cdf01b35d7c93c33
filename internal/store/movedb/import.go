package movedb

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/checks"
	"sett/internal/sett/move"
	"sett/internal/store/db"
)

// ImportAsked is the topic of imports that wait for a server.
const ImportAsked db.Topic = "import asked"

// sealedToken is the token of the source, while an import is open. Without its key the import cannot go on, and people give the token again.
var sealedToken = &db.SealedColumn{
	Table: "imports", Column: "token", Row: "id",
	Lost: `UPDATE imports SET token = '', state = 'failed', problem = '` + lostToken + `', ended_at = created_at`,
}

const lostToken = "The token cannot be read any more. Give it again to go on."

// Sealed are the encrypted columns of this package.
var Sealed = []*db.SealedColumn{sealedToken}

// KeptImports is how many imports of an account are kept: the newest.
const KeptImports = 20

const insertImport = `-- movedb.AddImport
INSERT INTO imports (account_id, made_by, settings, token, dry_run, state, progress, report, problem, claims, created_at, ended_at)
VALUES ($1, $2, $3, '', $4, 'waiting', '{}', '', '', 0, $5, 0) ON CONFLICT DO NOTHING RETURNING id`

const sealImport = `-- movedb.sealImport
UPDATE imports SET token = $2 WHERE id = $1`

const dropOldImports = `-- movedb.dropOldImports
DELETE FROM imports WHERE account_id = $1 AND ended_at > 0
    AND id <= (SELECT id FROM imports WHERE account_id = $1 ORDER BY id DESC LIMIT 1 OFFSET $2)`

func errOpenImport() error {
	return sett.Errorf(sett.Conflict, "Another import of this account is running. Wait until it ends, or stop it.")
}

// AddImport adds an import of an account for its servers to run. The error is a Conflict if another one is open. The oldest that ended are deleted.
func (s *Store) AddImport(ctx context.Context, now time.Time, owner Owner, settings move.Settings, token string, dryRun bool) (id int64, err error) {
	err = s.inTx(ctx, "add import", func(t Tx) error {
		switch err := t.QueryRowContext(ctx, s.db.Text(insertImport), owner.AccountID, owner.UserID, db.JSONText(settings), dryRun, db.Micros(now)).Scan(&id); {
		case errors.Is(err, sql.ErrNoRows):
			return errOpenImport()
		case err != nil:
			return err
		}
		sealed, err := t.Seal(ctx, sealedToken, token, id)
		if err != nil {
			return err
		}
		if _, err := t.Exec(ctx, sealImport, id, sealed); err != nil {
			return err
		}
		t.Wake(ImportAsked)
		_, err = t.Exec(ctx, dropOldImports, owner.AccountID, KeptImports)
		return err
	})
	return id, err
}

const importColumns = `SELECT i.id, i.account_id, i.made_by, i.settings, i.dry_run, i.state, i.progress, i.report, i.problem, i.created_at, i.ended_at, coalesce(u.email, ''), coalesce(u.name, '')
FROM imports i LEFT JOIN users u ON u.id = i.made_by`

const (
	oneImport   = "-- movedb.ImportByID\n" + importColumns + " WHERE i.account_id = $1 AND i.id = $2"
	listImports = "-- movedb.ListImports\n" + importColumns + " WHERE i.account_id = $1 ORDER BY i.id DESC LIMIT $2"
)

// ImportByID returns an import of an account, or a NotFound error.
func (s *Store) ImportByID(ctx context.Context, accountID string, id int64) (move.Import, error) {
	i, err := scanImport(s.db.Read.QueryRowContext(ctx, s.db.Text(oneImport), accountID, id))
	return i, db.NotFound(err, "Import", "find import")
}

// ListImports returns the imports of an account, newest first.
func (s *Store) ListImports(ctx context.Context, accountID string) ([]move.Import, error) {
	rows, err := s.db.Read.QueryContext(ctx, s.db.Text(listImports), accountID, KeptImports+1)
	all, err := db.Collect(rows, err, scanImport)
	return all, db.Wrap("list imports", err)
}

func scanImport(row db.Row) (i move.Import, err error) {
	var settings, progress, report string
	var created, ended int64
	err = row.Scan(&i.ID, &i.AccountID, &i.By.ID, &settings, &i.DryRun, &i.State, &progress, &report, &i.Problem, &created, &ended, &i.By.Email, &i.By.Name)
	if err != nil {
		return i, err
	}
	if i.By.Email == "" {
		i.By = sett.Person{}
	}
	i.CreatedAt = db.FromMicros(created)
	if ended > 0 {
		i.EndedAt = db.FromMicros(ended)
	}
	err = errors.Join(json.Unmarshal([]byte(settings), &i.Settings), json.Unmarshal([]byte(progress), &i.Progress))
	if report != "" {
		err = errors.Join(err, json.Unmarshal([]byte(report), &i.Report))
	}
	return i, db.Wrap("read import", err)
}

const stopImport = `-- movedb.StopImport
UPDATE imports SET state = 'stopped', token = '', ended_at = $3 WHERE account_id = $1 AND id = $2 AND ended_at = 0`

// StopImport stops an import that is open, and erases its token. The server that runs it notices within seconds. Nothing changes for one that ended.
func (s *Store) StopImport(ctx context.Context, now time.Time, accountID string, id int64) error {
	return s.inTx(ctx, "stop import", func(t Tx) error {
		_, err := t.Exec(ctx, stopImport, accountID, id, db.Micros(now))
		return err
	})
}

const continueImport = `-- movedb.ContinueImport
UPDATE imports SET state = 'waiting', token = $3, problem = '', progress = '{}', claims = 0, made_by = $4, ended_at = 0
WHERE account_id = $1 AND id = $2 AND state IN ('stopped', 'failed') AND NOT EXISTS (SELECT 1 FROM imports o WHERE o.account_id = $1 AND o.ended_at = 0)`

// ContinueImport lets an import that failed or was stopped go on, for the user who gives the token. The error is a Conflict if another one is open.
func (s *Store) ContinueImport(ctx context.Context, owner Owner, id int64, token string) error {
	return s.inTx(ctx, "continue import", func(t Tx) error {
		i, err := scanImport(t.QueryRowContext(ctx, s.db.Text(oneImport), owner.AccountID, id))
		if err != nil {
			return db.NotFound(err, "Import", "find import")
		}
		sealed, err := t.Seal(ctx, sealedToken, token, id)
		if err != nil {
			return err
		}
		n, err := t.Changed(ctx, continueImport, owner.AccountID, id, sealed, owner.UserID)
		switch {
		case err != nil:
			return err
		case n == 0 && i.State == move.ImportDone:
			return sett.Errorf(sett.Conflict, "This import has ended. Look again, and start another.")
		case n == 0:
			return errOpenImport()
		}
		t.Wake(ImportAsked)
		return nil
	})
}

const openImports = "-- movedb.openImports\n" + importColumns + " WHERE i.ended_at = 0 ORDER BY i.claims, i.id LIMIT 100"

const claimImport = `-- movedb.claimImport
UPDATE imports SET state = 'running', claims = claims + 1 WHERE id = $1 AND ended_at = 0 RETURNING token, claims`

const failImport = `-- movedb.failImport
UPDATE imports SET token = '', state = 'failed', problem = '` + lostToken + `', ended_at = $2 WHERE id = $1`

// ImportLease is the name of the lease of who runs imports of an account.
func ImportLease(accountID string) string { return "import for " + accountID }

// Claimed is an import that a server runs.
type Claimed struct {
	move.Import
	Token  string
	Claims int64 // how often servers began it, since people last asked for it
}

// ClaimImport takes the next import that no one runs, under a lease until a time. It is one that waits, or one that was left running.
func (s *Store) ClaimImport(ctx context.Context, holder string, now, until time.Time) (c Claimed, found bool, err error) {
	rows, err := s.db.Read.QueryContext(ctx, s.db.Text(openImports))
	all, err := db.Collect(rows, err, scanImport)
	if err != nil {
		return c, false, s.db.Explain(db.Wrap("find imports", err))
	}
	for _, i := range all {
		if c, found, err = s.claim(ctx, i, holder, now, until); found || err != nil {
			return c, found, err
		}
	}
	return c, false, nil
}

func (s *Store) claim(ctx context.Context, i move.Import, holder string, now, until time.Time) (c Claimed, held bool, err error) {
	err = s.inTx(ctx, "claim import", func(t Tx) error {
		t.KeepsCaches = true
		if held, err = t.Lease(ctx, ImportLease(i.AccountID), holder, now, until); err != nil || !held {
			return err
		}
		sealed := ""
		err := t.QueryRowContext(ctx, s.db.Text(claimImport), i.ID).Scan(&sealed, &c.Claims)
		if errors.Is(err, sql.ErrNoRows) { // it was stopped meanwhile
			held = false
			return t.DropLease(ctx, ImportLease(i.AccountID), holder)
		}
		if err != nil {
			return err
		}
		c.Import, c.State = i, move.ImportRunning
		if c.Token, err = s.db.Reveal(sealedToken, sealed, i.ID); err == nil {
			return nil
		}
		held = false // otherwise it would be tried for ever, before all others
		if _, err := t.Exec(ctx, failImport, i.ID, db.Micros(now)); err != nil {
			return err
		}
		return t.DropLease(ctx, ImportLease(i.AccountID), holder)
	})
	return c, held && err == nil, err
}

const importState = `-- movedb.ImportRuns
SELECT state = 'running' FROM imports WHERE id = $1`

// ImportRuns reports whether an import that a server runs is still to be run: people may have stopped it.
func (s *Store) ImportRuns(ctx context.Context, id int64) (runs bool, err error) {
	err = s.db.Read.QueryRowContext(ctx, s.db.Text(importState), id).Scan(&runs)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil // the account is gone
	}
	return runs, s.db.Explain(db.Wrap("read state of import", err))
}

const noteProgress = `-- movedb.NoteImport
UPDATE imports SET progress = $2 WHERE id = $1 AND state = 'running'`

// NoteImport notes how far an import is, and renews the lease of who runs it. It reports whether they may go on.
func (s *Store) NoteImport(ctx context.Context, c Claimed, holder string, p move.Progress, now, until time.Time) (mine bool, err error) {
	err = s.inTx(ctx, "note progress of import", func(t Tx) error {
		t.KeepsCaches = true
		if mine, err = t.Lease(ctx, ImportLease(c.AccountID), holder, now, until); err != nil || !mine {
			return err
		}
		n, err := t.Changed(ctx, noteProgress, c.ID, db.JSONText(p))
		mine = n > 0
		return err
	})
	return mine && err == nil, err
}

const endImport = `-- movedb.EndImport
UPDATE imports SET state = CASE WHEN state = 'running' THEN $2 ELSE state END, problem = CASE WHEN state = 'running' THEN $3 ELSE '' END,
    report = $4, progress = '{}', token = '', ended_at = CASE WHEN ended_at = 0 THEN $5 ELSE ended_at END
WHERE id = $1 AND state IN ('running', 'stopped')`

// EndImport ends an import that a server ran, erases its token, and lets go of the lease. One that people stopped stays so, with the report.
// Nothing changes if another server has the lease by now.
func (s *Store) EndImport(ctx context.Context, now time.Time, c Claimed, holder string, state move.ImportState, problem string, report *move.Report) error {
	text := ""
	if report != nil {
		encoded, err := json.Marshal(report)
		if err != nil {
			return fmt.Errorf("write report of import: %w", err)
		}
		text = string(encoded)
	}
	return s.inTx(ctx, "end import", func(t Tx) error {
		t.KeepsCaches = true
		mine, err := t.Lease(ctx, ImportLease(c.AccountID), holder, now, now.Add(checks.AgentSilence))
		if err != nil || !mine {
			return err
		}
		if _, err := t.Exec(ctx, endImport, c.ID, string(state), problem, text, db.Micros(now)); err != nil {
			return err
		}
		return t.DropLease(ctx, ImportLease(c.AccountID), holder)
	})
}

// LeaveImport lets go of an import, so that another server can go on with it at once.
func (s *Store) LeaveImport(ctx context.Context, c Claimed, holder string) error {
	return s.db.InTx(ctx, "leave import", func(t *db.Tx) error {
		t.KeepsCaches = true
		t.Wake(ImportAsked)
		return t.DropLease(ctx, ImportLease(c.AccountID), holder)
	})
}
