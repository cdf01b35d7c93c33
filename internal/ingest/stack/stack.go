// Package stack reads stack traces as programs print them. It takes the text of one trace in any of fifteen languages, and returns its errors
// with class, message and frames, the newest call first. The package never fails: in a text that it does not recognise, each line becomes a
// frame.
package stack

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"sett/internal/ingest/notice"
)

// The bounds of what is read of one text; the rest is left out.
const (
	maxText    = 256 << 10 // bytes; no notice has more
	maxLine    = 4 << 10   // bytes
	maxLines   = 20_000
	maxMessage = 10_000 // bytes, above which lines are not added
	maxFrames  = 2_000  // of one error
	maxErrors  = 50
)

// parsers are tried in this order. Each returns nil for a text that has no frame in its language.
var parsers = []func(lines []string) []notice.Cause{
	python, goroutine, rust, elixir, dart, php, java, v8, dotnet, swift, erlang, lua, ruby, firefox, r, perl,
}

// Parse returns the errors that a text describes: the one that was reported, and then what led to it, nearest first. There is always one;
// its class is "" if the text does not name it.
func Parse(text string) []notice.Cause {
	lines := linesOf(text)
	for _, parse := range parsers {
		if errors := parse(lines); slices.ContainsFunc(errors, hasFrames) {
			return bounded(errors)
		}
	}
	return bounded([]notice.Cause{unknown(lines)})
}

func hasFrames(e notice.Cause) bool { return len(e.Backtrace) > 0 }

func linesOf(text string) []string {
	lines := strings.SplitN(text[:min(len(text), maxText)], "\n", maxLines+1)
	lines = lines[:min(len(lines), maxLines)]
	for i, line := range lines {
		lines[i] = strings.TrimRight(line[:min(len(line), maxLine)], "\r")
	}
	return lines
}

// unknown makes a frame of each line.
func unknown(lines []string) (e notice.Cause) {
	for _, line := range lines {
		if strings.TrimSpace(line) != "" {
			e.Backtrace = append(e.Backtrace, notice.Frame{Method: line})
		}
	}
	return e
}

// bounded leaves out what is too much, and blanks around messages.
func bounded(errors []notice.Cause) []notice.Cause {
	errors = errors[:min(len(errors), maxErrors)]
	for i := range errors {
		e := &errors[i]
		e.Message = strings.TrimSpace(e.Message)
		e.Backtrace = e.Backtrace[:min(len(e.Backtrace), maxFrames)]
	}
	return errors
}

// header takes the line apart with which most languages begin: a class, and a message after a colon.
func header(line string, class *regexp.Regexp) notice.Cause {
	if m := class.FindStringSubmatch(line); m != nil {
		return notice.Cause{Class: m[1], Message: line[len(m[0]):]}
	}
	return notice.Cause{Message: line}
}

// continued adds another line to the message of an error.
func continued(e *notice.Cause, line string) {
	if e.Class == "" && e.Message == "" {
		return // no header came before: the text begins in its midst
	}
	if len(e.Message) < maxMessage {
		e.Message += "\n" + line
	}
}

// last returns the last of the errors, which there is.
func last(errors []notice.Cause) *notice.Cause { return &errors[len(errors)-1] }

// numberOf returns the number of a line or column, or 0 for what is none.
func numberOf(text string) int {
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil {
		return 0
	}
	return int(n)
}
