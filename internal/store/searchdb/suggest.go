package searchdb

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"strings"

	"sett/internal/event/payload"
	"sett/internal/event/query"
	"sett/internal/sett/faults"
	"sett/internal/store/block"
	"sett/internal/store/db"
)

// MostSuggestions is how many suggestions there are at most.
const MostSuggestions = 30

// Suggestion completes a term of a search.
type Suggestion struct {
	Text    string // of the whole term; that of a key ends with a colon
	IsKey   bool   // it has no value yet
	Faults  int64  // how many of the faults with the newest notices have the value; 0: not known
	Notices int64  // how many of the newest notices have the key or the value; 0: not known
}

// Suggest completes a term that is being typed, by keys and values of the language and by those that occur in a project: first what begins
// with the typed text, then what contains it, those of the language first, then the most frequent. It looks at the faults with the newest
// notices, and at the newest notices only, so that it takes no longer for more of them.
func (s *Store) Suggest(ctx context.Context, projectID int64, t query.Typed) (found []Suggestion, err error) {
	g := &suggester{s: s, project: projectID, depth: deep, Typed: t, typed: strings.ToLower(t.Text)}
	err = s.db.Snapshot(ctx, "suggest terms of a search", func(q db.Querier) error {
		g.q, g.found = q, nil
		if t.TypesKey() {
			return g.keys(ctx)
		}
		return g.values(ctx)
	})
	return g.best(), db.Wrap("suggest terms of a search", err)
}

// depth is how many of the faults and notices of a project are looked at: the newest.
type depth struct {
	faults  int64
	notices block.Depth
}

var (
	deep    = depth{2000, block.Deep}
	shallow = depth{200, block.Shallow}
)

// suggester collects what may complete a term.
type suggester struct {
	s       *Store
	q       db.Querier
	project int64
	depth   depth
	query.Typed
	typed  string        // in lower case
	newest *block.Recent // once it is read
	found  []candidate
}

// candidate is a key or a value that may complete a term.
type candidate struct {
	text            string
	ofLanguage      bool
	begins          bool // with what is typed
	faults, notices int64
}

// add adds a candidate if it contains what is typed. The language knows its keys by other names too.
func (g *suggester) add(c candidate) {
	at := strings.Index(strings.ToLower(c.text), g.typed)
	if c.begins = at == 0; at >= 0 || c.ofLanguage && g.TypesKey() {
		g.found = append(g.found, c)
	}
}

// before compares candidates: the better one is less.
func (c candidate) before(other candidate) int {
	switch {
	case c.begins != other.begins:
		return compareBools(other.begins, c.begins)
	case c.ofLanguage != other.ofLanguage:
		return compareBools(other.ofLanguage, c.ofLanguage)
	case c.faults+c.notices != other.faults+other.notices:
		return cmp.Compare(other.faults+other.notices, c.faults+c.notices)
	}
	return cmp.Compare(c.text, other.text)
}

// best returns the first suggestions.
func (g *suggester) best() (best []Suggestion) {
	write := g.ValueTerm
	if g.TypesKey() {
		write = g.KeyTerm
	}
	slices.SortFunc(g.found, candidate.before)
	for _, c := range g.found {
		if len(best) == MostSuggestions {
			break
		}
		if text, ok := write(c.text); ok {
			best = append(best, Suggestion{text, g.TypesKey(), c.faults, c.notices})
		}
	}
	return best
}

func (g *suggester) keys(ctx context.Context) error {
	for _, key := range g.Keys() {
		g.add(candidate{text: key, ofLanguage: true})
	}
	recent, err := g.recent(ctx)
	if err != nil {
		return err
	}
	wanted := func(key string) bool {
		return strings.Contains(key, ".") && strings.Contains(strings.ToLower(key), g.typed)
	}
	counts, err := recent.Keys(ctx, wanted)
	for key, n := range counts {
		g.add(candidate{text: key, notices: n})
	}
	return err
}

