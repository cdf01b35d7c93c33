package terminal

import (
	"fmt"
	"strconv"
	"strings"

	"sett/internal/app/client"
	"sett/internal/base/cell"
)

// sourceAround is how many lines of source are shown before and after the one that failed.
const sourceAround = 3

// Report writes an error with its newest event.
func (s *Screen) Report(r client.Report) {
	flat := len(r.Columns) - 1 // the event follows
	s.Fields(r.Columns[:flat], client.Row{Cells: r.Row.Cells[:flat]})
	e := r.Event
	if e == nil {
		return
	}
	fmt.Fprintf(&s.text, "\n%s\n", s.paint(bold, "Newest event "+cell.Plain(e.ID)))
	s.Fields(eventColumns(), client.Row{Cells: []any{e.OccurredAt, e.Message, e.Revision, e.DeployedAt, e.Hostname, e.Request, e.User, e.Tags}})
	title := "Frames of the application"
	if !e.Application {
		title = "Frames"
	}
	if len(e.Frames) > 0 {
		fmt.Fprintf(&s.text, "\n%s\n", s.paint(bold, title))
	}
	for _, f := range e.Frames {
		s.frame(f)
	}
}

func eventColumns() []client.Column {
	names := []string{"occurred", "message", "revision", "deployed", "host", "request", "user", "tags"}
	columns := make([]client.Column, len(names))
	for i, name := range names {
		columns[i].Name = name
	}
	return columns
}

func (s *Screen) frame(f client.Frame) {
	fmt.Fprintf(&s.text, "  %s\n", s.fit(cell.Plain(f.Place()), 2))
	for _, line := range f.Source {
		if line.Line < f.Line-sourceAround || line.Line > f.Line+sourceAround {
			continue
		}
		mark, colour := "  ", dim
		if line.Line == f.Line {
			mark, colour = "> ", ""
		}
		text := s.fit(fmt.Sprintf("%s%5s  %s", mark, strconv.Itoa(line.Line), cell.Plain(strings.TrimRight(strings.ReplaceAll(line.Text, "\t", "    "), " \n"))), 4)
		fmt.Fprintf(&s.text, "    %s\n", s.paint(colour, text))
	}
}

// fit cuts a line that begins after some columns to the width of a terminal.
func (s *Screen) fit(text string, after int) string {
	if s.width == 0 {
		return text
	}
	return cut(text, max(s.width-after, leastWide))
}

// Line writes one line, with its text made safe.
func (s *Screen) Line(text string) { fmt.Fprintln(&s.text, s.fit(cell.Plain(text), 0)) }
