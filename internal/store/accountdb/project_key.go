package accountdb

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/store/db"
)

const projectByKey = `-- accountdb.ProjectByKey
SELECT p.id, p.account_id, p.user_search_field, p.scrubbing, p.grouping, p.active AND a.active, k.scope,
    EXISTS (SELECT 1 FROM source_map_totals t WHERE t.project_id = p.id AND t.maps > 0), EXISTS (SELECT 1 FROM forwards f WHERE f.project_id = p.id)
FROM project_keys k JOIN projects p ON p.id = k.project_id JOIN accounts a ON a.id = p.account_id WHERE k.key = $1`

// ProjectByKey returns the data of an API key's project that intake needs, or a NotFound error.
func (s *Store) ProjectByKey(ctx context.Context, key string) (accounts.KeyedProject, error) {
	var p accounts.KeyedProject
	err := s.db.Read.QueryRowContext(ctx, s.db.Text(projectByKey), key).Scan(&p.ProjectID, &p.AccountID, &p.UserSearchField, &p.Scrubbing, &p.Grouping, &p.Active, &p.Scope, &p.SourceMaps, &p.Forwards)
	return p, s.db.Explain(db.NotFound(err, "project", "find project by key"))
}

// The key that users are shown is the newest one without an end and with full scope. Every project has one.
const firstKey = ` ORDER BY k.ends_at > 0, k.scope <> 'all', k.created_at DESC, k.key`

const projectKeys = `-- accountdb.ProjectKeys
SELECT k.key, k.scope, k.label, k.created_at, k.ends_at, k.used_at FROM project_keys k WHERE k.project_id = $1` + firstKey

// ProjectKeys returns the keys of a project, starting with the one that users are shown.
func (s *Store) ProjectKeys(ctx context.Context, projectID int64) ([]accounts.ProjectKey, error) {
	return s.projectKeys(ctx, s.db.Read, projectID)
}

func (s *Store) projectKeys(ctx context.Context, q db.Querier, projectID int64) (keys []accounts.ProjectKey, err error) {
	rows, err := q.QueryContext(ctx, s.db.Text(projectKeys), projectID)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var k accounts.ProjectKey
		var created, ends, used int64
		err := rows.Scan(&k.Key, &k.Scope, &k.Label, &created, &ends, &used)
		k.CreatedAt, k.EndsAt, k.UsedAt = db.FromMicros(created), db.FromMicros(ends), db.FromMicros(used)
		keys = append(keys, k)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list keys of project: %w", err)
	}
	return keys, nil
}

const holdProjectKeys = `-- accountdb.holdProjectKeys
SELECT id FROM projects WHERE id = $1 {{for update}}`

// changeKeys calls change with the keys of a project, locked against other changes.
func (s *Store) changeKeys(ctx context.Context, what string, projectID int64, change func(Tx, []accounts.ProjectKey) error) error {
	return s.inTx(ctx, what, func(t Tx) error {
		t.KeepsCaches = true
		if err := t.QueryRowContext(ctx, s.db.Text(holdProjectKeys), projectID).Scan(new(int64)); err != nil {
			return db.NotFound(err, "Project", "lock project")
		}
		keys, err := s.projectKeys(ctx, t, projectID)
		if err != nil {
			return err
		}
		return change(t, keys)
	})
}

// AddProjectKey creates another API key of a project; if it has full scope, users are shown this key from then on. The earlier keys keep
// working. The error is Conflict if there are too many.
func (s *Store) AddProjectKey(ctx context.Context, now time.Time, projectID int64, scope accounts.KeyScope, label string) (key string, err error) {
	err = s.changeKeys(ctx, "add key", projectID, func(t Tx, keys []accounts.ProjectKey) error {
		if len(keys) >= accounts.MostProjectKeys {
			return sett.Errorf(sett.Conflict, "A project may have %d keys. Revoke one first.", accounts.MostProjectKeys)
		}
		for _, k := range keys { // the new key must be the newest, even if the clock was ahead before
			if !k.CreatedAt.Before(now) {
				now = k.CreatedAt.Add(time.Microsecond)
			}
		}
		key = sett.NewProjectKey(db.RandomOf(ctx))
		_, err := t.Exec(ctx, insertProjectKey, key, projectID, db.Micros(now), string(scope))
		if err == nil && label != "" {
			_, err = t.Exec(ctx, changeProjectKey, projectID, key, label, string(scope))
		}
		return err
	})
	return key, err
}

