package fault

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"sett/internal/event/payload"
	"sett/internal/ingest/group"
	"sett/internal/ingest/unminify"
	"sett/internal/sett/faults"
	"sett/internal/web/highlight"
)

// traceCookie stores the last view of a backtrace; only the page of a fault reads it.
const traceCookie = "sett_trace"

// The views of a backtrace.
const (
	appFrames = "app"
	allFrames = "all"
	rawTrace  = "raw"
)

func isTraceView(s string) bool { return slices.Contains([]string{appFrames, allFrames, rawTrace}, s) }

// traceView returns the view of a request.
func traceView(r *http.Request) string {
	if asked := r.URL.Query().Get("trace"); isTraceView(asked) {
		return asked
	}
	if c, err := r.Cookie(traceCookie); err == nil && isTraceView(c.Value) {
		return c.Value
	}
	return appFrames
}

// rememberTrace stores the chosen view in a cookie, for other faults.
func (p *pages) rememberTrace(w http.ResponseWriter, r *http.Request) {
	if asked := r.URL.Query().Get("trace"); isTraceView(asked) {
		http.SetCookie(w, &http.Cookie{Name: traceCookie, Value: asked, Path: p.At("/"), MaxAge: 400 * 24 * 60 * 60, SameSite: http.SameSiteLaxMode, HttpOnly: true})
	}
}

// readTrace shows the backtrace of the event in the original code, as far as the project has source maps of it.
func (p *pages) readTrace(r *http.Request, v *faultView) (err error) {
	n := v.Event.Notice
	if !v.Event.Found {
		return nil
	}
	if v.Trace, err = traceOf(n, traceView(r), v.Project.SourceURL, p.originalOf(r.Context(), n)); err != nil {
		return err
	}
	v.Trace.paint(p.source)
	if found := v.Trace.spot(); found.Place != "" {
		v.Spot = found
	}
	for _, choice := range []struct{ value, label string }{{appFrames, "Application"}, {allFrames, "All frames"}, {rawTrace, "Raw"}} {
		v.Trace.Views = append(v.Trace.Views, traceChoice{choice.value, choice.label, v.eventURL(n.ID) + "&trace=" + choice.value})
	}
	return nil
}

// trace is a backtrace with its causes.
type trace struct {
	View     string
	Wrappers string // the classes of the errors around the one that has the title; "" if there is none
	Reported cause  // the outermost of them, without its frames
	Stack    stack
	Causes   []cause
	Raw      string // all of it as text
	Views    []traceChoice
	Markdown string // URL of the event as Markdown
	NoMaps   bool   // it has none, and scripts of web pages fail
}

// traceChoice is a link to a view.
type traceChoice struct{ Value, Label, Address string }

// stack is the frames of one error.
type stack struct {
	Frames []frame
	Hidden int    // frames outside the application
	Beyond int    // frames beyond the limit
	Maps   string // path of the source maps of the project
}

// cause is an error that led to the one reported.
type cause struct {
	Class, Message string
	stack
}

// frame is a line of a backtrace.
type frame struct {
	Method, Place, Link string
	App, Open           bool
	Lines               []sourceLine
	Left                bool // its source is not shown

	Minified string // place and method before the source map was applied; "" if none was
	Why      string // no source map applies, or has no source; "" if there is nothing to explain
	Test     string // query of the page of source maps that says which one applies

	file string // whose ending says the language
}

// sourceLine is a line of source; the line of the error is marked.
type sourceLine struct {
	Number, Text string
	Fault        bool
	Pieces       []highlight.Piece // the text; none: it stays plain
}

// Limits of a backtrace including its causes. The event's JSON has all of it.
const (
	mostFrames    = 200
	mostSource    = 1500 // lines
	mostLines     = 15   // of a frame
	mostCauses    = 10
	longestMethod = 300
	longestLine   = 300
)

// tracer prepares the backtraces of one event within the limits.
type tracer struct {
	view, sourceURL, revision string
	frames, lines             int      // remaining
	original                  original // nil: frames are shown as they were sent
	maps                      string   // path of the source maps of the project
	noMaps                    bool     // a script was found, and the project has no source maps
}

// original finds where frames come from; see unminify.Lookup.
type original func([]payload.Frame) ([]payload.Frame, []unminify.Origin, error)

// located is a frame as it is shown, with its origin if that was looked up.
type located struct {
	payload.Frame
	origin unminify.Origin
}

// locate returns the frames of a backtrace as they are in the original code.
func (t *tracer) locate(frames []payload.Frame) ([]located, error) {
	var origins []unminify.Origin
	if t.original != nil {
		var err error
		if frames, origins, err = t.original(frames); err != nil {
			return nil, err
		}
	}
	all := make([]located, len(frames))
	for i, f := range frames {
		all[i] = located{f, unminify.Origin{Reason: unminify.NotMinified}}
		if i < len(origins) {
			all[i].origin = origins[i]
		}
	}
	return all, nil
}

func (t *tracer) stack(frames []payload.Frame) (s stack, err error) {
	s.Maps = t.maps
	wanted, err := t.locate(frames)
	if err != nil {
		return s, err
	}
	if app := slices.DeleteFunc(slices.Clone(wanted), func(f located) bool { return f.Context != "app" }); t.view != allFrames && len(app) > 0 {
		wanted, s.Hidden = app, len(frames)-len(app)
	}
	if len(wanted) > t.frames {
		wanted, s.Beyond = wanted[:t.frames], len(wanted)-t.frames
	}
	t.frames -= len(wanted)
	open := false
	for _, f := range wanted {
		one := t.frame(f.Frame)
		t.explain(&one, f)
		if len(one.Lines) > t.lines {
			one.Lines, one.Left = nil, true
		}
		t.lines -= len(one.Lines)
		if !open && one.App && len(one.Lines) > 0 {
			one.Open, open = true, true
		}
		s.Frames = append(s.Frames, one)
	}
	return s, nil
}

