package brief

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"sett/internal/base/fence"
	"sett/internal/event/payload"
	"sett/internal/sett/faults"
)

// The bounds of what is written of an event, in bytes and pieces.
const (
	traceBytes  = 2500
	shownFrames = 12
	withSource  = 3 // frames that are shown with their source
	linesAround = 3
	crumbs      = 10
	crumbBytes  = 1100
	causeBytes  = 300
	eventBytes  = 2400
	partBytes   = 420 // of params and the like
)

// writeTrace writes the frames of the application, the innermost first, and all frames where none is known to be one.
func writeTrace(w *fence.Writer, p payload.Payload) {
	frames := slices.DeleteFunc(slices.Clone(p.Backtrace), func(f payload.Frame) bool { return f.Context != "app" })
	title := fence.Words("\n## Backtrace: frames of the application, innermost first\n\n")
	if len(frames) == 0 {
		frames, title = p.Backtrace, "\n## Backtrace: no frame is known to be of the application\n\n"
	}
	if len(frames) > 0 {
		var b strings.Builder
		for i, f := range frames[:min(len(frames), shownFrames)] {
			writeFrame(&b, f, i < withSource)
		}
		w.Say(title)
		w.Block(fence.Reporter, b.String(), traceBytes)
		w.Say("\nFrames in all: %\n", fence.Count(int64(len(p.Backtrace))))
	}
	for _, c := range p.Causes[:min(len(p.Causes), 2)] {
		fact(w, "Caused by", fence.Reporter, c.Class+": "+c.Message, causeBytes)
	}
}

// writeFrame writes a frame, with the lines around it.
func writeFrame(b *strings.Builder, f payload.Frame, source bool) {
	at := -1
	b.WriteString(bounded(f.File, 160))
	if f.Number != nil {
		at = *f.Number
		b.WriteString(":" + strconv.Itoa(at))
	}
	b.WriteString(" in " + bounded(f.Class+f.Type+f.Method, 120) + "\n")
	if !source {
		return
	}
	var numbers []int
	for text := range f.Source {
		if n, err := strconv.Atoi(text); err == nil && n >= at-linesAround && n <= at+linesAround {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	for _, n := range numbers {
		mark := "  "
		if n == at {
			mark = "> "
		}
		b.WriteString("  " + mark + strconv.Itoa(n) + "  " + bounded(f.Source[strconv.Itoa(n)], 120) + "\n")
	}
}

// bounded returns the beginning of a text, as one line.
func bounded(text string, most int) string {
	return strings.NewReplacer("\n", " ", "\r", " ").Replace(fence.Clean(text, most))
}

// writeRequest writes what the event says of its request and machine.
func writeRequest(w *fence.Writer, n *faults.Notice) {
	w.Say("\n## Event\n\n")
	if id, ok := fence.ID(n.ID.String()); ok {
		w.Say("- Event: %\n", id)
	}
	known := n.Payload.Facts()
	var b strings.Builder
	for _, f := range []struct {
		name, text string
		most       int
	}{
		{"Level", known.Level, 20},
		{"Handled", known.Handled, 10},
		{"Revision", n.Environment.Revision, 80},
		{"Host", n.Environment.Hostname, 80},
		{"URL", n.Request.URL, 250},
		{"Method", n.WebEnvironment["REQUEST_METHOD"], 10},
		{"User agent", n.WebEnvironment["HTTP_USER_AGENT"], 180},
		{"Runtime", known.Runtime.String(), 60},
		{"App", known.App.String(), 60},
		{"Trace", known.Trace, 80},
		{"User", userOf(n.Request.User), 80},
		{"Params", valuesOf(n.Request.Params), partBytes},
		{"Context", valuesOf(n.Request.Context), partBytes},
		{"Session", valuesOf(n.Request.Session), partBytes / 2},
		{"Local variables", valuesOf(n.LocalVariables), partBytes},
		{"Details", valuesOf(n.Details), partBytes / 2},
	} {
		if f.text != "" {
			b.WriteString(f.name + ": " + bounded(f.text, f.most) + "\n")
		}
	}
	if b.Len() > 0 {
		w.Block(fence.Reporter, b.String(), eventBytes)
		w.Say("\n")
	}
}

func userOf(u *payload.User) string {
	if u == nil {
		return ""
	}
	return strings.TrimSpace(payload.TextOf(u.ID) + " " + u.Email)
}

// valuesOf returns an object as JSON, and "" for one that is empty.
func valuesOf(object map[string]any) string {
	if len(object) == 0 {
		return ""
	}
	text, err := json.Marshal(object)
	if err != nil {
		return strings.Join(slices.Sorted(maps.Keys(object)), " ")
	}
	return string(text)
}

// writeBreadcrumbs writes what happened before, the newest last.
func writeBreadcrumbs(w *fence.Writer, all []payload.Breadcrumb) {
	if len(all) == 0 {
		return
	}
	var b strings.Builder
	for _, c := range all[max(0, len(all)-crumbs):] {
		b.WriteString(bounded(strings.TrimSpace(c.Timestamp+" "+c.Category+": "+c.Message), 140))
		if values := valuesOf(c.Metadata); values != "" {
			b.WriteString(" " + bounded(values, 100))
		}
		b.WriteString("\n")
	}
	w.Say("\n## Events around it: the last breadcrumbs, newest last\n\n")
	w.Block(fence.Reporter, b.String(), crumbBytes)
	w.Say("\n")
}
