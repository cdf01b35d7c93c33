package searchdb

import (
	"context"
	"database/sql"
	"slices"

	"sett/internal/event/query"
	"sett/internal/sett/faults"
	"sett/internal/store/db"
)

// mostExplained is of how many terms of a search a list says what they have found.
const mostExplained = 5

// matched returns, of some faults, the message that most terms of a search have found: of those the newest of an event, or else that of the fault itself, or else
// that of a cause.
func (s *Store) matched(ctx context.Context, q db.Querier, projectID int64, f Filter, found []faults.Fault) (matches map[int64]faults.Match, err error) {
	matches = map[int64]faults.Match{}
	terms := slices.DeleteFunc(slices.Clone(f.Search.Terms), func(t query.Term) bool { return !t.AsksForMessages() || t.Negated })
	if terms = terms[:min(len(terms), mostExplained)]; len(found) == 0 || len(terms) == 0 {
		return matches, nil
	}
	var ids []int64
	for _, one := range found {
		ids = append(ids, one.ID)
	}
	a := explained(projectID, f, terms, ids)
	rows, err := q.QueryContext(ctx, a.Statement(s.db), a.Args...)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var id int64
		var m faults.Match
		err := rows.Scan(&id, &m.Cause, &m.Class, &m.Message)
		matches[id] = m
		return err
	})
	return matches, db.Wrap("find what a search has found", err)
}

// explained is the statement that reads what some faults, their events and the causes of these say, what terms have found last.
func explained(projectID int64, f Filter, terms []query.Term, ids []int64) *Assembly {
	var a Assembly
	a.Add("-- searchdb.matched\nSELECT x.id, x.cause, x.class, x.message FROM (SELECT f.id, s.cause AS cause, s.class, s.message, s.last_id AS last, ")
	a.hits("s", terms)
	a.Add(" FROM faults f JOIN fault_messages s ON s.project_id = f.project_id AND s.part_id = f.id WHERE s.last_id > 0 AND f.project_id = ?", projectID)
	a.Among(ids)
	a.Add(" UNION ALL SELECT f.id, false, f.class, f.message, 1, ")
	a.hits("f", terms)
	a.Add(" FROM faults f WHERE f.project_id = ?", projectID)
	a.Among(ids)
	if f.inParts {
		a.Add(" UNION ALL SELECT f.id, s.cause, s.class, s.message, s.last_id, ")
		a.hits("s", terms)
		a.Add(" FROM faults f JOIN merged_faults p ON p.into_id = f.id JOIN fault_messages s ON s.project_id = p.project_id AND s.part_id = p.id WHERE s.last_id > 0 AND f.project_id = ?", projectID)
		a.Among(ids)
		a.Add(" UNION ALL SELECT f.id, false, m.class, m.message, 0, ")
		a.hits("m", terms)
		a.Add(" FROM faults f JOIN merged_faults m ON m.into_id = f.id WHERE f.project_id = ?", projectID)
		a.Among(ids)
	}
	a.Add(") x WHERE x.hits > 0 ORDER BY x.hits, x.cause DESC, x.last")
	return &a
}

// hits appends how many of some terms ask for what a row says.
func (a *Assembly) hits(row string, terms []query.Term) {
	a.Add("0")
	for _, t := range terms {
		if t.Key == query.Cause && row != "s" {
			continue
		}
		a.Add(" + CASE WHEN true")
		if row == "s" {
			a.saidBy(t.Key)
		}
		a.term(query.Term{Values: t.Values}, func(v query.Value) { a.saidIn(row, t.Key, v) })
		a.Add(" THEN 1 ELSE 0 END")
	}
	a.Add(" AS hits")
}
