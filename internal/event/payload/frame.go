package payload

import (
	"slices"
	"strings"

	"sett/internal/event/origin"
)

// Frame is one line of a backtrace as the interface shows it, innermost first. Every field has a type that strict
// clients can decode, whatever was reported (wire.md §1.4).
type Frame struct {
	Number          *int              `json:"number,string"` // the line; null when unknown
	Column          *int              `json:"column,omitempty"`
	File            string            `json:"file"`
	Method          string            `json:"method"`
	Class           string            `json:"class,omitempty"`
	Type            string            `json:"type,omitempty"` // PHP: "->" or "::"
	Args            []any             `json:"args,omitempty"`
	Source          map[string]string `json:"source,omitempty"`           // line number → text of the line
	Context         string            `json:"context"`                    // "app" for application frames, else "all"
	ApplicationFile string            `json:"application_file,omitempty"` // in application traces: File without [PROJECT_ROOT]/
}

// readFrames reads a backtrace of any type: an array of frames is the rule; lines of text, in an array or as one
// string, become frames that have only a method; anything else is no backtrace.
func readFrames(v any) []Frame {
	frames := []Frame{}
	if text, ok := v.(string); ok {
		for i, line := range strings.SplitN(text, "\n", maxShown+1) {
			if i < maxShown {
				frames = append(frames, Frame{Method: strings.TrimRight(line, "\r")})
			}
		}
	}
	for _, f := range shown(v) {
		frames = append(frames, readFrame(f))
	}
	return slices.DeleteFunc(frames, func(f Frame) bool { return f.File == "" && f.Method == "" })
}

func readFrame(v any) Frame {
	d, ok := v.(map[string]any)
	if !ok {
		return Frame{Method: TextOf(v)}
	}
	return Frame{
		Number:  IntOf(d["number"]),
		Column:  IntOf(d["column"]),
		File:    TextOf(d["file"]),
		Method:  TextOf(d["method"]),
		Class:   TextOf(d["class"]),
		Type:    TextOf(d["type"]),
		Args:    readArgs(d["args"]),
		Source:  textsOf(d["source"]),
		Context: TextOf(d["context"]),
	}
}

// readArgs returns the arguments of a call; a lone value counts as the only one.
func readArgs(v any) []any {
	if args, ok := v.([]any); ok || v == nil {
		return args
	}
	return []any{v}
}

// markApp sets the context of every frame by the rules of origin, and returns the application frames.
func markApp(frames []Frame) []Frame {
	of := make([]origin.Frame, len(frames))
	for i, f := range frames {
		of[i] = origin.Frame{Context: f.Context, File: f.File, Method: origin.FullName(f.Class, f.Method)}
	}
	app := []Frame{}
	for i, isApp := range origin.Apps(of) {
		frames[i].Context = "all"
		if isApp {
			frames[i].Context = "app"
			f := frames[i]
			f.ApplicationFile = strings.TrimPrefix(f.File, "[PROJECT_ROOT]/")
			app = append(app, f)
		}
	}
	return app
}
