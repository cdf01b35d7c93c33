package block

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"sett/internal/event/column"
	"sett/internal/store/db"
)

// Search is a search for notices of a project.
type Search struct {
	Terms  []column.Term  // all must hold
	Within []Span         // ids; in order, apart from each other; nil for all
	Of     map[int64]bool // faults; the search ends when it has found all of them. nil for all of the project, to the end
	Keep   int            // how many ids it returns of each fault at most: the newest
	Times  bool           // whether it returns Bounds
	Until  time.Time      // when it returns what it has found by then, and skips what is damaged; zero: it searches all or fails
}

// Span is a range of ids, [From, To).
type Span struct{ From, To int64 }

// Found are the notices that match a search, by the fault under which they are stored.
type Found struct {
	Counts map[int64]int64
	Bounds map[int64]Bounds
	IDs    map[int64][]int64 // about the newest first
	Unsure map[int64]int64   // notices of which only what was sent says whether they match, and their faults
	Since  int64             // the id from which on all notices were searched; 0: all were
	Unread int               // blocks and bundles that are damaged
	Away   int               // blocks in object storage that cannot be read now
}

// Bounds are the ids of the first and the last notice that match.
type Bounds struct{ First, Last int64 }

// finder is a running search.
type finder struct {
	Search
	Found
	s       *Store
	q       db.Querier
	project int64
	left    int    // faults of Of that are not found yet
	asText  string // see text
	began   time.Time
	cut     bool // blocks were left out that are not fetched, or not yet
}

// hit is what a bundle or block has of a fault: how many notices, the first and the last of them, and some of the newest.
type hit struct {
	fault       int64
	n           int
	first, last int64
	ids         []int64
	unsure      []int64 // notices that are not among n
}

// errFoundAll ends a search early.
var errFoundAll = errors.New("all faults are found")

// Find returns the notices of a project that match a search. q must be a snapshot, because notices move to blocks at any time.
func (s *Store) Find(ctx context.Context, q db.Querier, projectID int64, search Search) (Found, error) {
	if search.Within == nil {
		search.Within = []Span{{0, math.MaxInt64}}
	}
	found := Found{Counts: map[int64]int64{}, Bounds: map[int64]Bounds{}, IDs: map[int64][]int64{}, Unsure: map[int64]int64{}}
	f := &finder{Search: search, Found: found, s: s, q: q, project: projectID, left: len(search.Of), began: time.Now()}
	if len(search.Within) == 0 {
		return f.Found, nil
	}
	for _, part := range []func(context.Context) error{f.loose, f.blocks, f.old} {
		if err := part(ctx); errors.Is(err, errFoundAll) {
			break
		} else if err != nil {
			return Found{}, fmt.Errorf("search notices: %w", err)
		}
	}
	return f.Found, nil
}

// single returns one notice as a hit.
func (f *finder) single(fault, id int64) hit {
	h := hit{fault: fault, n: 1, first: id, last: id}
	if f.Keep > 0 {
		h.ids = []int64{id}
	}
	return h
}

// judge adds a notice if its facets match, or if they do not say whether they do.
func (f *finder) judge(fault, id int64, facets string) error {
	switch column.Match(f.Terms, facets) {
	case column.Yes:
		return f.add(f.single(fault, id))
	case column.Maybe:
		return f.add(hit{fault: fault, unsure: []int64{id}})
	case column.No:
	}
	return nil
}

// add adds notices. It fails with errFoundAll when all wanted faults are found.
func (f *finder) add(h hit) error {
	if f.Of != nil && !f.Of[h.fault] {
		return nil
	}
	for _, id := range h.unsure {
		f.Unsure[id] = h.fault
	}
	if h.n == 0 {
		return nil
	}
	n := f.Counts[h.fault]
	if n == 0 {
		f.left--
	}
	f.Counts[h.fault] = n + int64(h.n)
	if f.Times {
		if n == 0 {
			f.Bounds[h.fault] = Bounds{h.first, h.last}
		}
		b := f.Bounds[h.fault]
		f.Bounds[h.fault] = Bounds{min(b.First, h.first), max(b.Last, h.last)}
	}
	if f.Keep > 0 {
		f.IDs[h.fault] = append(f.IDs[h.fault], h.ids[:min(len(h.ids), max(0, f.Keep-len(f.IDs[h.fault])))]...)
	}
	if f.Of != nil && f.left <= 0 {
		return errFoundAll
	}
	return nil
}

