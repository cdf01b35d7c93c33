package airbrake

import (
	"slices"
	"strconv"
	"strings"

	"sett/internal/ingest/notice"
	"sett/internal/ingest/stack"
)

// The bounds of what is read of a backtrace; no client sends more.
const (
	maxFrames = 10_000
	maxSource = 100 // lines around one frame
)

// backtrace reads an array of frames, or a stack trace as text, of which the first error's frames count.
func (r *reader) backtrace() (frames []notice.Frame) {
	if r.Peek() == '"' {
		if text := r.Text(); strings.TrimSpace(text) != "" {
			frames = stack.Parse(text)[0].Backtrace
		}
		return frames
	}
	for range r.Elements {
		if len(frames) == maxFrames || r.Peek() != '{' {
			r.Value()
			continue
		}
		frames = append(frames, r.frame())
	}
	return frames
}

func (r *reader) frame() (f notice.Frame) {
	for key := range r.Members {
		switch key {
		case "file":
			f.File = r.Text()
		case "function":
			f.Method = r.Text()
		case "line":
			f.Line = numberOf(r.Text())
		case "column":
			f.Column = numberOf(r.Text())
		case "code":
			f.Source = r.source()
		default:
			r.Value()
		}
	}
	return f
}

// source reads the lines of code around a frame, by their numbers.
func (r *reader) source() (lines []notice.SourceLine) {
	for key := range r.Members {
		number, text := numberOf(key), r.Text()
		if number > 0 && len(lines) < maxSource {
			lines = append(lines, notice.SourceLine{Number: number, Text: text})
		}
	}
	slices.SortFunc(lines, func(a, b notice.SourceLine) int { return a.Number - b.Number })
	return slices.CompactFunc(lines, func(a, b notice.SourceLine) bool { return a.Number == b.Number })
}

// numberOf returns the number of a line or column, or 0 for what is none.
func numberOf(text string) int {
	n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 32)
	if err != nil || n < 0 {
		return 0
	}
	return int(n)
}

// roots are how clients begin the paths of what they know, and how sett does.
var roots = []struct{ theirs, ours string }{
	{"/PROJECT_ROOT/", "[PROJECT_ROOT]/"},
	{"/GEM_ROOT/", "[GEM_ROOT]/"},
}

// shorten replaces the directories at the start of files that say where the project is.
func (c *context) shorten(frames []notice.Frame) {
	root := strings.TrimRight(c.root, "/") + "/"
	for i := range frames {
		file := &frames[i].File
		for _, r := range roots {
			if rest, ok := strings.CutPrefix(*file, r.theirs); ok {
				*file = r.ours + rest
			}
		}
		if rest, ok := strings.CutPrefix(*file, root); ok && root != "/" {
			*file = "[PROJECT_ROOT]/" + rest
		}
	}
}