// explain says where a frame was before its source map was applied, or why none was.
func (t *tracer) explain(one *frame, f located) {
	o := f.origin
	if o.Mapped() {
		one.Minified = cut(placeOf(o.Minified.File, o.Minified.Line, o.Minified.Column)+" in "+orWord(o.Minified.Method, "?"), longestMethod)
	}
	switch {
	case len(one.Lines) > 0: // the client sent them, or the map has them
	case o.Reason == unminify.NoMaps:
		t.noMaps = t.noMaps || strings.Contains(o.URL, "://")
	case o.Why() != "":
		query := url.Values{"url": {cut(o.Minified.File, longestMethod)}, "revision": {t.revision}, "position": {fmt.Sprintf("%d:%d", o.Minified.Line, o.Minified.Column)}}
		one.Why, one.Test = cut(o.Why(), 1000), "?"+query.Encode()+"#test"
	}
}

// placeOf formats a position in a file.
func placeOf(file string, line, column int) string {
	return strings.TrimPrefix(file, "[PROJECT_ROOT]/") + ":" + strconv.Itoa(line) + ":" + strconv.Itoa(column)
}

func (t tracer) frame(f payload.Frame) frame {
	one := frame{Method: cut(orWord(callOf(f), "?"), longestMethod), App: f.Context == "app", Lines: sourceOf(f), file: f.File}
	line := ""
	one.Place = strings.TrimPrefix(f.File, "[PROJECT_ROOT]/")
	if f.Number != nil {
		line = strconv.Itoa(*f.Number)
		one.Place += ":" + line
	}
	one.Place = cut(one.Place, longestMethod)
	if one.App {
		one.Link = sourceLink(t.sourceURL, t.revision, f.File, line)
	}
	return one
}

// callOf returns the call of a frame.
func callOf(f payload.Frame) string {
	if f.Class == "" {
		return f.Method
	}
	return f.Class + orWord(f.Type, ".") + f.Method
}

// sourceOf returns the lines of source of a frame around the line of the error.
func sourceOf(f payload.Frame) (lines []sourceLine) {
	var numbers []int
	for n := range f.Source {
		if number, err := strconv.Atoi(n); err == nil {
			numbers = append(numbers, number)
		}
	}
	slices.Sort(numbers)
	if at := 0; len(numbers) > mostLines {
		if f.Number != nil {
			at, _ = slices.BinarySearch(numbers, *f.Number)
		}
		from := min(max(0, at-mostLines/2), len(numbers)-mostLines)
		numbers = numbers[from : from+mostLines]
	}
	for _, n := range numbers {
		text, ok := f.Source[strconv.Itoa(n)]
		if ok {
			lines = append(lines, sourceLine{strconv.Itoa(n), cut(strings.TrimRight(text, "\r\n"), longestLine), f.Number != nil && *f.Number == n, nil})
		}
	}
	return lines
}

// rawOf formats a backtrace and its causes as clients log them.
func rawOf(n payload.Payload) string {
	var b strings.Builder
	writeStack(&b, n.Class, n.Message, n.Backtrace)
	for i, c := range n.Causes {
		if i < mostCauses {
			b.WriteString("\nCaused by ")
			writeStack(&b, c.Class, c.Message, c.Backtrace)
		}
	}
	return b.String()
}

func writeStack(b *strings.Builder, class, message string, frames []payload.Frame) {
	b.WriteString(cut(class, longestMethod) + ": " + cut(message, 2000) + "\n")
	for i, f := range frames {
		if i == mostFrames {
			b.WriteString("    … and " + strconv.Itoa(len(frames)-i) + " more\n")
			return
		}
		one := tracer{}.frame(f)
		b.WriteString("    " + one.Place + " in " + one.Method + "\n")
	}
}

// traceOf prepares the backtrace of a notice; original may be nil. Its error is that of original.
func traceOf(n faults.Notice, view, sourceURL string, original original) (t trace, err error) {
	t.View = view
	if wrappers := group.Wrappers(group.NamedOf(n.Payload)); len(wrappers) > 0 {
		t.Wrappers, t.Reported = cut(strings.Join(wrappers, ", "), longestMethod), cause{Class: cut(n.Class, longestMethod), Message: cut(n.Message, 2000)}
	}
	if view == rawTrace {
		t.Raw = rawOf(n.Payload)
		return t, nil
	}
	by := &tracer{view: view, sourceURL: sourceURL, revision: n.Environment.Revision, frames: mostFrames, lines: mostSource, original: original, maps: fmt.Sprintf("/projects/%d/settings/source-maps", n.ProjectID)}
	if t.Stack, err = by.stack(n.Backtrace); err != nil {
		return t, err
	}
	for _, c := range n.Causes[:min(len(n.Causes), mostCauses)] {
		frames, err := by.stack(c.Backtrace)
		if err != nil {
			return t, err
		}
		t.Causes = append(t.Causes, cause{cut(c.Class, longestMethod), cut(c.Message, 2000), frames})
	}
	t.NoMaps = by.noMaps
	return t, nil
}
