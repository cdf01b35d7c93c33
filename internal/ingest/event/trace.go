package event

import (
	"slices"

	"sett/internal/event/payload"
	"sett/internal/ingest/group"
	"sett/internal/sett/scan"
)

// maxFiles is how many files of a backtrace become searchable.
const maxFiles = 20

// trace is what a backtrace says about where the error came from.
type trace struct {
	start, end int // the bytes of the document that the frames take; 0, 0 when there are none

	frames int
	top    frame          // the first frame at all
	best   payload.Origin // the highest origin of any frame
	first  frame          // the first frame of that origin
	files  []string       // the distinct files of the frames of that origin
	kept   []frame        // the first frames, if where they come from is looked up
}

// frame is one frame of a backtrace, as the client spelled it.
type frame struct {
	file, method, number, column, context string
}

// traceOf reads the JSON of a backtrace that begins at an offset of the document. Only an array has frames: a client without any may send an
// empty object, a text, or null.
func traceOf(value string, at int, minified bool) (t trace) {
	s := scanner{scan.New(value)}
	if s.Peek() != '[' {
		return t
	}
	empty := true
	for range s.Elements {
		empty = false
		f := s.frame()
		if t.add(f); minified && len(t.kept) < mostMinified {
			t.kept = append(t.kept, f)
		}
	}
	if !empty {
		t.start, t.end = at, at+len(value)
	}
	return t
}

func (s *scanner) frame() (f frame) {
	for key := range s.Members {
		switch key {
		case "file":
			f.file = s.Text()
		case "method":
			f.method = s.Text()
		case "number":
			f.number = s.Text()
		case "column":
			f.column = s.Text()
		case "context":
			f.context = s.Text()
		default:
			s.Value()
		}
	}
	return f
}

// add takes in the next frame; one that says nothing does not count.
func (t *trace) add(f frame) {
	if f.file == "" && f.method == "" {
		return
	}
	if t.frames++; t.frames == 1 {
		t.top, t.first = f, f
	}
	origin := payload.OriginOf(f.context, f.file, f.method)
	if origin > t.best {
		t.best, t.first, t.files = origin, f, t.files[:0]
	}
	if origin == t.best && len(t.files) < maxFiles && f.file != "" && !slices.Contains(t.files, f.file) {
		if t.files == nil {
			t.files = make([]string, 0, maxFiles)
		}
		t.files = append(t.files, f.file)
	}
}

// app returns the first application frame, or nil.
func (t *trace) app() *group.Frame {
	if !t.best.IsApp(t.best) {
		return nil
	}
	return t.first.forGroup()
}

// topFrame returns the first frame, or nil.
func (t *trace) topFrame() *group.Frame {
	if t.frames == 0 {
		return nil
	}
	return t.top.forGroup()
}

func (f frame) forGroup() *group.Frame {
	return &group.Frame{File: keyPart(f.file), Method: keyPart(f.method), Line: keyPart(f.number)}
}
