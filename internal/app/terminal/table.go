package terminal

import (
	"fmt"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/width"

	"sett/internal/app/client"
	"sett/internal/base/cell"
)

// Table writes a line for each row below a heading. On a terminal, its lines are cut to the width.
func (s *Screen) Table(columns []client.Column, rows []client.Row) {
	var shown []int
	for i, c := range columns {
		if !c.Wide {
			shown = append(shown, i)
		}
	}
	lines := [][]string{make([]string, len(shown))}
	for i, at := range shown {
		lines[0][i] = strings.ToUpper(strings.ReplaceAll(columns[at].Name, "_", " "))
	}
	for _, row := range rows {
		line := make([]string, len(shown))
		for i, at := range shown {
			line[i] = s.brief(row.Cells[at])
		}
		lines = append(lines, line)
	}
	widths := make([]int, len(shown))
	for _, line := range lines {
		for i, text := range line {
			widths[i] = max(widths[i], widthOf(text))
		}
	}
	s.squeeze(widths)
	for i, line := range lines {
		s.line(line, widths, i == 0)
	}
}

// gap is between two columns.
const gap = "  "

// leastWide is how narrow a column becomes at most, so that others fit.
const leastWide = 8

// squeeze makes the widest columns narrower until a line fits on the terminal.
func (s *Screen) squeeze(widths []int) {
	if s.width == 0 || len(widths) == 0 {
		return
	}
	total := len(gap) * (len(widths) - 1)
	for _, w := range widths {
		total += w
	}
	for ; total > s.width; total-- {
		widest := 0
		for i, w := range widths {
			if w >= widths[widest] {
				widest = i
			}
		}
		if widths[widest] <= leastWide {
			return
		}
		widths[widest]--
	}
}

func (s *Screen) line(cells []string, widths []int, heading bool) {
	var b strings.Builder
	for i, text := range cells {
		if s.width > 0 {
			text = cut(text, widths[i])
		}
		room := strings.Repeat(" ", widths[i]-widthOf(text))
		switch {
		case heading:
			text = s.paint(bold, text)
		default:
			text = s.paint(colourOf(text), text)
		}
		if i > 0 {
			b.WriteString(gap)
		}
		if b.WriteString(text); i < len(cells)-1 {
			b.WriteString(room)
		}
	}
	fmt.Fprintln(&s.text, b.String())
}

// brief writes a cell for people, on one line.
func (s *Screen) brief(value any) string {
	switch v := value.(type) {
	case time.Time:
		return s.age(v)
	case bool:
		if v {
			return "yes"
		}
		return "no"
	case []string:
		return orDash(cell.Plain(strings.Join(v, ", ")))
	case string:
		return orDash(cell.Plain(v))
	}
	return orDash(cell.Text(value))
}

func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

// age writes a time as people say how long ago it was, or how long it still takes.
func (s *Screen) age(at time.Time) string {
	if at.IsZero() {
		return "-"
	}
	ago, in := s.now.Sub(at), ""
	if ago < 0 {
		ago, in = -ago, "in "
	}
	var text string
	switch {
	case ago < time.Minute:
		text = fmt.Sprintf("%ds", int(ago.Seconds()))
	case ago < time.Hour:
		text = fmt.Sprintf("%dm", int(ago.Minutes()))
	case ago < 24*time.Hour:
		text = fmt.Sprintf("%dh", int(ago.Hours()))
	case ago < 30*24*time.Hour:
		text = fmt.Sprintf("%dd", int(ago.Hours()/24))
	default:
		return at.UTC().Format(time.DateOnly)
	}
	if in != "" {
		return in + text
	}
	return text + " ago"
}

// widthOf is how many columns of a terminal a text takes.
func widthOf(text string) (n int) {
	for _, r := range text {
		n += widthOfRune(r)
	}
	return n
}

func widthOfRune(r rune) int {
	if unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Me, r) {
		return 0
	}
	if kind := width.LookupRune(r).Kind(); kind == width.EastAsianWide || kind == width.EastAsianFullwidth {
		return 2
	}
	return 1
}

// cut returns as much of a text as fits into columns.
func cut(text string, columns int) string {
	if widthOf(text) <= columns {
		return text
	}
	n := 0
	for i, r := range text {
		if n += widthOfRune(r); n >= columns {
			return text[:i] + "…"
		}
	}
	return text
}