// Prove adds one of the unsure notices: it matches. Of its fault so many ids are kept at most.
func (f *Found) Prove(id int64, keep int) {
	fault := f.Unsure[id]
	f.Counts[fault]++
	if len(f.IDs[fault]) < keep {
		f.IDs[fault] = append(f.IDs[fault], id)
	}
	b, known := f.Bounds[fault]
	if !known {
		b = Bounds{id, id}
	}
	f.Bounds[fault] = Bounds{min(b.First, id), max(b.Last, id)}
}

// within reports whether a notice is in the range of the search.
func (f *finder) within(id int64) bool {
	return slices.ContainsFunc(f.Within, func(w Span) bool { return w.From <= id && id < w.To })
}

// bounds returns the range from the first to the last notice that may match.
func (f *finder) bounds() Span { return Span{f.Within[0].From, f.Within[len(f.Within)-1].To} }

// unreadBundle notes that a bundle could not be read, if the search may skip it.
func (f *finder) unreadBundle(id int64, err error) error {
	if f.Until.IsZero() {
		return fmt.Errorf("bundle %d: %w", id, err)
	}
	f.Unread++
	return nil
}

const marksOfProject = `-- block.marksOfProject
SELECT id, last_id, marks FROM blocks WHERE project_id = $1 AND id < $2 AND last_id >= $3 ORDER BY id DESC`

const filtersOfProject = `-- block.filtersOfProject
SELECT block_id, body FROM block_filters WHERE project_id = $1 AND number = $2 AND block_id BETWEEN $3 AND $4`

// filtersAtOnce is of how many blocks the filters are asked before those that pass are opened.
const filtersAtOnce = 2048

// blocks searches the blocks of the project, newest first: the filters of some, then those that may have what is asked for.
func (f *finder) blocks(ctx context.Context) error {
	var all []*candidate
	bounds := f.bounds()
	rows, err := f.q.QueryContext(ctx, f.s.db.Text(marksOfProject), f.project, bounds.To, bounds.From)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		c := &candidate{}
		all = append(all, c)
		var marks sql.NullString
		err := rows.Scan(&c.id, &c.last, &marks)
		c.marks, c.unmarked = marks.String, !marks.Valid
		return err
	})
	if err != nil {
		return err
	}
	for from := 0; from < len(all); from += filtersAtOnce {
		some := all[from:min(from+filtersAtOnce, len(all))]
		if err := f.blocksOf(ctx, some); err != nil {
			return err
		}
		if !f.outOfTime() && !f.cut && !db.Lacks(f.q) {
			continue
		}
		for _, c := range all[from:] {
			if !c.searched {
				f.Since = max(f.Since, c.last+1)
			}
		}
		break
	}
	return nil
}

// outOfTime reports whether the search ends with what it has found.
func (f *finder) outOfTime() bool { return !f.Until.IsZero() && time.Now().After(f.Until) }

// blocksOf searches some blocks.
func (f *finder) blocksOf(ctx context.Context, some []*candidate) error {
	byID := map[int64]*candidate{}
	for _, c := range some {
		byID[c.id] = c
	}
	if err := f.tallied(ctx, some, byID); err != nil {
		return err
	}
	left := unsearched(some)
	for i := range f.Terms {
		if err := f.ask(ctx, &f.Terms[i], left, byID); err != nil {
			return err
		}
		left = unsearched(left)
	}
	return f.openAll(ctx, left)
}

func unsearched(all []*candidate) []*candidate {
	return slices.DeleteFunc(slices.Clone(all), func(c *candidate) bool { return c.searched })
}

// unread notes that a block could not be read, if the search may skip it.
func (f *finder) unread(c *candidate, err error) error {
	if f.Until.IsZero() {
		return fmt.Errorf("block %d: %w", c.id, err)
	}
	switch {
	case c.searched:
	case isAway(err):
		f.Away++
	default:
		f.Unread++
	}
	c.searched = true
	return nil
}

