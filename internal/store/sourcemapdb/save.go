package sourcemapdb

import (
	"context"
	"slices"
	"time"

	"sett/internal/event/sourcemap"
	"sett/internal/sett"
	"sett/internal/store/db"
)

// MostFiles is how many original files may be uploaded with a map.
const MostFiles = 500

// Upload is a source map with what it is found by.
type Upload struct {
	ProjectID int64
	DebugID   string // "": none
	Revision  string // "": it is found by its debug id alone
	URL       string // of the minified file, or a pattern, as of sourcemap.CheckURL
	Map       []byte
	Sources   int    // original files that it names
	Contained int    // those that it contains
	Files     []File // original files beside it
	Functions []byte // the table of functions of the minified file, as function.Table.Encode returns it; empty: none

	Bundle     string // that the map came in; see HasBundle. "": none
	BundleMaps int    // source maps in it, each stored once

	Older bool // it is older than what clients have uploaded: see Save
}

// File is an original file.
type File struct {
	URL     string // as of sourcemap.CleanURL
	Content []byte
}

// functionsURL is where the table of functions is among the files of a map. No file of an upload has it, as CleanURL leaves no fragment.
const functionsURL = "#functions"

// Save stores a map and returns its id. It replaces one of the same revision, URL and debug id. An older one replaces none: it is found by its
// debug id alone if another has its revision and URL, and its id is 0 if it is not stored. The error is TooLarge if the server may not even store
// this one.
func (s *Store) Save(ctx context.Context, now time.Time, u Upload) (id int64, err error) {
	packed := []packedFile{pack(u.Map)}
	size := int64(rowBytes + len(packed[0].body))
	if len(u.Functions) > 0 {
		u.Files = append(slices.Clone(u.Files), File{functionsURL, u.Functions})
	}
	for _, f := range u.Files {
		packed = append(packed, pack(f.Content))
		size += int64(rowBytes + len(packed[len(packed)-1].body))
	}
	if s.MostBytes > 0 && size > s.MostBytes {
		return 0, sett.Errorf(sett.TooLarge, "The source map takes %d bytes, and this server stores at most %d of all source maps. Its operator can raise SETT_SOURCE_MAP_BYTES.", size, s.MostBytes)
	}
	err = s.inTx(ctx, "save source map", func(t Tx) error {
		return t.changing(ctx, u.ProjectID, func(sum *total) error {
			id, err = t.save(ctx, now, u, packed, sum)
			return err
		})
	})
	if err != nil {
		return 0, s.db.Explain(err)
	}
	_, err = s.Fit(ctx)
	return id, err
}

const sameMap = `-- sourcemapdb.sameMap
SELECT id FROM source_maps WHERE project_id = $1 AND revision = $2 AND url = $3 AND debug_id = $4`

const insertMap = `-- sourcemapdb.insertMap
INSERT INTO source_maps (project_id, debug_id, revision, url, wild, file_id, sources, contained, created_at, used_at, bundle, bundle_maps)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) RETURNING id`

const insertMapFiles = `-- sourcemapdb.insertMapFiles
INSERT INTO source_map_files (map_id, url, file_id) SELECT k.map, k.url, k.file FROM {{rows k(map bigint, url text, file bigint)}}`

const sameBuild = `-- sourcemapdb.sameBuild
SELECT coalesce(max(CASE WHEN debug_id = $4 AND debug_id <> '' THEN 2 ELSE 1 END), 0) FROM source_maps
WHERE project_id = $1 AND (revision = $2 AND url = $3 AND url <> '' OR debug_id = $4 AND debug_id <> '')`

// besides reports whether there is a place for an older map, beside those that the project has.
func (t Tx) besides(ctx context.Context, u *Upload) (bool, error) {
	var taken int
	err := t.QueryRowContext(ctx, t.s.db.Text(sameBuild), u.ProjectID, u.Revision, u.URL, u.DebugID).Scan(&taken)
	if taken == 1 && u.DebugID != "" {
		u.Revision, u.URL, taken = "", "", 0
	}
	return taken == 0, db.Wrap("find newer source maps", err)
}

func (t Tx) save(ctx context.Context, now time.Time, u Upload, packed []packedFile, sum *total) (id int64, err error) {
	if u.Older {
		if fits, err := t.besides(ctx, &u); err != nil || !fits {
			return 0, err
		}
	}
	ids := make([]int64, len(packed))
	for i, f := range packed {
		if ids[i], err = t.file(ctx, u.ProjectID, f, sum); err != nil {
			return 0, db.Wrap("save file", err)
		}
	}
	before, err := t.s.db.ListIDs(ctx, t, sameMap, u.ProjectID, u.Revision, u.URL, u.DebugID)
	if err != nil {
		return 0, err
	}
	if err := t.drop(ctx, before, ids, sum); err != nil {
		return 0, err
	}
	made, err := t.s.db.ListIDs(ctx, t, insertMap, u.ProjectID, u.DebugID, u.Revision, u.URL, sourcemap.Pattern(u.URL).HasWildcard(),
		ids[0], u.Sources, u.Contained, db.Micros(now), day(now), u.Bundle, u.BundleMaps)
	if err != nil {
		return 0, db.Wrap("insert source map", err)
	}
	id = first(made)
	sum.maps++
	sum.bytes += rowBytes * int64(len(ids))
	return id, db.Wrap("insert files of source map", t.Each(ctx, insertMapFiles, slices.Repeat([]int64{id}, len(u.Files)), urls(u.Files), ids[1:]))
}

func urls(files []File) (all []string) {
	for _, f := range files {
		all = append(all, f.URL)
	}
	return all
}
