package sett

import "slices"

// Page says which part of a list is asked for: what stands behind a mark or, when it goes Back, what leads up to one;
// without a mark, what stands behind the first Offset results. A mark is a place in the list behind one of its results,
// so that it stays where it is while others come in before it. Only the list that made a mark can read it.
type Page struct {
	Size   int    // most results; at least 1
	Offset int    // results to skip; not used with Mark
	Mark   string // one of the Marks of another page, or ""
	Back   bool   // the page ends at Mark, and the result there is its last
}

// Marks are the ends of a page, where its neighbours begin: the page before goes Back from Prev, the page after stands
// behind Next. Either is "" when there is no such page.
type Marks struct{ Prev, Next string }

// Rows says which rows to read for the page – how many to skip and how many to take at most – so that Cut can tell what
// lies beside it. They are read in the order of the list or, for a page that goes Back, against it.
func (p Page) Rows() (skip, most int) {
	if p.Mark == "" && p.Offset > 0 {
		return p.Offset - 1, p.Size + 2
	}
	return 0, p.Size + 1
}

// Cut makes a page of the rows that were read for it, which it may reorder; mark returns the mark behind a row.
func Cut[T any](p Page, rows []T, mark func(T) string) (results []T, marks Marks) {
	switch {
	case p.Back:
		marks.Next = p.Mark
		if len(rows) > p.Size {
			marks.Prev, rows = mark(rows[p.Size]), rows[:p.Size]
		}
		slices.Reverse(rows)
		return rows, marks
	case p.Mark != "":
		marks.Prev = p.Mark
	case p.Offset > 0 && len(rows) > 0:
		marks.Prev, rows = mark(rows[0]), rows[1:]
	}
	if len(rows) > p.Size {
		rows = rows[:p.Size]
		marks.Next = mark(rows[p.Size-1])
	}
	return rows, marks
}
