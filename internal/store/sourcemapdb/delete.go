package sourcemapdb

import (
	"context"
	"slices"
	"time"

	"sett/internal/sett"
	"sett/internal/store/db"
	"sett/internal/store/work"
)

const filesOfMap = `-- sourcemapdb.filesOfMap
SELECT file_id FROM source_maps WHERE id = $1 UNION ALL SELECT file_id FROM source_map_files WHERE map_id = $1`

const deleteMap = `-- sourcemapdb.deleteMap
DELETE FROM source_maps WHERE id = $1`

// drop deletes maps of a project whose total is locked, and their files, unless other maps need them or they are among those to keep.
func (t Tx) drop(ctx context.Context, maps, keep []int64, sum *total) error {
	for _, id := range maps {
		files, err := t.s.db.ListIDs(ctx, t, filesOfMap, id)
		if err != nil {
			return db.Wrap("find files of source map", err)
		}
		n, err := t.Changed(ctx, deleteMap, id)
		if err != nil {
			return db.Wrap("delete source map", err)
		}
		sum.maps -= n
		sum.bytes -= rowBytes * int64(len(files))
		slices.Sort(files)
		files = slices.DeleteFunc(slices.Compact(files), func(id int64) bool { return slices.Contains(keep, id) })
		if err := t.dropFiles(ctx, files, sum); err != nil {
			return err
		}
	}
	return nil
}

const oldestMaps = `-- sourcemapdb.oldestMaps
SELECT id FROM source_maps WHERE project_id = $1 ORDER BY used_at, id LIMIT $2`

// deleteOldest deletes some of the least recently used maps of a project, until they took the given bytes, and returns how many.
func (t Tx) deleteOldest(ctx context.Context, project, bytes int64) (n int64, err error) {
	err = t.changing(ctx, project, func(sum *total) error {
		ids, err := t.s.db.ListIDs(ctx, t, oldestMaps, project, mapsAtOnce)
		for _, id := range ids {
			if err != nil || -sum.bytes >= bytes {
				break
			}
			err = t.drop(ctx, []int64{id}, nil, sum)
		}
		n = -sum.maps
		return err
	})
	return n, err
}

const unusedMaps = `-- sourcemapdb.unusedMaps
SELECT id FROM source_maps WHERE project_id = $1 AND used_at < $2 ORDER BY used_at, id LIMIT $3`

const hasUnused = `-- sourcemapdb.HasUnused
SELECT EXISTS (SELECT 1 FROM source_maps WHERE project_id = $1 AND used_at < $2)`

// HasUnused reports whether a project has maps that were neither uploaded nor used since a time.
func (s *Store) HasUnused(ctx context.Context, project int64, since time.Time) (has bool, err error) {
	err = s.db.Read.QueryRowContext(ctx, s.db.Text(hasUnused), project, day(since)).Scan(&has)
	return has, db.Wrap("find unused source maps", err)
}

// DeleteUnused deletes at most so many maps of a project that were neither uploaded nor used since a time, and returns how many.
func (t Tx) DeleteUnused(ctx context.Context, project int64, since time.Time, most int64) (int64, error) {
	return t.deleteFound(ctx, project, unusedMaps, project, day(since), most)
}

// deleteFound deletes the maps whose ids a statement finds, and returns how many.
func (t Tx) deleteFound(ctx context.Context, project int64, find string, args ...any) (n int64, err error) {
	err = t.changing(ctx, project, func(sum *total) error {
		ids, err := t.s.db.ListIDs(ctx, t, find, args...)
		if err == nil {
			err = t.drop(ctx, ids, nil, sum)
		}
		n = -sum.maps
		return err
	})
	return n, err
}

const projectMaps = `-- sourcemapdb.projectMaps
SELECT id FROM source_maps WHERE project_id = $1 LIMIT $2`

// SweepProject deletes all source maps of a project, and the chunks that may be of some, a few in each transaction.
func (s *Store) SweepProject(ctx context.Context, project int64) error {
	if err := s.sweepChunks(ctx, project); err != nil {
		return err
	}
	return s.sweep(ctx, project, projectMaps, project)
}

const revisionMaps = `-- sourcemapdb.DeleteRevision
SELECT id FROM source_maps WHERE project_id = $1 AND revision = $2 AND id <= $3 LIMIT $4`

const newestOfRevision = `-- sourcemapdb.newestOfRevision
SELECT coalesce(max(id), 0) FROM source_maps WHERE project_id = $1 AND revision = $2`

const deletionOfRevision work.Kind = "delete source maps"

// revisionPieces is how many pieces of a deletion are done before the answer.
const revisionPieces = 100

// goneRevision is a revision whose source maps are being deleted. Those that are uploaded later stay.
type goneRevision struct {
	Revision string `json:"revision"`
	Newest   int64  `json:"newest"`
}

// DeleteRevision deletes all source maps of a revision, in pieces: the first ones before it returns, the rest in the background. The error
// is NotFound if it has none.
func (s *Store) DeleteRevision(ctx context.Context, project int64, revision string) error {
	var i work.Item
	err := s.inTx(ctx, "begin to delete source maps", func(t Tx) error {
		gone := goneRevision{Revision: revision}
		err := t.QueryRowContext(ctx, s.db.Text(newestOfRevision), project, revision).Scan(&gone.Newest)
		if err == nil && gone.Newest == 0 {
			err = sett.Errorf(sett.NotFound, "Source maps of this revision not found")
		}
		if err == nil {
			i, err = s.work.In(t.Tx).Add(ctx, deletionOfRevision, project, gone)
		}
		return err
	})
	if err == nil {
		_, err = s.work.Begin(ctx, i, revisionPieces, nil)
	}
	return s.db.Explain(err)
}

// continueRevision deletes what is left of the source maps of a revision.
func (s *Store) continueRevision(ctx context.Context, i work.Item) error {
	var gone goneRevision
	if err := i.Read(&gone); err != nil {
		return err
	}
	return s.sweep(ctx, i.ProjectID, revisionMaps, i.ProjectID, gone.Revision, gone.Newest)
}

// sweep deletes the maps that a statement finds, whose last argument is how many at most.
func (s *Store) sweep(ctx context.Context, project int64, find string, args ...any) error {
	sum, err := s.Total(ctx, project)
	if err != nil || sum.Maps == 0 {
		return err
	}
	err = s.db.Sweep(ctx, "delete source maps", mapsAtOnce, func(t *db.Tx) (int64, error) {
		t.KeepsCaches = true
		return s.In(t).deleteFound(ctx, project, find, append(slices.Clone(args), mapsAtOnce)...)
	})
	return s.db.Explain(err)
}

const oneMap = `-- sourcemapdb.Delete
SELECT id FROM source_maps WHERE project_id = $1 AND id = $2`

// Delete deletes a source map. The error is NotFound if the project has none with this id.
func (s *Store) Delete(ctx context.Context, project, id int64) error {
	err := s.inTx(ctx, "delete source map", func(t Tx) error {
		n, err := t.deleteFound(ctx, project, oneMap, project, id)
		if err == nil && n == 0 {
			err = sett.Errorf(sett.NotFound, "Source map not found")
		}
		return err
	})
	return s.db.Explain(err)
}
