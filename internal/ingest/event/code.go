package event

import (
	"slices"
	"strconv"

	"sett/internal/sett/regroup"
)

// Code is what an event says about the code that it comes from.
type Code struct {
	Revision  string
	Root      string      // what [PROJECT_ROOT] stands for in the files of frames
	DebugMeta string      // what clients of Sentry say about the files, in JSON; "" if they do not
	Frames    []CodeFrame // of the backtrace, innermost first
}

// CodeFrame is a frame of a backtrace. A function that knows where it comes from puts the original position in its place.
type CodeFrame struct {
	File, Method string
	Line, Column int  // from 1; 0: unknown
	Original     bool // the position is that in the original code
	Vendored     bool // the original code is a library's
}

// mostMinified is how many frames of a backtrace are looked up.
const mostMinified = 50

// unminify has original find out where the frames come from, and groups by the original ones. A longer backtrace is grouped by its first
// frames; if none of them has an origin, nothing changes.
func (n *notice) unminify(original func(*Code)) {
	t := &n.failure.trace
	c := Code{Revision: Name(n.server.revision, n.server.version), Root: n.server.root, DebugMeta: n.program.debugMeta}
	minified := false
	for _, f := range t.kept {
		frame := CodeFrame{File: f.file, Method: f.method}
		frame.Line, _ = strconv.Atoi(f.number)
		frame.Column, _ = strconv.Atoi(f.column)
		minified = minified || frame.Column > 0
		c.Frames = append(c.Frames, frame)
	}
	if !minified {
		return
	}
	original(&c)
	if slices.ContainsFunc(c.Frames, func(f CodeFrame) bool { return f.Original }) {
		t.replace(c.Frames, n.how.rules)
	}
}

// replace has the trace say what its frames say in the original code. Their files can be searched for by both names.
func (t *trace) replace(frames []CodeFrame, rules *regroup.Rules) {
	now := trace{start: t.start, end: t.end}
	var all []frame
	for i, f := range frames {
		one := t.kept[i]
		if f.Original {
			one = frame{file: f.File, method: f.Method, name: f.Method, number: strconv.Itoa(f.Line), context: "app"}
		}
		if f.Vendored {
			one.context = "all"
		}
		all = append(all, one)
	}
	now.addByRules(all, rules)
	now.finish()
	if !now.chosen().hasApp() {
		return
	}
	chosen := now.chosen()
	for _, file := range t.chosen().files {
		if len(chosen.files) < maxFiles && !slices.Contains(chosen.files, file) {
			chosen.files = append(chosen.files, file)
		}
	}
	now.frames = t.frames
	*t = now
}

// rootOf reads the root of a project: a text, or an object with its path.
func (s *scanner) rootOf() (root string) {
	if s.Peek() != '{' {
		return s.Text()
	}
	for key := range s.Members {
		if key == "path" {
			root = s.Text()
		} else {
			s.Value()
		}
	}
	return root
}
