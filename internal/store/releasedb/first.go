package releasedb

import (
	"context"
	"database/sql"
	"errors"

	"sett/internal/sett/release"
	"sett/internal/store/db"
)

const has = `-- releasedb.ReadHas
SELECT EXISTS (SELECT 1 FROM releases WHERE project_id = $1 AND version = $2)`

// ReadHas reports whether a project has a release.
func (s *Store) ReadHas(ctx context.Context, q db.Querier, projectID int64, version string) (there bool, err error) {
	err = q.QueryRowContext(ctx, s.db.Text(has), projectID, version).Scan(&there)
	return there, db.Wrap("find release", err)
}

const newest = `-- releasedb.ReadNewest
SELECT version FROM releases WHERE project_id = $1 ORDER BY created_at DESC, id DESC LIMIT 1`

// ReadNewest returns the release of a project that was named last; "" if it has none.
func (s *Store) ReadNewest(ctx context.Context, q db.Querier, projectID int64) (version string, err error) {
	err = q.QueryRowContext(ctx, s.db.Text(newest), projectID).Scan(&version)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return version, db.Wrap("find newest release", err)
}

const firstNamed = `-- releasedb.FirstNamed
SELECT r.project_id, r.version, r.created_at, r.id
FROM {{rows k(project_id bigint, version text)}} JOIN releases r ON r.project_id = k.project_id AND r.version = k.version`

// FirstNamed returns when those of some releases that exist were first named.
func (t Tx) FirstNamed(ctx context.Context, keys ...Key) (map[Key]release.Place, error) {
	named := map[Key]release.Place{}
	var projects []int64
	var versions []string
	for _, k := range keys {
		projects, versions = append(projects, k.ProjectID), append(versions, k.Version)
	}
	err := t.EachRow(ctx, firstNamed, func(rows *sql.Rows) error {
		var k Key
		var f release.Place
		err := rows.Scan(&k.ProjectID, &k.Version, &f.At, &f.ID)
		named[k] = f
		return err
	}, projects, versions)
	return named, db.Wrap("find releases", err)
}
