package event

import (
	"slices"
	"strconv"
	"strings"

	"sett/internal/event/origin"
	"sett/internal/ingest/group"
	"sett/internal/sett/regroup"
	"sett/internal/sett/scan"
)

// maxFiles is how many files of a backtrace become searchable.
const maxFiles = 20

// trace is what a backtrace says about where the error came from.
type trace struct {
	start, end int // the bytes of the document that the frames take; 0, 0 when there are none

	frames  int
	tally   origin.Tally
	top     frame   // the first frame at all
	said    pick    // by what the client says
	guessed pick    // by what files and methods say
	first   pick    // by the rule before version 2, for the keys that errors got then
	kept    []frame // the first frames, if where they come from is looked up; all, if they are explained
}

// pick is the first frame with the highest origin that is not a helper's (see group.IsHelper), or the last of all; and the distinct files of
// all frames with that origin.
type pick struct {
	best   origin.Origin
	frame  frame
	caller frame // the next frame with that origin
	files  []string
	helper bool // all frames with that origin so far are of helpers
	helped bool // frames of helpers came before
}

// frame is one frame of a backtrace, as the client spelled it.
type frame struct {
	file, class, method, number, column, context string
	source                                       string // JSON
	rule                                         regroup.Kind
}

// traceOf reads the JSON of a backtrace that begins at an offset of the document. Only an array has frames: a client without any may send an
// empty object, a text, or null.
func traceOf(value string, at int, how reading) (t trace) {
	s := scanner{scan.New(value)}
	if s.Peek() != '[' {
		return t
	}
	empty := true
	var all []frame // if all must be known before one can be judged
	for range s.Elements {
		empty = false
		f := s.frame()
		if how.rules.Sees() {
			all = append(all, f)
		} else {
			t.add(f)
		}
		if how.explained || how.minified && len(t.kept) < mostMinified {
			t.kept = append(t.kept, f)
		}
	}
	t.addByRules(all, how.rules)
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
		case "class":
			f.class = s.Text()
		case "number":
			f.number = s.Text()
		case "column":
			f.column = s.Text()
		case "context":
			f.context = s.Text()
		case "source":
			f.source = s.Value()
		default:
			s.Value()
		}
	}
	return f
}

// add takes in the next frame; one that says nothing does not count.
func (t *trace) add(f frame) {
	if f.file != "" || f.method != "" {
		said, guessed := t.tally.Add(f.context, f.file, f.name())
		t.put(f, said, guessed)
	}
}

// put takes in the next frame with its origins.
func (t *trace) put(f frame, said, guessed origin.Origin) {
	if t.frames++; t.frames == 1 {
		t.top, t.said.frame, t.guessed.frame, t.first.frame = f, f, f, f
	}
	t.said.add(said, f)
	t.guessed.add(guessed, f)
	t.first.addFirst(group.FirstOrigin(f.context, f.file, f.method), f)
}

func (p *pick) add(o origin.Origin, f frame) {
	if o > p.best {
		*p = pick{best: o, frame: f, files: p.files[:0], helper: f.isHelper()}
	} else if o == p.best && p.helper {
		p.frame, p.helper, p.helped = f, f.isHelper(), true
	} else if o == p.best && p.caller == (frame{}) {
		p.caller = f
	}
	if o == p.best && len(p.files) < maxFiles && f.file != "" && !slices.Contains(p.files, f.file) {
		if p.files == nil {
			p.files = make([]string, 0, maxFiles)
		}
		p.files = append(p.files, f.file)
	}
}

// addFirst is add for rule 1.
func (p *pick) addFirst(o origin.Origin, f frame) {
	if o > p.best {
		p.best, p.frame = o, f
	}
}

// app returns the first application frame, or nil.
func (p *pick) app() *group.Frame {
	if !p.best.IsApp(p.best) {
		return nil
	}
	return p.frame.forGroup()
}

// firstApp is app for rule 1, which does not know classes of frames.
func (p *pick) firstApp() *group.Frame {
	f := p.app()
	if f != nil {
		f.Method = keyPart(p.frame.method)
	}
	return f
}

// firstTop is topFrame for rule 1.
func (t *trace) firstTop() *group.Frame {
	f := t.topFrame()
	if f != nil {
		f.Method = keyPart(t.top.method)
	}
	return f
}

// failure is an error of a class and with a message, of which this is the place.
func (p *pick) failure(class, message string, top *group.Frame) group.Error {
	e := group.Error{Class: class, Message: message, App: p.app(), Top: top, Helped: p.helped}
	if p.caller != (frame{}) {
		e.Caller = p.caller.forGroup()
	}
	return e
}

// chosen is what decides: what the client says, unless that is doubted.
func (t *trace) chosen() *pick {
	if t.tally.Doubts() {
		return &t.guessed
	}
	return &t.said
}

// topFrame returns the first frame, or nil.
func (t *trace) topFrame() *group.Frame {
	if t.frames == 0 {
		return nil
	}
	return t.top.forGroup()
}

// name is the method with its class.
func (f frame) name() string { return origin.FullName(f.class, f.method) }

func (f frame) forGroup() *group.Frame {
	column, _ := strconv.Atoi(f.column)
	return &group.Frame{File: keyPart(f.file), Method: keyPart(f.name()), Line: keyPart(f.number), Column: column, Source: f.line()}
}

// line returns the text of the frame's line, behind that of the line above, which keeps two lines with one text apart; "" if the client does not send it.
func (f frame) line() (text string) {
	s := scanner{scan.New(f.source)}
	number, err := strconv.Atoi(f.number)
	if err != nil {
		return ""
	}
	above := strconv.Itoa(number - 1)
	var before string
	for key := range s.Members {
		switch value := s.Text(); key {
		case f.number:
			text = value
		case above:
			before = value
		}
	}
	if text = strings.TrimSpace(text); text == "" {
		return ""
	}
	return keyPart(strings.TrimSpace(strings.TrimSpace(before) + " " + text))
}
