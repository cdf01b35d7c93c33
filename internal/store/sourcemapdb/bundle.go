package sourcemapdb

import (
	"context"
	"time"

	"sett/internal/store/db"
)

const bundleMaps = `-- sourcemapdb.HasBundle
SELECT count(*), coalesce(max(bundle_maps), 0), coalesce(min(used_at), 0) FROM source_maps WHERE project_id = $1 AND bundle = $2`

const touchBundle = `-- sourcemapdb.touchBundle
UPDATE source_maps SET used_at = $3 WHERE project_id = $1 AND bundle = $2 AND used_at < $3`

// HasBundle reports whether a project has all the maps that came in a bundle, and keeps them as if they were uploaded again. A map that was
// deleted since, or replaced by that of another bundle, makes it false.
func (s *Store) HasBundle(ctx context.Context, now time.Time, project int64, bundle string) (has bool, err error) {
	var maps, all, used int64
	err = s.db.Read.QueryRowContext(ctx, s.db.Text(bundleMaps), project, bundle).Scan(&maps, &all, &used)
	if has = maps > 0 && maps == all; err != nil || !has || used >= day(now) {
		return has, s.db.Explain(db.Wrap("find bundle", err))
	}
	err = s.inTx(ctx, "note upload of bundle", func(t Tx) error {
		_, err := t.Exec(ctx, touchBundle, project, bundle, day(now))
		return err
	})
	return has, s.db.Explain(err)
}