// candidate is a block that may contain what is asked for.
type candidate struct {
	id, last int64
	key      hitsKey        // under which its hits are kept; zero: they are not
	searched bool           // or it cannot be
	marks    string         // that its notices have, each between blanks
	unmarked bool           // an earlier version stored it: its facets may leave anything out
	terms    []*column.Term // whose rows its parts know; all others hold for every row
	parts    map[int][]byte
	rows     int
	gone     []byte
	notices  []byte
	remote   bool
	object   *object // of a remote one that needs any part
}

// leavesOut reports whether the facets of a notice of the block may leave out what a term asks for.
func (c *candidate) leavesOut(t *column.Term) bool { return c.unmarked || t.MayBeMarked(c.marks) }

// neededParts returns the numbers of the parts that say which rows match, each once.
func (c *candidate) neededParts() (numbers []int) {
	for _, t := range c.terms {
		numbers = append(numbers, t.Part)
		if !c.unmarked && c.leavesOut(t) {
			numbers = append(numbers, column.MarksPart)
		}
	}
	slices.Sort(numbers)
	return slices.Compact(numbers)
}

// ask asks the filters of some blocks about a term.
func (f *finder) ask(ctx context.Context, t *column.Term, all []*candidate, byID map[int64]*candidate) error {
	if len(all) == 0 {
		return nil
	}
	asked := make(map[int64]bool, len(all))
	note := func(c *candidate, filter column.Filter) {
		switch answer := t.Ask(filter); {
		case answer == column.Some || c.leavesOut(t):
			c.terms = append(c.terms, t)
		case answer == column.None:
			c.searched = true
		}
	}
	rows, err := f.q.QueryContext(ctx, f.s.db.Text(filtersOfProject), f.project, t.Filter, all[len(all)-1].id, all[0].id)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var id int64
		var body sql.RawBytes
		if err := rows.Scan(&id, &body); err != nil {
			return err
		}
		c := byID[id]
		if c == nil {
			return nil
		}
		asked[id] = true
		filter, err := column.OpenFilter(body)
		if err != nil {
			return f.unread(c, err)
		}
		note(c, filter)
		return nil
	})
	if err != nil {
		return err
	}
	for _, c := range all {
		if !asked[c.id] {
			note(c, column.Filter{})
		}
	}
	return nil
}

// blocksAtOnce is how many blocks are read with one statement. It bounds the memory of a search.
const blocksAtOnce = 16

const listsOfBlocks = `-- block.listsOfBlocks
SELECT id, count, remote, gone, notices FROM blocks WHERE id IN `

// read reads what is needed of some blocks.
func (f *finder) read(ctx context.Context, some []*candidate) error {
	byID := map[int64]*candidate{}
	for _, c := range some {
		byID[c.id], c.parts = c, map[int][]byte{}
	}
	list, ids := db.In(f.s.db, 1, db.Sorted(byID, cmp.Compare))
	rows, err := f.q.QueryContext(ctx, f.s.db.Text(listsOfBlocks+list), ids...)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var id int64
		var n int
		var gone, notices []byte
		var remote bool
		err := rows.Scan(&id, &n, &remote, &gone, &notices)
		c := byID[id]
		c.rows, c.remote, c.gone, c.notices = n, remote, gone, notices
		return err
	})
	if err != nil {
		return err
	}
	return errors.Join(f.readLocal(ctx, some, byID), f.readRemote(ctx, some))
}

// readLocal reads the parts that are needed of blocks in the database.
func (f *finder) readLocal(ctx context.Context, some []*candidate, byID map[int64]*candidate) error {
	ofPart := map[int][]int64{}
	for _, c := range some {
		for _, part := range c.neededParts() {
			if !c.remote {
				ofPart[part] = append(ofPart[part], c.id)
			}
		}
	}
	for _, part := range db.Sorted(ofPart, cmp.Compare) {
		parts, err := f.s.localParts(ctx, f.q, part, ofPart[part])
		if err != nil {
			return err
		}
		for id, body := range parts {
			byID[id].parts[part] = body
		}
	}
	return nil
}
