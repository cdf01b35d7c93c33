package movedb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"sett/internal/sett/accounts"
	"sett/internal/sett/move"
	"sett/internal/store/accountdb"
	"sett/internal/store/db"
)

const importedOne = `-- movedb.importedOne
SELECT i.sett_id FROM imported i JOIN projects p ON p.id = i.project_id
WHERE i.source = $1 AND i.host = $2 AND i.kind = $3 AND i.source_id = $4 AND NOT p.deleting`

const projectNamed = `-- movedb.projectNamed
SELECT min(id) FROM projects WHERE account_id = $1 AND NOT deleting AND lower(name) = $2`

// Owner says for whom projects are made.
type Owner struct {
	AccountID string
	UserID    int64
}

// MadeProject is the project that one of the source became.
type MadeProject struct {
	ID    int64
	Fresh bool     // it was made
	Taken []string // labels of keys that other projects have
}

// FindProject returns the project that one of the source is or would become part of; 0 if it would be made.
func (s *Store) FindProject(ctx context.Context, from move.Place, owner Owner, p move.Project) (int64, error) {
	return s.findProject(ctx, s.db.Read, from, owner, p)
}

func (s *Store) findProject(ctx context.Context, q db.Querier, from move.Place, owner Owner, p move.Project) (id int64, err error) {
	err = q.QueryRowContext(ctx, s.db.Text(importedOne), from.Source, from.Host, kindProject, p.ID).Scan(&id)
	if !errors.Is(err, sql.ErrNoRows) {
		return id, err
	}
	var named sql.NullInt64
	err = q.QueryRowContext(ctx, s.db.Text(projectNamed), owner.AccountID, strings.ToLower(p.Name)).Scan(&named)
	return named.Int64, err
}

const addKey = `-- movedb.addKey
INSERT INTO project_keys (key, project_id, created_at, scope, label) VALUES ($1, $2, $3, $4, $5) ON CONFLICT (key) DO NOTHING`

const keyOf = `-- movedb.keyOf
SELECT project_id FROM project_keys WHERE key = $1`

// Project makes the project of one of the source, unless there is one: that which it became before, or one of its name.
// Its keys are accepted from then on. They are older than all others, so that people are shown sett's own.
func (s *Store) Project(ctx context.Context, now time.Time, from move.Place, owner Owner, p move.Project) (m MadeProject, err error) {
	err = s.inTx(ctx, "import a project", func(t Tx) error {
		if m.ID, err = s.findProject(ctx, t, from, owner, p); err != nil {
			return fmt.Errorf("find project: %w", err)
		}
		if m.Fresh = m.ID == 0; m.Fresh {
			settings := accounts.NewProjectSettings()
			settings.Name, settings.Language = p.Name, p.Language
			if m.ID, _, err = s.account.In(t.Tx).AddProject(ctx, now, owner.AccountID, owner.UserID, settings); err != nil {
				return err
			}
		}
		if err := t.noteImported(ctx, things{from, kindProject}, p.ID, m.ID, m.ID, ""); err != nil {
			return err
		}
		var projects, ats []int64
		for range p.Environments {
			projects, ats = append(projects, m.ID), append(ats, db.Micros(now))
		}
		if err := t.Each(ctx, accountdb.AddEnvironments, projects, p.Environments, ats); err != nil {
			return err
		}
		return t.addKeys(ctx, &m, p.Keys)
	})
	return m, err
}

// addKeys lets clients report with the keys that they had at the source.
func (t Tx) addKeys(ctx context.Context, m *MadeProject, keys []move.Key) error {
	for i, k := range keys {
		var other int64
		switch err := t.QueryRowContext(ctx, t.s.db.Text(keyOf), k.Public).Scan(&other); {
		case errors.Is(err, sql.ErrNoRows):
		case err != nil:
			return err
		case other != m.ID:
			m.Taken = append(m.Taken, k.Label)
			continue
		}
		if _, err := t.Exec(ctx, addKey, k.Public, m.ID, int64(len(keys)-i), string(accounts.ScopeAll), k.Label); err != nil {
			return err
		}
	}
	return nil
}

// Keyed returns what intake knows of a project, for reading its events.
func (s *Store) Keyed(ctx context.Context, projectID int64) (accounts.KeyedProject, accounts.Project, error) {
	p, err := s.account.ProjectWithoutCounts(ctx, projectID)
	if err != nil {
		return accounts.KeyedProject{}, p, err
	}
	k, err := s.account.ProjectByKey(ctx, p.Token)
	return k, p, err
}

const peopleOf = `-- movedb.peopleOf
SELECT u.id, u.email, u.name FROM memberships m JOIN users u ON u.id = m.user_id JOIN projects p ON p.account_id = m.account_id
WHERE p.id = $1 AND ` + accountdb.SeenBy + ` ORDER BY u.id LIMIT 10000`

// Person is a user who sees a project.
type Person struct {
	ID   int64
	Name string
}

// People returns the users who see a project, by their email addresses.
func (s *Store) People(ctx context.Context, projectID int64) (map[string]Person, error) {
	people := map[string]Person{}
	rows, err := s.db.Read.QueryContext(ctx, s.db.Text(peopleOf), projectID)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var p Person
		var email string
		err := rows.Scan(&p.ID, &email, &p.Name)
		people[strings.ToLower(email)] = p
		return err
	})
	return people, db.Wrap("list people of project", err)
}

const readRun = `-- movedb.readRun
SELECT cursor FROM import_runs WHERE source = $1 AND host = $2 AND list = $3`

// Cursor returns where a list was left; "" for its beginning.
func (s *Store) Cursor(ctx context.Context, from move.Place, list string) (cursor string, err error) {
	err = s.db.Read.QueryRowContext(ctx, s.db.Text(readRun), from.Source, from.Host, list).Scan(&cursor)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return cursor, db.Wrap("read where a list was left", err)
}

const writeRun = `-- movedb.writeRun
INSERT INTO import_runs (source, host, list, cursor, at) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (source, host, list) DO UPDATE SET cursor = excluded.cursor, at = excluded.at`

func (t Tx) noteCursor(ctx context.Context, now time.Time, from move.Place, list, cursor string) error {
	_, err := t.Exec(ctx, writeRun, from.Source, from.Host, list, cursor, db.Micros(now))
	return err
}
