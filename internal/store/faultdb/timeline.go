package faultdb

import (
	"context"
	"database/sql"
	"math"
	"slices"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/faults"
	"sett/internal/store/accountdb"
	"sett/internal/store/db"
)

// TimelineFilter selects entries of a timeline: of the given projects, or of all projects of an account that the user can see.
type TimelineFilter struct {
	UserID     int64  // only projects that the user can see; 0: the caller may see the ProjectIDs
	AccountID  string // "" for all accounts of the user
	ProjectIDs []int64
	Kinds      []faults.TimelineKind // none: all
	Before     string                // the Next cursor of the previous page, or ""
	Limit      int
}

// timelineMark is the position after an entry.
type timelineMark struct{ at, rank, id int64 }

// before returns the exclusive upper bound for the time and id of an entry of a kind.
func (m timelineMark) before(kind faults.TimelineKind) (at, id int64) {
	switch rank := int64(kind.Rank()); {
	case rank < m.rank:
		return m.at, math.MinInt64
	case rank > m.rank:
		return m.at, math.MaxInt64
	}
	return m.at, m.id
}

// Timeline returns what happened in projects up to now, newest first, and the cursor after it if there is more. An account that the user
// does not belong to is a NotFound error, and an invalid cursor an Invalid one.
func (s *Store) Timeline(ctx context.Context, now time.Time, f TimelineFilter) (entries []faults.TimelineEntry, marks sett.Marks, err error) {
	at := timelineMark{at: db.Micros(now), rank: -1}
	if f.Before != "" {
		if err := db.ParseMark(f.Before, &at.at, &at.rank, &at.id); err != nil {
			return nil, sett.Marks{}, err
		}
	}
	err = s.db.Snapshot(ctx, "read timeline", func(q db.Querier) error {
		projects, err := s.timelineProjects(ctx, q, f)
		if err != nil || len(projects) == 0 {
			return err
		}
		entries, err = s.timelineBefore(ctx, q, f, at, projects)
		return err
	})
	slices.SortFunc(entries, faults.TimelineEntry.Before)
	entries, marks = sett.Cut(sett.Page{Size: f.Limit}, entries, func(e faults.TimelineEntry) string {
		return db.FormatMark(db.Micros(e.At), int64(e.Kind.Rank()), e.ID)
	})
	return entries, marks, err
}

func (s *Store) timelineProjects(ctx context.Context, q db.Querier, f TimelineFilter) ([]int64, error) {
	if f.UserID == 0 {
		return f.ProjectIDs, nil
	}
	if err := s.account.CheckAccount(ctx, q, f.UserID, f.AccountID); err != nil {
		return nil, err
	}
	seen, err := s.db.ListIDs(ctx, q, accountdb.ProjectsSeen, f.UserID, f.AccountID)
	if len(f.ProjectIDs) > 0 {
		seen = slices.DeleteFunc(seen, func(id int64) bool { return !slices.Contains(f.ProjectIDs, id) })
	}
	return seen, err
}

// timelineBefore looks back further and further until it has enough entries, so that it does not read a busy project from its beginning.
func (s *Store) timelineBefore(ctx context.Context, q db.Querier, f TimelineFilter, at timelineMark, projects []int64) (entries []faults.TimelineEntry, err error) {
	for back := 24 * time.Hour; ; back *= 30 {
		from := max(0, at.at-back.Microseconds())
		if back > 20_000*24*time.Hour {
			from = 0
		}
		entries = entries[:0]
		for _, kind := range faults.TimelineKinds {
			if len(f.Kinds) > 0 && !slices.Contains(f.Kinds, kind) {
				continue
			}
			some, err := s.timelineOf(ctx, q, kind, from, at, f.Limit, projects)
			if err != nil {
				return nil, err
			}
			entries = append(entries, some...)
		}
		if len(entries) > f.Limit || from == 0 {
			return entries, nil
		}
	}
}

func (s *Store) timelineOf(ctx context.Context, q db.Querier, kind faults.TimelineKind, from int64, mark timelineMark, limit int, projects []int64) (entries []faults.TimelineEntry, err error) {
	at, id := mark.before(kind)
	list, ids := db.In(s.db, 5, projects)
	rows, err := q.QueryContext(ctx, s.db.Text(timelines[kind]+list+timelineEndings[kind]+" ORDER BY 1 DESC, 2 DESC LIMIT $4"), append([]any{from, at, id, limit + 1}, ids...)...)
	return entries, db.ScanAll(rows, err, func(rows *sql.Rows) error {
		e := faults.TimelineEntry{Kind: kind}
		var subject []byte
		var at, began, ended int64
		err := rows.Scan(&at, &e.ID, &e.ProjectID, &subject, &e.Title, &e.Detail, &e.Environment, &e.By, &began, &ended)
		if err != nil {
			return err
		}
		e.At, e.SubjectID = db.FromMicros(at), string(subject)
		switch kind {
		case faults.TimelineDown, faults.TimelineUp, faults.TimelineSlow, faults.TimelineFast:
			e.SubjectID = sett.UUID(subject).String()
		}
		if ended > 0 {
			e.Length = time.Duration(ended-began) * time.Microsecond
		}
		entries = append(entries, e)
		return nil
	})
}
