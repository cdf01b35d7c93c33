// Package sourcemap reads source maps: it takes the JSON of a map (ECMA-426, also known as source map v3), and returns for a position in
// minified code the position in the original file, with the lines around it. Anybody who has an API key may send a map, so every size and
// every count has a limit, and an error says what is wrong and what to do. The package opens no file, fetches no URL and keeps nothing of
// the text that it was given.
package sourcemap

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
	"unsafe"
)

// Map is a decoded source map. It never changes, so it is safe for concurrent use.
type Map struct {
	DebugID  string // as the map has it, usually a UUID; "" without one
	segments []segment
	sources  []source
	names    []string
}

// segment says where a piece of minified code comes from; they are sorted by line and column.
type segment struct {
	line, column          int32 // in minified code, both from 0
	source                int32 // index in sources; -1: the code comes from no source
	sourceLine, sourceCol int32 // both from 0
	name                  int32 // index in names; -1: none
}

type source struct {
	name    string // "" if the map does not name it
	content string // "" if the map does not contain it
	ignored bool   // the map says that it is not the application's
}

// Position is where a piece of code is in its original file.
type Position struct {
	Source string // as the map names it, such as "webpack:///./src/cart.js"
	Line   int    // from 1
	Column int    // from 0, in UTF-16 units
	Name   string // of the identifier there before it was minified; "" if the map has none
	Behind int    // columns from this position to the one that was asked for; 0: the map has exactly that

	Ignored bool // the map lists the source as one that is not the application's
	Index   int  // of the source in the map
}

// Lookup returns the origin of a position in minified code, whose line is counted from 1 and whose column from 0, in UTF-16 units. Without a
// segment at that position, it is that of the nearest one before it on the line. ok is false if there is none, or if that code has no source.
func (m *Map) Lookup(line, column int) (p Position, ok bool) {
	i, exact := slices.BinarySearchFunc(m.segments, [2]int{line - 1, column}, func(s segment, at [2]int) int {
		return cmp.Or(cmp.Compare(int(s.line), at[0]), cmp.Compare(int(s.column), at[1]))
	})
	if !exact {
		i--
	}
	if i < 0 || int(m.segments[i].line) != line-1 || m.segments[i].source < 0 {
		return Position{}, false
	}
	s := m.segments[i]
	from := m.sources[s.source]
	p = Position{from.name, int(s.sourceLine) + 1, int(s.sourceCol), "", column - int(s.column), from.ignored, int(s.source)}
	if s.name >= 0 {
		p.Name = m.names[s.name]
	}
	return p, true
}

// HasLine reports whether the map says anything about a line of minified code, counted from 1.
func (m *Map) HasLine(line int) bool {
	i, _ := slices.BinarySearchFunc(m.segments, line-1, func(s segment, line int) int { return cmp.Compare(int(s.line), line) })
	return i < len(m.segments) && int(m.segments[i].line) == line-1
}

// Content returns the original file of a position that this map returned, and false if the map does not contain it.
func (m *Map) Content(p Position) (string, bool) {
	content := m.sources[p.Index].content
	return content, content != ""
}

// Sources returns the names of the original files, and how many of them the map contains.
func (m *Map) Sources() (names []string, contained int) {
	for _, s := range m.sources {
		names = append(names, s.name)
		if s.content != "" {
			contained++
		}
	}
	return names, contained
}

// Bytes returns how much memory the map takes.
func (m *Map) Bytes() int {
	n := int(unsafe.Sizeof(*m)) + len(m.DebugID) +
		cap(m.segments)*int(unsafe.Sizeof(segment{})) + cap(m.sources)*int(unsafe.Sizeof(source{})) + cap(m.names)*int(unsafe.Sizeof(""))
	for _, s := range m.sources {
		n += len(s.name) + len(s.content)
	}
	for _, name := range m.names {
		n += len(name)
	}
	return n
}

// mostOfLine is how many bytes of a source line are shown. Longer lines are seldom written by people.
const mostOfLine = 500

// Line is a line of an original file.
type Line struct {
	Number int // from 1
	Text   string
}

// LinesAround returns a line of a file, counted from 1, with some lines before and after it. They are none if the file has no such line.
func LinesAround(content string, line, around int) (lines []Line) {
	for number := 1; number <= line+around; number++ {
		text, rest, more := strings.Cut(content, "\n")
		if number >= line-around {
			lines = append(lines, Line{number, cut(strings.TrimSuffix(text, "\r"))})
		}
		if content = rest; !more {
			if number < line {
				return nil
			}
			break
		}
	}
	return lines
}

// cut returns a line that is short enough to show.
func cut(text string) string {
	if len(text) <= mostOfLine {
		return text
	}
	end := mostOfLine
	for end > mostOfLine-utf8.UTFMax && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}
