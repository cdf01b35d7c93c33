package settings

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"sett/internal/ingest/trial"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/sett/regroup"
	"sett/internal/store/faultdb"
	"sett/internal/web"
)

// The bounds of a trial of rules.
const (
	mostTried     = 10_000           // events
	triedAtOnce   = 250              // events whose bodies are in memory
	longestTrial  = 15 * time.Second // to read and to group events
	mostRegrouped = 50               // errors that join, and that part, which are listed
	mostSides     = 10               // of each
)

// tried is what came of a trial.
type tried struct {
	trial.Outcome
	Cut bool // its time was over
}

// tryRules groups the newest events of the project by its present rules and by others. It takes no lock, and stops after a time.
func (p *pages) tryRules(r *http.Request, rules *regroup.Rules) (*tried, error) {
	ctx, cancel := context.WithTimeout(r.Context(), longestTrial)
	defer cancel()
	project := web.Project(r)
	settings, err := p.Accounts.Grouping(ctx, project)
	if err != nil {
		return nil, err
	}
	newest, err := p.Faults.NewestNotices(ctx, project, mostTried)
	if err != nil {
		return nil, err
	}
	t, done := trial.New(accounts.KeyedProject{ProjectID: project}, settings.Compiled(), rules), &tried{}
	for len(newest) > 0 && !done.Cut {
		lot := newest[:min(len(newest), triedAtOnce)]
		newest = newest[len(lot):]
		if err := p.tryLot(ctx, project, lot, t); ctx.Err() != nil && r.Context().Err() == nil {
			done.Cut = true
		} else if err != nil {
			return nil, err
		}
	}
	known, err := p.Faults.FaultsOfKeys(r.Context(), project, t.Keys())
	if err != nil {
		return nil, err
	}
	done.Outcome = t.Outcome(known)
	return done, nil
}

func (p *pages) tryLot(ctx context.Context, project int64, lot []faultdb.NewestNotice, t *trial.Trial) error {
	ids := make([]int64, len(lot))
	for i, n := range lot {
		ids[i] = n.ID
	}
	bodies, err := p.Faults.SentBodies(ctx, project, ids)
	if err != nil {
		return err
	}
	for _, n := range lot {
		if body, ok := bodies[n.ID]; ok {
			t.Add(trial.Stored{Fault: n.Fault, Part: n.Part, Body: body.JSON}, sett.NoticeID(n.ID).Time())
		}
	}
	return ctx.Err()
}

// adopted are the keys by which errors will go on.
func (t *tried) adopted() (keys []faultdb.AdoptedKey) {
	for _, a := range t.Adopts {
		keys = append(keys, faultdb.AdoptedKey{Grouping: a.Grouping, Part: a.Part})
	}
	return keys
}

// merging are errors that are merged, by the error that they are merged into.
type merging map[int64][]int64

func (m merging) count() (n int64) {
	for _, others := range m {
		n += int64(len(others))
	}
	return n
}

// merges returns the errors that join others with all of their events. One that also parts is not merged: its stored events cannot be told apart any more.
func (t *tried) merges() merging {
	all := merging{}
	for _, j := range t.Joins {
		for _, other := range j.Others {
			if other.All && j.Into.Fault != 0 {
				all[j.Into.Fault] = append(all[j.Into.Fault], other.Fault)
			}
		}
	}
	return all
}

// groupingPreview is what a trial shows.
type groupingPreview struct {
	Looked, Unsure int64
	Cut            bool
	Joins          []joinRow
	Parts          []partRow
	MoreJoins      int64 // that are not listed
	MoreParts      int64
	Merges         int64 // errors that would be merged into others
}

type joinRow struct {
	Into   regroupedError
	Others []regroupedError
	More   int64
}

type partRow struct {
	Error  regroupedError
	Pieces []piece
	More   int64
}

// regroupedError is an error in a preview.
type regroupedError struct {
	ID                    int64 // 0: it does not exist yet
	Class, Message, Place string
	Path                  string
	Count                 int64 // events of the trial
	Stays                 bool  // it has other events, which do not join
}

// piece is what becomes of some events of an error.
type piece struct {
	Place  string
	Count  int64
	Stays  bool  // in the error
	Joined int64 // the error that they join; 0: a new one
}

func (p *pages) newGroupingPreview(r *http.Request, t *tried) (*groupingPreview, error) {
	v := &groupingPreview{Looked: t.Looked, Unsure: t.Unsure, Cut: t.Cut, Merges: t.merges().count()}
	joins, parts := t.Joins[:min(len(t.Joins), mostRegrouped)], t.Parts[:min(len(t.Parts), mostRegrouped)]
	v.MoreJoins, v.MoreParts = int64(len(t.Joins)-len(joins)), int64(len(t.Parts)-len(parts))
	known, err := p.regroupedFaults(r, joins, parts)
	if err != nil {
		return nil, err
	}
	for _, j := range joins {
		others := j.Others[:min(len(j.Others), mostSides)]
		row := joinRow{Into: newRegroupedError(j.Into, known), More: int64(len(j.Others) - len(others))}
		for _, other := range others {
			row.Others = append(row.Others, newRegroupedError(other, known))
		}
		v.Joins = append(v.Joins, row)
	}
	for _, part := range parts {
		pieces := part.Pieces[:min(len(part.Pieces), mostSides)]
		row := partRow{Error: newRegroupedError(trial.Side{Fault: part.Fault}, known), More: int64(len(part.Pieces) - len(pieces))}
		for _, one := range pieces {
			stays := one.Into == part.Fault
			joined := one.Into
			if stays {
				joined = 0
			}
			row.Error.Count += one.Count
			row.Pieces = append(row.Pieces, piece{placeOf(one.As), one.Count, stays, joined})
		}
		v.Parts = append(v.Parts, row)
	}
	return v, nil
}

// regroupedFaults returns the errors that are listed.
func (p *pages) regroupedFaults(r *http.Request, joins []trial.Join, parts []trial.Parting) (map[int64]faults.Fault, error) {
	var ids []int64
	for _, j := range joins {
		ids = append(ids, j.Into.Fault)
		for _, other := range j.Others[:min(len(j.Others), mostSides)] {
			ids = append(ids, other.Fault)
		}
	}
	for _, part := range parts {
		ids = append(ids, part.Fault)
	}
	found, err := p.Faults.FaultsByID(r.Context(), web.Project(r), ids)
	known := map[int64]faults.Fault{}
	for _, f := range found {
		known[f.ID] = f
	}
	return known, err
}

func newRegroupedError(s trial.Side, known map[int64]faults.Fault) regroupedError {
	f := known[s.Fault]
	return regroupedError{ID: f.ID, Path: fmt.Sprintf("/projects/%d/faults/%d", f.ProjectID, f.ID), Class: f.Class, Message: sett.CutText(f.Message, 200), Place: placeOf(s.As), Count: s.Count, Stays: !s.All}
}

// placeOf is what a grouping goes by, for a reader.
func placeOf(g faults.Grouping) string {
	where := g.File
	if where != "" && g.Line != "" {
		where += ":" + g.Line
	}
	switch {
	case g.Fingerprint != "":
		return "fingerprint " + g.Fingerprint
	case where != "" && g.Method != "":
		where += " in " + g.Method
	case g.Method != "":
		where = g.Method
	}
	if g.Message != "" {
		where = joinTexts(where, "“"+sett.CutText(g.Message, 200)+"”")
	}
	return where
}

func joinTexts(a, b string) string {
	if a == "" {
		return b
	}
	return a + ", " + b
}
