package searchdb

import (
	"context"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

	"sett/internal/event/query"
	"sett/internal/sett"
	"sett/internal/sett/triage"
	"sett/internal/store/block"
	"sett/internal/store/db"
)

// Filter says which faults are meant: those that everything in it holds for. The zero Filter means all.
// Times are inclusive after, exclusive before.
//
// What a filter says of notices – when they occurred, where they ran, what was sent along – must hold of one and the
// same notice: a fault is found when it has a notice that satisfies all of it. A negated term is no exception:
// -hostname:web-1 finds the faults that have a notice from elsewhere, not those that never were on web-1.
type Filter struct {
	Search         query.Search
	CreatedAfter   time.Time
	OccurredAfter  time.Time
	OccurredBefore time.Time
	AskedBy        int64 // the user that assignee:me refers to; 0 for none

	unresolved bool // only unresolved faults, whatever the search says

	fresh   triage.NewFaults // of the project, if the search asks for new faults; see Prepare
	inParts bool             // the project has merged faults, so that a fault's notices may be stored under other ids too; see Prepare

	of    map[int64]bool // faults that the search is for; nil: all
	keep  int            // how many of the found notices of a fault are kept
	until time.Time      // when the search for notices ends with what it has found; zero: it finds all
	spans []block.Span   // of the ids of the notices that it is about, apart and in order; nil: all. See Prepare
	known *faultSet      // those that match what it asked of faults; see Store.knowFaults
	found *foundNotices  // what the search finds of what was sent with notices, if it asks for that; see Prepare
}

// narrows reports whether the filter may match only some notices of a fault.
func (f Filter) narrows() bool {
	return f.Search.NarrowsNotices() || !f.OccurredAfter.IsZero() || !f.OccurredBefore.IsZero()
}

// few reports whether an index of faults finds the matches: new faults, or those assigned to one user.
func (f Filter) few() bool {
	return f.found != nil && len(f.found.counts) <= mostFew || f.known != nil && len(f.of) <= mostFew ||
		slices.ContainsFunc(f.Search.Terms, func(t query.Term) bool { return t.Asks(query.Is, "new") || isMine(t) })
}

// mostFew is up to how many found faults are read one by one, and not in the order of a list.
const mostFew = 500

// isMine reports whether a term asks for faults assigned to the caller.
func isMine(t query.Term) bool { return t.Asks(query.Assignee, "me") }

// isOfNotices reports whether a term is about single notices; all others are about the fault.
func isOfNotices(t query.Term) bool {
	return query.Search{Terms: []query.Term{t}}.NarrowsNotices()
}

// Assembly is a query builder. Its text consists only of constants of this package; everything that a user typed goes into Args.
type Assembly struct {
	text strings.Builder
	Args []any
}

// Add appends a constant fragment, in which each ? stands for the next of the values. Times are in µs, as in all columns.
func (a *Assembly) Add(fragment string, values ...any) {
	for _, v := range values {
		if at, ok := v.(time.Time); ok {
			v = db.Micros(at)
		}
		before, after, _ := strings.Cut(fragment, "?")
		a.Args = append(a.Args, v)
		fmt.Fprintf(&a.text, "%s$%d", before, len(a.Args))
		fragment = after
	}
	a.text.WriteString(fragment)
}

// Statement returns the text for an engine. It is not cached like a constant statement: the number of searches is unlimited.
func (a *Assembly) Statement(d *db.DB) string { return d.Render(a.text.String()) }

// FoundFaults appends the FROM and WHERE clauses of the faults f of a project that a filter matches, for statements that do not need
// counts themselves: it joins the table of counts only if the filter needs it.
func (a *Assembly) FoundFaults(projectID int64, now time.Time, f Filter) {
	a.Add(" FROM faults f")
	if !f.asksForCounts() {
		a.Add(" WHERE")
	} else {
		a.Add(" CROSS JOIN fault_counts c WHERE c.fault_id = f.id AND c.project_id = ? AND", projectID)
	}
	a.matchFaults(projectID, now, f)
}