func (g *suggester) values(ctx context.Context) error {
	for _, value := range g.Values() {
		g.add(candidate{text: value, ofLanguage: true})
	}
	if recentOf[g.Key]+keptOf[g.Key] != "" {
		return g.ofFaults(ctx)
	}
	key, ok := query.Term{Key: g.Key, Path: g.Path}.FacetKey()
	if !ok {
		return nil
	}
	recent, err := g.recent(ctx)
	if err != nil {
		return err
	}
	counts, err := recent.Values(ctx, strings.TrimSuffix(payload.FacetLine(key, ""), "="))
	for value, n := range counts {
		g.add(candidate{text: value, notices: n})
	}
	return err
}

const knownFaults = `-- searchdb.knownFaults
SELECT k.id FROM {{rows k(project_id bigint, id bigint)}}
WHERE EXISTS (SELECT 1 FROM faults f WHERE f.id = k.id AND f.project_id = k.project_id)
OR EXISTS (SELECT 1 FROM merged_faults m WHERE m.id = k.id AND m.project_id = k.project_id)`

// recent returns the newest notices, without those of faults that are being deleted.
func (g *suggester) recent(ctx context.Context) (*block.Recent, error) {
	if g.newest != nil {
		return g.newest, nil
	}
	recent, err := g.s.block.Recent(ctx, g.q, g.project, g.depth.notices)
	if err != nil {
		return nil, err
	}
	faults, known := recent.Faults(), map[int64]bool{}
	err = g.s.db.ReadRows(ctx, g.q, knownFaults, db.ScanID(func(id int64) { known[id] = true }), db.Repeated(g.project, len(faults)), faults)
	recent.Keep(known)
	g.newest = recent
	return recent, err
}

// The values of the faults with the newest notices.
const (
	ofRecentFaults = ` FROM fault_counts c CROSS JOIN faults f WHERE c.project_id = $1 AND f.id = c.fault_id
ORDER BY c.last_notice_at DESC, c.fault_id DESC LIMIT $2) v`

	recentClasses = `-- searchdb.recentClasses
SELECT v.text, count(*) FROM (SELECT f.class AS text` + ofRecentFaults + ` GROUP BY v.text`
	recentComponents = `-- searchdb.recentComponents
SELECT v.text, count(*) FROM (SELECT f.component AS text` + ofRecentFaults + ` GROUP BY v.text`
	recentActions = `-- searchdb.recentActions
SELECT v.text, count(*) FROM (SELECT f.action AS text` + ofRecentFaults + ` GROUP BY v.text`
	recentEnvironments = `-- searchdb.recentEnvironments
SELECT v.text, count(*) FROM (SELECT f.environment AS text` + ofRecentFaults + ` GROUP BY v.text`
	recentTags = `-- searchdb.recentTags
SELECT v.text, count(*) FROM (SELECT f.tags AS text` + ofRecentFaults + ` GROUP BY v.text`
	recentAssignees = `-- searchdb.recentAssignees
SELECT v.text, count(*) FROM (SELECT coalesce((SELECT u.email FROM users u WHERE u.id = v.id), (SELECT t.name FROM teams t WHERE t.id = -v.id)) AS text
    FROM (SELECT f.assignee_id AS id` + ofRecentFaults + `) v WHERE v.text IS NOT NULL GROUP BY v.text`
)

// The classes of events and causes of the newest faults, where they are not those of the faults.
const (
	keptClasses = `-- searchdb.keptClasses
SELECT v.text, count(*) FROM (SELECT DISTINCT s.part_id, s.class AS text FROM fault_messages s
    WHERE s.project_id = $1 AND s.cause = false AND s.class <> '' ORDER BY s.part_id DESC LIMIT $2) v GROUP BY v.text`
	keptCauses = `-- searchdb.keptCauses
SELECT v.text, count(*) FROM (SELECT DISTINCT s.part_id, s.class AS text FROM fault_messages s
    WHERE s.project_id = $1 AND s.cause = true AND s.class <> '' ORDER BY s.part_id DESC LIMIT $2) v GROUP BY v.text`
)

const countRecentFaults = `-- searchdb.countRecentFaults
SELECT count(*) FROM (SELECT 1 FROM fault_counts WHERE project_id = $1 LIMIT $2) AS few`

