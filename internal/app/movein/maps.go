package movein

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"sett/internal/base/progress"
	"sett/internal/event/sourcemap"
	"sett/internal/event/sourcemap/bundle"
	"sett/internal/event/sourcemap/function"
	"sett/internal/ingest/unminify"
	"sett/internal/ingest/upload"
	"sett/internal/sett"
	"sett/internal/sett/move"
	"sett/internal/store/sourcemapdb"
)

// Code is what this server does with minified code. Without it no source maps come, and events are known by their minified frames.
type Code struct {
	Uploads *upload.Desk   // decodes and stores source maps
	Maps    *unminify.Maps // finds where minified frames come from
	Stored  func()         // after some were stored, so that they apply at once; nil for nothing
}

// The bounds on the source maps of a project, those of former runs included.
const (
	mostMaps       = 1000
	mostBytes      = 256 << 20 // of maps and their minified files
	mostUnreadable = 3         // files in a row at which the server fails
)

// maps brings the source maps of the newest builds of a project, newest first. It comes before events, so that these are known by their original frames.
func (r *run) maps(ctx context.Context, p move.Project, projectID int64) error {
	if r.Code.Uploads == nil {
		return nil
	}
	step := progress.Begin(ctx, "reading source maps of "+p.Slug, progress.Rows, 0)
	defer step.End()
	builds, left, err := r.Source.Builds(ctx, p)
	if err != nil {
		return fmt.Errorf("read source maps of %s: %w", p.Slug, err)
	}
	r.report.Leave(left...)
	m := mapper{run: r, of: p, projectID: projectID, step: step}
	for _, b := range builds {
		if b.More {
			m.leave(b.Name, fmt.Sprintf("It has more than %d files: the others are not read.", move.MostFiles))
		}
		if err := m.build(ctx, b); err != nil {
			return fmt.Errorf("import source maps of %s: %w", p.Slug, err)
		}
		if m.full != "" {
			m.leave("", m.full)
			break
		}
	}
	if m.found > 0 {
		r.report.Add(mapsNoun, m.found, m.made, m.present)
	}
	if m.made > 0 && !r.DryRun && r.Code.Stored != nil {
		r.Code.Stored()
	}
	return nil
}

// mapper brings the source maps of a project.
type mapper struct {
	*run
	of        move.Project
	projectID int64
	step      *progress.Step

	found, made, present int64
	bytes                int64  // of those that were found, as far as it is known
	failed               int    // files in a row that the server could not give
	full                 string // why no more are read
}

func (m *mapper) leave(name, why string) {
	m.report.Leave(move.Left{Noun: mapsNoun, Name: strings.TrimSuffix(m.of.Slug+": "+name, ": "), Why: why, Page: move.SourceMapsPage})
}

// build brings the source maps of a build that did not come before.
func (m *mapper) build(ctx context.Context, b move.Build) error {
	listed, files := []bundle.Listed{}, map[string]move.File{}
	for _, f := range b.Files {
		listed = append(listed, bundle.Listed{Name: f.ID, Kind: string(f.Kind), URL: f.URL, Map: f.Map, DebugID: f.DebugID})
		files[f.ID] = f
	}
	pairs, _ := bundle.PairOf(listed)
	var ids []string
	for _, p := range pairs {
		ids = append(ids, m.id(b, p, files[p.Map]))
	}
	came, err := m.Moves.CameMaps(ctx, m.from, ids)
	if err != nil {
		return err
	}
	for i, p := range pairs {
		switch {
		case m.found >= mostMaps:
			m.full = fmt.Sprintf("Only the newest %d come.", mostMaps)
		case m.bytes >= mostBytes:
			m.full = fmt.Sprintf("Only the newest come, of %d MB in all.", mostBytes>>20)
		}
		if m.full != "" {
			return nil
		}
		m.found++
		m.step.Add(1)
		if came[i] || m.DryRun {
			m.bytes += min(max(files[p.Map].Size, 0), sourcemapdb.LargestFile) + min(max(files[p.Minified].Size, 0), function.LargestFile)
			m.made, m.present = m.made+flag(!came[i]), m.present+flag(came[i])
			continue
		}
		if err := m.bring(ctx, b, p, files, ids[i]); err != nil {
			return err
		}
	}
	return nil
}

