package searchdb

import (
	"context"
	"database/sql"
	"slices"

	"sett/internal/event/query"
	"sett/internal/sett/faults"
	"sett/internal/store/db"
)

// mostExplained is for how many terms of a search a list says what they have found.
const mostExplained = 3

// matched returns, of some faults, the newest message that each term of a search has found: of an event, or else of the fault itself, or else of a cause.
func (s *Store) matched(ctx context.Context, q db.Querier, projectID int64, f Filter, found []faults.Fault) (matches map[int64][]faults.Match, err error) {
	matches = map[int64][]faults.Match{}
	terms := slices.DeleteFunc(slices.Clone(f.Search.Terms), func(t query.Term) bool { return !isSaid(t) || t.Negated })
	if len(found) == 0 {
		return matches, nil
	}
	var ids []int64
	for _, one := range found {
		ids = append(ids, one.ID)
	}
	for _, t := range terms[:min(len(terms), mostExplained)] {
		byFault, err := s.explain(ctx, q, projectID, f, t, ids)
		if err != nil {
			return nil, err
		}
		for id, m := range byFault {
			matches[id] = append(matches[id], m)
		}
	}
	return matches, nil
}

// explain returns what a term has found of some faults.
func (s *Store) explain(ctx context.Context, q db.Querier, projectID int64, f Filter, t query.Term, ids []int64) (matches map[int64]faults.Match, err error) {
	var a Assembly
	a.Add("-- searchdb.explain\nSELECT f.id, s.cause AS cause, s.class, s.message, s.last_id AS last FROM faults f JOIN fault_messages s ON s.project_id = f.project_id AND s.part_id = f.id WHERE f.project_id = ?", projectID)
	a.keptOf(t, ids)
	if f.inParts {
		a.Add(" UNION ALL SELECT f.id, s.cause, s.class, s.message, s.last_id FROM faults f JOIN merged_faults p ON p.into_id = f.id JOIN fault_messages s ON s.project_id = p.project_id AND s.part_id = p.id WHERE f.project_id = ?", projectID)
		a.keptOf(t, ids)
	}
	if t.Key != query.Cause {
		a.Add(" UNION ALL SELECT f.id, false, f.class, f.message, 1 FROM faults f WHERE f.project_id = ?", projectID)
		a.ownOf("f", t, ids)
	}
	if f.inParts && t.Key != query.Cause {
		a.Add(" UNION ALL SELECT f.id, false, m.class, m.message, 0 FROM faults f JOIN merged_faults m ON m.into_id = f.id WHERE f.project_id = ?", projectID)
		a.ownOf("m", t, ids)
	}
	a.Add(" ORDER BY cause DESC, last")
	matches = map[int64]faults.Match{}
	rows, err := q.QueryContext(ctx, a.Statement(s.db), a.Args...)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var id, last int64
		var m faults.Match
		err := rows.Scan(&id, &m.Cause, &m.Class, &m.Message, &last)
		matches[id] = m
		return err
	})
	return matches, db.Wrap("find what events of faults say", err)
}

// keptOf appends the conditions that a stored message s of some faults f has what a term asks for.
func (a *Assembly) keptOf(t query.Term, ids []int64) {
	a.Add(" AND s.last_id > 0")
	a.saidBy(t.Key)
	a.ownOf("s", t, ids)
}

// ownOf appends the conditions that a row of some faults f has what a term asks for.
func (a *Assembly) ownOf(row string, t query.Term, ids []int64) {
	a.Among(ids)
	a.term(query.Term{Values: t.Values}, func(v query.Value) { a.saidIn(row, t.Key, v) })
}
