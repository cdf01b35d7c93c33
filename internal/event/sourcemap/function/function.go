// Package function says which function of the original program encloses a place in a generated file. It takes the text of the file, such as
// main.js of a bundler, and its source map, and returns a small table of places and names, which can be stored. A callback without a name
// of its own gets that of the function around it. Anybody who has an API key may send a file: one that is not JavaScript, or too large,
// gets no table. The package runs no code and keeps nothing of the text.
package function

import (
	"cmp"
	"slices"

	"sett/internal/event/sourcemap"
)

// The bounds on a file and its table. A bundle of 6 MB has some 50,000 functions.
const (
	LargestFile   = 16 << 20 // bytes
	mostFunctions = 200_000
	mostOpen      = 2_000 // brackets in brackets
	longestName   = 200   // bytes
	mostOfNames   = 8 << 20
	mostLines     = 2_000_000 // of original files in which names are looked for
)

// Table says which function encloses a place. It never changes, so it is safe for concurrent use.
type Table struct {
	marks []mark
	names []Name
}

// Name is the name of a function, and where it is declared. The minifier may have put the code of a function into another one: then this is not
// the name of the function that was written around a place.
type Name struct {
	Text   string // such as "loadCart", "Basket.total" or "new Basket"; "": not known
	Source int    // that declares it, an index in those of the map
	Line   int    // of the declaration in its source, from 1
}

// mark is where the code of a function begins, or goes on after that of another one. Its name is an index in names.
type mark struct {
	place
	name int32
}

// Of returns the table of a generated file and its source map; nil if the file cannot be read, or says nothing.
func Of(text []byte, m *sourcemap.Map) *Table {
	o := originals{m: m, lines: map[int][]int32{}, left: mostLines}
	return tableOf(text, o.name)
}

// Written returns the table of a file as it was written, for which no source map is needed; nil as of Of.
func Written(text string) *Table {
	return tableOf([]byte(text), func(n name) Name { return Name{string(n.token.text), 0, int(n.token.at.line) + 1} })
}

func tableOf(text []byte, original func(name) Name) *Table {
	if len(text) > LargestFile {
		return nil
	}
	all, err := functions(text)
	if err != nil {
		return nil
	}
	slices.SortStableFunc(all, func(a, b *found) int { return cmp.Or(a.start.compare(b.start), b.end.compare(a.end)) })
	b := builder{original: original, table: &Table{names: []Name{{}}}, index: map[Name]int32{{}: 0}}
	for _, f := range all {
		b.enter(f)
	}
	b.leave(nil)
	if len(b.table.names) == 1 || b.bytes > mostOfNames {
		return nil
	}
	return b.table
}

func (p place) compare(to place) int {
	return cmp.Or(cmp.Compare(p.line, to.line), cmp.Compare(p.column, to.column))
}

// At returns the name of the function around a place, whose line is counted from 1 and whose column from 0.
func (t *Table) At(line, column int) Name {
	i, exact := slices.BinarySearchFunc(t.marks, [2]int{line - 1, column}, func(m mark, at [2]int) int {
		return cmp.Or(cmp.Compare(int(m.line), at[0]), cmp.Compare(int(m.column), at[1]))
	})
	if !exact {
		i--
	}
	if i < 0 {
		return Name{}
	}
	return t.names[t.marks[i].name]
}

// builder makes a table of functions in the order of their beginnings.
type builder struct {
	original func(name) Name
	table    *Table
	index    map[Name]int32
	bytes    int // of the names
	around   []scope
}

// scope is a function or a class that encloses what comes next, and the name of places in it.
type scope struct {
	*found
	name Name
}

// enter begins a function. It ends before the one around it does, whatever the file says.
func (b *builder) enter(f *found) {
	b.leave(&f.start)
	if n := len(b.around); n > 0 && b.around[n-1].end.compare(f.end) < 0 {
		f.end = b.around[n-1].end
	}
	if f.end.compare(f.start) < 0 {
		f.end = f.start
	}
	name := b.nameOf(f)
	b.around = append(b.around, scope{f, name})
	b.mark(f.start, name)
}

// leave ends the functions that end before a place; all of them without one.
func (b *builder) leave(before *place) {
	for n := len(b.around); n > 0 && (before == nil || b.around[n-1].end.compare(*before) <= 0); n-- {
		end := b.around[n-1].end
		b.around = b.around[:n-1]
		b.mark(end, b.outer())
	}
}

// outer returns the name of the function around what comes next.
func (b *builder) outer() Name {
	if len(b.around) == 0 {
		return Name{}
	}
	return b.around[len(b.around)-1].name
}

// mark notes which name holds from a place on.
func (b *builder) mark(at place, name Name) {
	t := b.table
	if _, known := b.index[name]; !known {
		if b.bytes += len(name.Text); b.bytes > mostOfNames {
			return
		}
		b.index[name] = int32(len(t.names))
		t.names = append(t.names, name)
	}
	if last := len(t.marks) - 1; last >= 0 && t.marks[last].place == at {
		t.marks = t.marks[:last]
	}
	if last := len(t.marks) - 1; last < 0 && name.Text != "" || last >= 0 && t.marks[last].name != b.index[name] {
		t.marks = append(t.marks, mark{at, b.index[name]})
	}
}

// nameOf returns the name of places in a function. If the name in the generated file leads to no original one, nothing is known, which is
// better than the name of another function.
func (b *builder) nameOf(f *found) Name {
	if f.name.isNone() {
		return b.outer()
	}
	name := b.original(f.name)
	if len(name.Text) == 0 || len(name.Text) > longestName {
		return Name{}
	}
	owner := b.outer().Text
	if f.isMember && !f.isClass && owner != "" && b.around[len(b.around)-1].isClass {
		name.Text = map[bool]string{false: owner + "." + name.Text, true: "new " + owner}[f.constructor]
	}
	return name
}
