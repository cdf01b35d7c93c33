package store

import (
	"context"
	"database/sql"
	"fmt"

	"sett/internal/sett"
	"sett/internal/store/db"
)

// Reports make the environments that they name, as long as their project has room for them. What is known of an
// environment is believed for a minute, so that a batch whose environments all came lately takes no statement.

const knownEnvironments = `-- store.knownEnvironments
SELECT e.project_id, e.name FROM {{rows k(project_id bigint, name text)}} JOIN environments e ON e.project_id = k.project_id AND e.name = k.name`

// environmentsThere returns those of some environments that there are.
func (t *tx) environmentsThere(ctx context.Context, asked []environmentKey) (map[environmentKey]bool, error) {
	there := map[environmentKey]bool{}
	var projects []int64
	var names []string
	for _, k := range asked {
		projects, names = append(projects, k.project), append(names, k.name)
	}
	return there, t.EachRow(ctx, knownEnvironments, func(rows *sql.Rows) error {
		var k environmentKey
		err := rows.Scan(&k.project, &k.name)
		there[k] = true
		return err
	}, projects, names)
}

// environmentRoom is how many environments projects may have more, by their ids.
type environmentRoom map[int64]int64

const countEnvironments = `-- store.countEnvironments
SELECT count(*) FROM (SELECT 1 FROM environments WHERE project_id = $1 LIMIT $2) AS few`

// full reports whether there is no room for an environment, and takes room for it where there is.
func (r environmentRoom) full(ctx context.Context, t *tx, k environmentKey) (bool, error) {
	if sett.AlwaysEnvironment(k.name) {
		return false, nil
	}
	if _, counted := r[k.project]; !counted {
		var n int64
		if err := t.QueryRowContext(ctx, t.s.Text(countEnvironments), k.project, sett.MostEnvironments).Scan(&n); err != nil {
			return false, fmt.Errorf("count environments: %w", err)
		}
		r[k.project] = sett.MostEnvironments - n
	}
	r[k.project]--
	return r[k.project] < 0, nil
}

// roomFor returns the environment that a deploy is recorded with which names one, and whether that is to be made.
func (t *tx) roomFor(ctx context.Context, projectID int64, named string) (name string, fresh bool, err error) {
	if named == "" {
		return "", false, nil
	}
	k := environmentKey{projectID, named}
	there, err := t.environmentsThere(ctx, []environmentKey{k})
	if err != nil || there[k] {
		return named, false, db.Wrap("find environment", err)
	}
	full, err := environmentRoom{}.full(ctx, t, k)
	if full {
		named = sett.OtherEnvironment
	}
	return named, true, err
}

type environmentKey struct {
	project int64
	name    string
}

const addEnvironments = `-- store.addEnvironments
INSERT INTO environments (project_id, name, notifications, created_at, updated_at)
SELECT k.project_id, k.name, true, k.at, k.at FROM {{rows k(project_id bigint, name text, at bigint)}} WHERE true
ON CONFLICT (project_id, name) DO NOTHING`