const endProjectKey = `-- accountdb.endProjectKey
UPDATE project_keys SET ends_at = $3 WHERE project_id = $1 AND key = $2`

const dropProjectKey = `-- accountdb.dropProjectKey
DELETE FROM project_keys WHERE project_id = $1 AND key = $2`

// RevokeProjectKey revokes a key of a project, at once or after a grace period. A project keeps one key without an end and with full
// scope: revoking the last of these is a Conflict. The error is NotFound if the project does not have the key.
func (s *Store) RevokeProjectKey(ctx context.Context, now time.Time, projectID int64, key string, grace time.Duration) error {
	return s.changeKeys(ctx, "revoke key", projectID, func(t Tx, keys []accounts.ProjectKey) error {
		if err := keepWholeKey(keys, key); err != nil {
			return err
		}
		if grace > 0 {
			_, err := t.Exec(ctx, endProjectKey, projectID, key, db.Micros(now.Add(grace)))
			return err
		}
		_, err := t.Exec(ctx, dropProjectKey, projectID, key)
		return err
	})
}

// keepWholeKey returns why a key may not be revoked: the project does not have it, or has no other key without an end and with full
// scope.
func keepWholeKey(keys []accounts.ProjectKey, key string) error {
	switch {
	case !slices.ContainsFunc(keys, func(k accounts.ProjectKey) bool { return k.Key == key }):
		return sett.Errorf(sett.NotFound, "Key not found")
	case !slices.ContainsFunc(keys, func(k accounts.ProjectKey) bool { return k.Key != key && k.Whole() }):
		return sett.Errorf(sett.Conflict, "This is the last key of the project without an end and with full scope. Create another one first, and use it in all clients.")
	}
	return nil
}

const changeProjectKey = `-- accountdb.ChangeProjectKey
UPDATE project_keys SET label = $3, scope = $4 WHERE project_id = $1 AND key = $2`

// ChangeProjectKey changes what a key of a project is for, and what may be reported with it. The last key without an end keeps its full
// scope: to narrow it is a Conflict. The error is NotFound if the project does not have the key.
func (s *Store) ChangeProjectKey(ctx context.Context, projectID int64, key string, change accounts.ProjectKeyChange) error {
	return s.changeKeys(ctx, "change key", projectID, func(t Tx, keys []accounts.ProjectKey) error {
		at := slices.IndexFunc(keys, func(k accounts.ProjectKey) bool { return k.Key == key })
		if at < 0 {
			return sett.Errorf(sett.NotFound, "Key not found")
		}
		changed, err := change.Apply(keys[at])
		if err == nil && keys[at].Scope == accounts.ScopeAll && changed.Scope != accounts.ScopeAll {
			err = keepWholeKey(keys, key)
		}
		if err != nil {
			return err
		}
		_, err = t.Exec(ctx, changeProjectKey, projectID, key, changed.Label, string(changed.Scope))
		return err
	})
}

const endedKeys = `-- accountdb.endedKeys
SELECT count(*) FROM project_keys WHERE ends_at > 0 AND ends_at <= $1`

const dropEndedKeys = `-- accountdb.DropEndedKeys
DELETE FROM project_keys WHERE ends_at > 0 AND ends_at <= $1`

// DropEndedKeys deletes the keys whose grace period has passed, and returns their number. So lookups of keys need not check their end.
func (s *Store) DropEndedKeys(ctx context.Context, now time.Time) (n int64, err error) {
	if err := s.db.Read.QueryRowContext(ctx, s.db.Text(endedKeys), db.Micros(now)).Scan(&n); err != nil || n == 0 {
		return 0, db.Wrap("look for ended keys", err)
	}
	err = s.inTx(ctx, "drop ended keys", func(t Tx) error {
		t.KeepsCaches = true
		n, err = t.Changed(ctx, dropEndedKeys, db.Micros(now))
		return err
	})
	return n, err
}

const noteKeyUse = `-- accountdb.NoteKeyUse
UPDATE project_keys SET used_at = $1 WHERE key IN `

// NoteKeyUse records that keys were used.
func (s *Store) NoteKeyUse(ctx context.Context, now time.Time, keys []string) error {
	return s.inTx(ctx, "note use of keys", func(t Tx) error {
		t.KeepsCaches = true
		list, args := db.In(s.db, 2, keys)
		_, err := t.ExecContext(ctx, s.db.Text(noteKeyUse+list), append([]any{db.Micros(now)}, args...)...)
		return err
	})
}
