package accountdb

import (
	"context"
	"database/sql"
	"fmt"

	"sett/internal/sett/faults"
	"sett/internal/store/db"
)

// Reports create the environments that they name, as long as their project has room. The cached state of an environment is valid for a
// minute, so that a batch with only recent environments takes no statement.

const knownEnvironments = `-- accountdb.knownEnvironments
SELECT e.project_id, e.name FROM {{rows k(project_id bigint, name text)}} JOIN environments e ON e.project_id = k.project_id AND e.name = k.name`

// EnvironmentsThere returns which of some environments exist.
func (t Tx) EnvironmentsThere(ctx context.Context, asked []EnvironmentKey) (map[EnvironmentKey]bool, error) {
	there := map[EnvironmentKey]bool{}
	var projects []int64
	var names []string
	for _, k := range asked {
		projects, names = append(projects, k.Project), append(names, k.Name)
	}
	return there, t.EachRow(ctx, knownEnvironments, func(rows *sql.Rows) error {
		var k EnvironmentKey
		err := rows.Scan(&k.Project, &k.Name)
		there[k] = true
		return err
	}, projects, names)
}

// EnvironmentRoom is how many more environments projects may have, by project id.
type EnvironmentRoom map[int64]int64

const countEnvironments = `-- accountdb.countEnvironments
SELECT count(*) FROM (SELECT 1 FROM environments WHERE project_id = $1 LIMIT $2) AS few`

// Full reports whether there is no room for an environment; if there is, it reserves it.
func (r EnvironmentRoom) Full(ctx context.Context, t Tx, k EnvironmentKey) (bool, error) {
	if faults.AlwaysEnvironment(k.Name) {
		return false, nil
	}
	if _, counted := r[k.Project]; !counted {
		var n int64
		if err := t.QueryRowContext(ctx, t.s.db.Text(countEnvironments), k.Project, faults.MostEnvironments).Scan(&n); err != nil {
			return false, fmt.Errorf("count environments: %w", err)
		}
		r[k.Project] = faults.MostEnvironments - n
	}
	r[k.Project]--
	return r[k.Project] < 0, nil
}

// RoomFor returns the environment under which to record a deploy that names one, and whether that is to be created.
func (t Tx) RoomFor(ctx context.Context, projectID int64, named string) (name string, fresh bool, err error) {
	if named == "" {
		return "", false, nil
	}
	k := EnvironmentKey{projectID, named}
	there, err := t.EnvironmentsThere(ctx, []EnvironmentKey{k})
	if err != nil || there[k] {
		return named, false, db.Wrap("find environment", err)
	}
	full, err := EnvironmentRoom{}.Full(ctx, t, k)
	if full {
		named = faults.OtherEnvironment
	}
	return named, true, err
}

type EnvironmentKey struct {
	Project int64
	Name    string
}

const AddEnvironments = `-- accountdb.addEnvironments
INSERT INTO environments (project_id, name, notifications, created_at, updated_at)
SELECT k.project_id, k.name, true, k.at, k.at FROM {{rows k(project_id bigint, name text, at bigint)}} WHERE true
ON CONFLICT (project_id, name) DO NOTHING`