// id is that of a source map at the source: its file may belong to many projects there, and be of several minified files.
func (m *mapper) id(b move.Build, p bundle.Pair, f move.File) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{b.ID, f.ID, f.Version, p.URL, p.DebugID}, "\x00")))
	return fmt.Sprint(m.projectID, "/", hex.EncodeToString(sum[:16]))
}

// bring reads a source map with its minified file, and stores it. One that cannot be used is left.
func (m *mapper) bring(ctx context.Context, b move.Build, p bundle.Pair, files map[string]move.File, id string) error {
	name := cmp.Or(p.URL, p.DebugID)
	text, err := m.read(ctx, b, files[p.Map], sourcemapdb.LargestFile)
	var minified []byte
	if err == nil && p.Minified != "" {
		minified, err = m.read(ctx, b, files[p.Minified], function.LargestFile)
		if unreadable(err) {
			minified, err = nil, nil // the map is of use without it
		}
	}
	if sett.CodeOf(err) == sett.Forbidden { // of this one, and so of all
		m.full = err.Error()
		return nil
	}
	if m.failed >= mostUnreadable {
		m.full = "The server fails to give these files. Run the import again later."
	}
	stored := false
	if err == nil {
		stored, err = m.store(ctx, b, p, text, minified)
	}
	if unreadable(err) {
		m.leave(name, cmp.Or(why(err), "It cannot be read."))
		return nil
	}
	if err != nil {
		return err
	}
	m.made, m.present = m.made+flag(stored), m.present+flag(!stored)
	return m.Moves.NoteMap(ctx, m.from, m.projectID, id)
}

// read reads a file of a build.
func (m *mapper) read(ctx context.Context, b move.Build, f move.File, most int) ([]byte, error) {
	text, err := m.Source.File(ctx, m.of, b, f, most)
	if m.bytes += int64(len(text)); sett.CodeOf(err) == sett.TooLarge {
		m.bytes += int64(most) // it was read that far
	}
	switch {
	case sett.CodeOf(err) == sett.Unavailable:
		m.failed++
		err = sett.Errorf(sett.NotFound, "The server failed to give it.")
	case err == nil:
		m.failed = 0
	}
	return text, err
}

// unreadable reports whether an error is about one source map alone.
func unreadable(err error) bool {
	switch sett.CodeOf(err) {
	case sett.Invalid, sett.TooLarge, sett.NotFound:
		return true
	}
	return false
}

func why(err error) string {
	if sett.CodeOf(err) == sett.TooLarge {
		return fmt.Sprintf("It has more than %d MB, or this server keeps no source map as large.", sourcemapdb.LargestFile>>20)
	}
	return move.Line(err.Error(), 500)
}

// store stores a source map for each of the revisions of its build. One that is found by its debug id needs no other.
func (m *mapper) store(ctx context.Context, b move.Build, p bundle.Pair, text, minified []byte) (stored bool, err error) {
	if sourcemap.Pattern(p.URL).HasWildcard() {
		return false, sett.Errorf(sett.Invalid, "Its name would stand for other files too.")
	}
	revisions := slices.Clone(b.Revisions)
	switch {
	case p.URL == "":
		revisions = []string{""}
	case len(revisions) == 0 && p.DebugID == "":
		revisions = []string{sourcemapdb.DefaultRevision}
	case len(revisions) == 0:
		revisions = []string{""}
	case p.DebugID != "":
		revisions = revisions[:1]
	}
	for _, revision := range revisions {
		u := sourcemapdb.Upload{ProjectID: m.projectID, DebugID: p.DebugID, Revision: revision, URL: p.URL, Map: text}
		one, err := m.Code.Uploads.Add(ctx, m.Now(), u, minified)
		if err != nil {
			return stored, err
		}
		stored = stored || one
	}
	return stored, nil
}