// Among appends the condition that a fault f is one of some; there must be one.
func (a *Assembly) Among(faults []int64) {
	values := make([]any, len(faults))
	for i, id := range faults {
		values[i] = id
	}
	a.Add(" AND f.id IN ("+strings.Repeat("?,", len(values)-1)+"?)", values...)
}

// asksForCounts reports whether matchFaults has a condition on the counts of a fault.
func (f Filter) asksForCounts() bool {
	return !f.occurredSince().IsZero() || slices.ContainsFunc(f.Search.Terms, func(t query.Term) bool {
		return t.Key == query.LastOccurred || t.Key == query.Is &&
			slices.ContainsFunc(t.Values, func(v query.Value) bool { return v.Text == "paused" })
	})
}

// asksForFacets reports whether the filter has a condition on the content of notices.
func (f Filter) asksForFacets() bool {
	return slices.ContainsFunc(f.Search.Terms, func(t query.Term) bool { return isOfNotices(t) && t.Key != query.Occurred })
}

// matchFaults appends the conditions of a filter: f is a fault of the project, c its counts.
func (a *Assembly) matchFaults(projectID int64, now time.Time, f Filter) {
	a.Add(" f.project_id = ?", projectID)
	if !f.CreatedAfter.IsZero() {
		a.Add(" AND f.created_at >= ?", f.CreatedAfter)
	}
	if f.unresolved {
		a.Add(" AND NOT f.resolved")
	}
	if f.known != nil {
		a.Add(" AND f.id IN "+f.known.list, f.known.ids)
	}
	if slices.ContainsFunc(f.Search.Terms, isMine) {
		a.Add(" AND f.assignee_id IN (SELECT CAST(? AS bigint) UNION ALL SELECT -w.team_id FROM team_members w WHERE w.user_id = ?)", f.AskedBy, f.AskedBy) // the index excludes NULL, which the term does not rule out
	}
	for _, t := range f.Search.Terms {
		if !isOfNotices(t) {
			a.term(t, func(v query.Value) {
				if t.AsksForMessages() {
					a.says(projectID, t.Key, v, f)
				} else {
					a.faultValue(t.Key, v, now, f)
				}
			})
		}
	}
	switch {
	case !f.narrows():
		return
	case f.found != nil:
		a.Add(" AND f.id IN "+f.found.list, f.found.ids)
		return
	}
	if since := f.occurredSince(); !since.IsZero() {
		a.Add(" AND c.last_notice_at >= ?", since) // avoids reading the notices of older faults
	}
	if !f.inParts {
		a.Add(" AND EXISTS (SELECT 1")
		a.matchNotices(f, own)
		a.Add(")")
		return
	}
	a.Add(" AND (EXISTS (SELECT 1")
	a.matchNotices(f, own)
	a.Add(") OR EXISTS (SELECT 1")
	a.matchNotices(f, ofParts)
	a.Add("))")
}

// Where the notices n of fault f are stored: under its own id, and under those of the faults that were merged into it.
const (
	own     = " WHERE n.fault_id = f.id"
	ofParts = " JOIN merged_faults m ON m.id = n.fault_id WHERE m.into_id = f.id"
)

// occurredSince returns a lower bound for the times of the notices that the filter matches; zero for none.
func (f Filter) occurredSince() time.Time {
	if len(f.spans) == 0 || f.spans[0].From == 0 {
		return time.Time{}
	}
	return sett.NoticeID(f.spans[0].From).Time()
}

// matchNotices appends the FROM and WHERE clauses of the notices n of fault f that occurred when the filter says.
func (a *Assembly) matchNotices(f Filter, where string) {
	a.Add(" FROM fault_notices n" + where)
	if f.spans == nil {
		return
	}
	if len(f.spans) == 0 {
		a.Add(" AND false")
		return
	}
	for i, s := range f.spans {
		a.Add([]string{" AND (", " OR "}[min(i, 1)])
		switch {
		case s.From == 0:
			a.Add("n.id < ?", s.To)
		case s.To == math.MaxInt64:
			a.Add("n.id >= ?", s.From)
		default:
			a.Add("n.id >= ? AND n.id < ?", s.From, s.To)
		}
	}
	a.Add(")")
}

