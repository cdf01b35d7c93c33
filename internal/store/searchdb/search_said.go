package searchdb

import (
	"context"
	"slices"
	"time"

	"sett/internal/event/query"
	"sett/internal/store/db"
)

// says appends the condition that what a term asks for is said by the fault f itself, by one of its events, or, if it is not about events alone, by what led to one:
// see Assembly.saidIn. It is the only place that knows which messages a search finds.
func (a *Assembly) says(projectID int64, key query.Key, v query.Value, f Filter) {
	if key == query.Cause && v.Text == "" {
		a.Add("f.id NOT IN (")
		a.saidByEvents(projectID, key, f)
		a.Add(")")
		return
	}
	a.Add("(")
	if key != query.Cause {
		a.saidIn("f", key, v)
		a.Add(" OR ")
	}
	a.Add("f.id IN (")
	a.saidByEvents(projectID, key, f)
	a.Add(" AND ")
	a.saidIn("s", key, v)
	a.Add(")")
	if f.inParts && key != query.Cause {
		a.Add(" OR f.id IN (SELECT m.into_id FROM merged_faults m WHERE m.project_id = ? AND ", projectID)
		a.saidIn("m", key, v)
		a.Add(")")
	}
	a.Add(")")
}

// saidByEvents appends a query for the faults of which the project keeps messages s that a key is about.
func (a *Assembly) saidByEvents(projectID int64, key query.Key, f Filter) {
	if f.inParts {
		a.Add("SELECT coalesce(p.into_id, s.part_id) FROM fault_messages s LEFT JOIN merged_faults p ON p.id = s.part_id")
	} else {
		a.Add("SELECT s.part_id FROM fault_messages s")
	}
	a.Add(" WHERE s.project_id = ? AND s.last_id > 0", projectID)
	a.saidBy(key)
}

// saidBy appends the condition that a stored message s is of an event or led to one, as far as a key asks for that.
func (a *Assembly) saidBy(key query.Key) {
	switch key {
	case query.Cause:
		a.Add(" AND s.cause")
	case query.Class, query.Message:
		a.Add(" AND NOT s.cause")
	}
}

// saidIn appends the condition that the class or message of a row has what a value asks for.
func (a *Assembly) saidIn(row string, key query.Key, v query.Value) {
	class, message := row+`.class {{like}} ? ESCAPE '\'`, row+`.message {{like}} ? ESCAPE '\'`
	switch key {
	case query.Class:
		a.Add(class, db.Like(v.Text))
	case query.Message:
		a.Add(message, db.Containing(v.Text))
	default:
		a.Add("("+class+" OR "+message+")", db.Containing(v.Text), db.Containing(v.Text))
	}
}

// faultSet is some faults, for statements.
type faultSet struct {
	list string // as Assembly.Add takes it
	ids  any    // its value
}

// mostKnown is of how many faults it is worth to know that they match.
const mostKnown = 10_000

// ofFaults returns the filter without what it asks of notices.
func (f Filter) ofFaults() Filter {
	f.OccurredAfter, f.OccurredBefore, f.spans = time.Time{}, time.Time{}, nil
	f.Search.Terms = slices.DeleteFunc(slices.Clone(f.Search.Terms), isOfNotices)
	return f
}

// knowFaults finds the faults that match what a prepared filter asks of faults, if it asks for messages, so that several statements need not look
// through all messages. The filter that it returns asks for these faults, and of their notices what f does.
func (s *Store) knowFaults(ctx context.Context, q db.Querier, projectID int64, now time.Time, f Filter) (Filter, error) {
	if !slices.ContainsFunc(f.Search.Terms, query.Term.AsksForMessages) {
		return f, nil
	}
	var a Assembly
	a.Add("-- searchdb.knowFaults\nSELECT f.id")
	a.FoundFaults(projectID, now, f.ofFaults())
	a.Add(" LIMIT ?", mostKnown+1)
	ids := []int64{}
	rows, err := q.QueryContext(ctx, a.Statement(s.db), a.Args...)
	if err = db.ScanAll(rows, err, db.ScanID(func(id int64) { ids = append(ids, id) })); err != nil || len(ids) > mostKnown {
		return f, db.Wrap("find the faults of a search", err)
	}
	f = f.Of(ids)
	f.CreatedAfter, f.unresolved, f.known = time.Time{}, false, &faultSet{}
	f.known.list, f.known.ids = s.db.List(ids)
	f.Search.Terms = slices.DeleteFunc(slices.Clone(f.Search.Terms), func(t query.Term) bool { return !isOfNotices(t) })
	return f, nil
}
