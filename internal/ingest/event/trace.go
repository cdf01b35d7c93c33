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
	helper bool  // all frames with that origin so far are of helpers
	helped frame // the first of helpers that came before; none if it is empty
}

// frame is one frame of a backtrace, as the client spelled it.
type frame struct {
	file, method, number, column, context string
	name                                  string // the method with its class
	source                                string // JSON; of the frames that decide, the text of the line, see trace.finish
	rule                                  regroup.Kind
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
	t.finish()
	return t
}

func (s *scanner) frame() (f frame) {
	var class string
	for key := range s.Members {
		switch key {
		case "file":
			f.file = s.Text()
		case "method":
			f.method = s.Text()
		case "class":
			class = s.Text()
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
	f.name = origin.FullName(class, f.method)
	return f
}

// finish leaves of the source what decides. A backtrace that is known needs no more of it.
func (t *trace) finish() {
	t.top.source, t.first.frame.source = "", ""
	for _, p := range []*pick{&t.said, &t.guessed} {
		p.frame.source, p.helped.source, p.caller.source = p.frame.line(), p.helped.line(), ""
	}
}

// add takes in the next frame; one that says nothing does not count.
func (t *trace) add(f frame) {
	if f.file != "" || f.method != "" {
		said, guessed := t.tally.Add(f.context, f.file, f.name)
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
		if p.helped == (frame{}) {
			p.helped = p.frame
		}
		p.frame, p.helper = f, f.isHelper()
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

// hasApp reports whether the frame is the application's.
func (p *pick) hasApp() bool { return p.best.IsApp(p.best) }

// firstFrames returns the first application frame and the first frame by rule 1, which does not know classes of frames; nil for none.
func (t *trace) firstFrames() (app, top *group.Frame) {
	if t.frames == 0 {
		return nil, nil
	}
	both := &[2]group.Frame{t.first.frame.forGroup(t.first.frame.method), t.top.forGroup(t.top.method)}
	if top = &both[1]; t.first.hasApp() {
		app = &both[0]
	}
	return app, top
}

// failure is an error of a class and with a message, of which this is the backtrace.
func (t *trace) failure(class, message string) group.Error {
	e := group.Error{Class: class, Message: message}
	p := *t.chosen()
	helped := p.helped != (frame{})
	switch {
	case t.frames == 0:
		return e
	case !p.hasApp():
		top := t.top.forGroup(t.top.name)
		e.Top = &top
		return e
	case helped && group.IsOwnMistake(class, message):
		p.frame, p.caller, helped = p.helped, p.frame, false
	}
	both := &[2]group.Frame{p.frame.forGroup(p.frame.name)}
	both[0].Source = p.frame.source
	e.App, e.Helped = &both[0], helped
	if p.caller != (frame{}) {
		both[1] = p.caller.forGroup(p.caller.name)
		e.Caller = &both[1]
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

// forGroup is the frame as the rules of grouping look at it, with a name for its method.
func (f frame) forGroup(name string) group.Frame {
	column := 0
	if f.column != "" { // an error is two objects
		column, _ = strconv.Atoi(f.column)
	}
	return group.Frame{File: keyPart(f.file), Method: keyPart(name), Line: keyPart(f.number), Column: column}
}

// line returns the text of the frame's line, behind that of the line above, by which two lines with one text differ; "" if the client does not send it.
func (f frame) line() string {
	number, err := strconv.Atoi(f.number)
	if err != nil || f.source == "" {
		return ""
	}
	above := strconv.Itoa(number - 1)
	var text, before string
	s := scanner{scan.New(f.source)}
	for key := range s.Members {
		switch key {
		case f.number:
			text = strings.TrimSpace(s.Text())
		case above:
			before = strings.TrimSpace(s.Text())
		default:
			s.Value()
		}
	}
	if text == "" || before == "" {
		return keyPart(text)
	}
	return keyPart(before + " " + text)
}