// recentOf are the statements for keys whose values faults have.
var recentOf = map[query.Key]string{
	query.Class: recentClasses, query.Component: recentComponents, query.Action: recentActions, query.Environment: recentEnvironments,
	query.Tag: recentTags, query.Assignee: recentAssignees,
}

// keptOf are the statements for keys whose values events of faults and their causes have.
var keptOf = map[query.Key]string{query.Class: keptClasses, query.Cause: keptCauses}

// ofFaults adds the values of faults, of their events and of causes.
func (g *suggester) ofFaults(ctx context.Context) error {
	most := map[string]int64{}
	for _, statement := range []string{recentOf[g.Key], keptOf[g.Key]} {
		if statement == "" {
			continue
		}
		counts, err := g.countOfFaults(ctx, statement)
		if err != nil {
			return err
		}
		for value, n := range counts {
			most[value] = max(most[value], n)
		}
	}
	for value, n := range most {
		g.add(candidate{text: value, faults: n})
	}
	return nil
}

// countOfFaults returns how many faults have each value.
func (g *suggester) countOfFaults(ctx context.Context, statement string) (counts map[string]int64, err error) {
	counts = map[string]int64{}
	rows, err := g.q.QueryContext(ctx, g.s.db.Text(statement), g.project, g.depth.faults)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var text string
		var n int64
		err := rows.Scan(&text, &n)
		values := []string{text}
		if g.Key == query.Tag {
			values = faults.SplitLines(text)
		}
		for _, value := range values {
			counts[value] += n
		}
		return err
	})
	return counts, err
}

// FacetValue is a value of a key, with the term that finds it.
type FacetValue struct {
	Text, Term string
	Count      int64
}

// Facets are the values that keys of searches have among the faults with the newest notices, or among the newest notices.
type Facets struct {
	Faults, Notices int64                   // how many were looked at; 0: no key is about them
	Values          map[string][]FacetValue // by key, the most frequent first
}

// CountFacets returns the values that some keys have in a project, by what Suggest looks at. Keys that no search has are left out.
func (s *Store) CountFacets(ctx context.Context, projectID int64, keys []string) (f Facets, err error) {
	f, _, err = s.countFacets(ctx, projectID, keys, deep)
	return f, err
}

// CountNewestFacets is CountFacets of fewer notices and faults, and reports whether there are no others.
func (s *Store) CountNewestFacets(ctx context.Context, projectID int64, keys []string) (f Facets, all bool, err error) {
	return s.countFacets(ctx, projectID, keys, shallow)
}

func (s *Store) countFacets(ctx context.Context, projectID int64, keys []string, d depth) (f Facets, all bool, err error) {
	err = s.db.Snapshot(ctx, "count facets", func(q db.Querier) error {
		g := &suggester{s: s, q: q, project: projectID, depth: d}
		f = Facets{Values: map[string][]FacetValue{}}
		for _, key := range keys {
			if err := g.count(ctx, key, &f); err != nil {
				return err
			}
		}
		if g.newest != nil {
			f.Notices = g.newest.Notices()
		}
		var faults int64
		err := q.QueryRowContext(ctx, s.db.Text(countRecentFaults), projectID, d.faults+1).Scan(&faults)
		all = faults <= d.faults && (g.newest == nil || !g.newest.Older)
		return err
	})
	return f, all, db.Wrap("count facets", err)
}

// count counts the values of a key.
func (g *suggester) count(ctx context.Context, key string, f *Facets) (err error) {
	var problem string
	if g.Typed, problem = query.ReadTyped(key + ":"); problem != "" || g.TypesKey() {
		return nil
	}
	if g.found = nil; g.Key != query.Text {
		err = g.values(ctx)
	}
	slices.SortFunc(g.found, candidate.before)
	faults := int64(0)
	for _, c := range g.found {
		faults += c.faults
		if term, ok := g.ValueTerm(c.text); ok && !c.ofLanguage {
			f.Values[key] = append(f.Values[key], FacetValue{c.text, term, c.faults + c.notices})
		}
	}
	f.Faults = max(f.Faults, faults)
	return err
}