// term appends one condition that holds if any of the term's values does; value appends that of one value.
func (a *Assembly) term(t query.Term, value func(query.Value)) {
	a.Add(" AND ")
	if t.Negated {
		a.Add("NOT ")
	}
	a.Add("(")
	for i, v := range t.Values {
		if i > 0 {
			a.Add(" OR ")
		}
		value(v)
	}
	a.Add(")")
}

// faultValue appends a condition on the fault f and its counts c. It is never NULL, so that NOT is its exact opposite.
func (a *Assembly) faultValue(key query.Key, v query.Value, now time.Time, f Filter) {
	switch key {
	case query.ComponentAction:
		component, action := v.ComponentAction()
		a.Add(`(f.component {{like}} ? ESCAPE '\' AND f.action {{like}} ? ESCAPE '\')`, db.Like(component), db.Like(action))
	case query.Component:
		a.Add(`f.component {{like}} ? ESCAPE '\'`, db.Like(v.Text))
	case query.Action:
		a.Add(`f.action {{like}} ? ESCAPE '\'`, db.Like(v.Text))
	case query.Environment:
		a.Add(`f.environment {{like}} ? ESCAPE '\'`, db.Like(v.Text))
	case query.Tag:
		a.tag(v)
	case query.Assignee:
		a.assignee(v.Text, f.AskedBy)
	case query.Is:
		a.state(v.Text, now, f.fresh)
	case query.Has:
		a.Add("f.comments_count > 0")
	case query.Created:
		a.within("f.created_at", v)
	case query.LastOccurred:
		a.within("c.last_notice_at", v)
	default:
		panic("store: unknown search key " + key)
	}
}

func (a *Assembly) tag(v query.Value) {
	switch {
	case v.Text == "":
		a.Add("f.tags = ''")
	case v.Wildcard():
		a.Add("lower(f.tags) {{matches}} lower(?)", "\n"+pattern(v.Text, regexp.QuoteMeta)+"\n")
	default:
		a.Add(`f.tags {{like}} ? ESCAPE '\'`, "%\n"+db.EscapeLike(v.Text)+"\n%")
	}
}

func (a *Assembly) assignee(text string, askedBy int64) {
	switch strings.ToLower(text) {
	case "me":
		a.Add("(f.assignee_id IS NOT NULL AND f.assignee_id IN (SELECT CAST(? AS bigint) UNION ALL SELECT -w.team_id FROM team_members w WHERE w.user_id = ?))", askedBy, askedBy)
	case "nobody", "":
		a.Add("f.assignee_id IS NULL")
	case "anybody":
		a.Add("f.assignee_id IS NOT NULL")
	default:
		a.Add(`(EXISTS (SELECT 1 FROM users s WHERE s.id = f.assignee_id
    AND (s.email {{like}} ? ESCAPE '\' OR s.name {{like}} ? ESCAPE '\')) OR EXISTS (SELECT 1 FROM teams s WHERE s.id = -f.assignee_id AND s.name {{like}} ? ESCAPE '\'))`,
			db.Like(text), db.Like(text), db.Like(text))
	}
}

func (a *Assembly) state(state string, now time.Time, fresh triage.NewFaults) {
	switch state {
	case "resolved":
		a.Add("f.resolved")
	case "unresolved":
		a.Add("NOT f.resolved")
	case "ignored":
		a.Add("f.ignored")
	case "assigned":
		a.Add("f.assignee_id IS NOT NULL")
	case "paused": // faults.FaultState.Paused
		a.Add("(f.paused_until > ? OR f.paused_count > c.notices_count)", now)
	case "pending_resolution":
		a.Add("f.resolve_on_deploy")
	case "new":
		a.isNew(fresh)
	default:
		panic("store: unknown state " + state)
	}
}

// isNew appends the condition that the fault f is new.
func (a *Assembly) isNew(n triage.NewFaults) {
	a.Add("(f.created_at >= ?", n.Earliest())
	if len(n.In) > 0 {
		a.Add(" AND (f.created_at >= ?", n.Latest()) // avoids comparing the environment
		a.Add(" OR f.created_at >= CASE f.environment")
		for _, environment := range slices.Sorted(maps.Keys(n.In)) {
			a.Add(" WHEN ? THEN CAST(? AS bigint)", environment, n.In[environment])
		}
		a.Add(" ELSE CAST(? AS bigint) END)", n.Since)
	}
	a.Add(")")
}

