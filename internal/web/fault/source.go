package fault

import "sett/internal/web/highlight"

// paint distinguishes the words of the source lines of a backtrace, of the first frames first.
func (t *trace) paint(by *highlight.Highlighter) {
	page := by.Page()
	t.Stack.paint(page)
	for i := range t.Causes {
		t.Causes[i].paint(page)
	}
}

func (s *stack) paint(page *highlight.Page) {
	for i := range s.Frames {
		f := &s.Frames[i]
		texts := make([]string, len(f.Lines))
		for n, line := range f.Lines {
			texts[n] = line.Text
		}
		for n, pieces := range page.Lines(f.file, texts) {
			f.Lines[n].Pieces = pieces
		}
	}
}