// within appends the condition that a column is in the half-open range of a date.
func (a *Assembly) within(column string, v query.Value) {
	switch {
	case !v.From.IsZero() && !v.To.IsZero():
		a.Add("("+column+" >= ? AND "+column+" < ?)", v.From, v.To)
	case !v.From.IsZero():
		a.Add(column+" >= ?", v.From)
	case !v.To.IsZero():
		a.Add(column+" < ?", v.To)
	default:
		a.Add("true")
	}
}

// pattern is the regular expression for one line of text in which * stands for any part of the line. Both engines read it alike: it
// contains only quoted characters and [^\n]*.
func pattern(text string, quote func(string) string) string {
	var b strings.Builder
	for i, part := range strings.Split(text, "*") {
		if i > 0 {
			b.WriteString("[^\n]*")
		}
		b.WriteString(quote(part))
	}
	return b.String()
}

const lastDeploy = `-- searchdb.lastDeploy
SELECT coalesce(max(created_at), 0) FROM deploys WHERE project_id = $1`

const hasMerged = `-- searchdb.hasMerged
SELECT EXISTS (SELECT 1 FROM merged_faults m WHERE m.project_id = $1)`

// Prepare returns the filter with the parts filled in that depend on the project: whether any of its faults were merged, dates relative to
// the last deploy, and the notices that have what the search asks for. q must be a snapshot.
func (f Filter) Prepare(ctx context.Context, s *Store, q db.Querier, projectID int64, now time.Time) (Filter, error) {
	f, err := f.dated(ctx, s, q, projectID, now)
	f.spans = f.spansOfNotices()
	if err == nil && f.asksForFacets() {
		f.found, err = s.findNotices(ctx, q, projectID, f)
	}
	return f, err
}

// dated returns the filter with its dates resolved. "created:last deploy" without an operator means everything since. Before the first
// deploy, such a date matches nothing, and its negation everything.
func (f Filter) dated(ctx context.Context, s *Store, q db.Querier, projectID int64, now time.Time) (Filter, error) {
	if err := q.QueryRowContext(ctx, s.db.Text(hasMerged), projectID).Scan(&f.inParts); err != nil {
		return f, fmt.Errorf("look for merged faults: %w", err)
	}
	asksForNew := func(t query.Term) bool {
		return t.Key == query.Is && slices.ContainsFunc(t.Values, func(v query.Value) bool { return v.Text == "new" })
	}
	if f.fresh.Since.IsZero() && slices.ContainsFunc(f.Search.Terms, asksForNew) {
		var err error
		if f.fresh, err = s.fault.NewFaults(ctx, q, projectID, now); err != nil {
			return f, err
		}
	}
	speaksOfDeploy := func(t query.Term) bool {
		return slices.ContainsFunc(t.Values, func(v query.Value) bool { return v.LastDeploy })
	}
	if !slices.ContainsFunc(f.Search.Terms, speaksOfDeploy) {
		return f, nil
	}
	var at int64
	if err := q.QueryRowContext(ctx, s.db.Text(lastDeploy), projectID).Scan(&at); err != nil {
		return f, fmt.Errorf("find last deploy: %w", err)
	}
	f.Search.Terms = slices.Clone(f.Search.Terms)
	for i := range f.Search.Terms {
		values := slices.Clone(f.Search.Terms[i].Values)
		for j := range values {
			if values[j].LastDeploy {
				values[j].From, values[j].To = sinceDeploy(values[j].Op, db.FromMicros(at))
			}
		}
		f.Search.Terms[i].Values = values
	}
	return f, nil
}

// sinceDeploy is the range of a date relative to the deploy at the given time; an empty range if there was none.
func sinceDeploy(op query.Op, at time.Time) (from, to time.Time) {
	switch {
	case at.IsZero():
		return time.UnixMicro(1), time.UnixMicro(1)
	case op == query.Before:
		return time.Time{}, at
	default:
		return at, time.Time{}
	}
}
