package stack

import (
	"regexp"
	"slices"
	"strings"

	"sett/internal/ingest/notice"
)

var (
	pythonFrame  = regexp.MustCompile(`^  File "(.*)", line (\d+)(?:, in (.*))?$`)
	pythonClass  = regexp.MustCompile(`^([\pL_][\pL\pN_.]*)(?:: |:?$)`)
	pythonMember = regexp.MustCompile(`^ *\+[-+]*-{4,} \S+ -{4,}$`) // begins an exception of a group
	pythonEnd    = regexp.MustCompile(`^ *\+-{4,}$`)                // of a group
	pythonInside = regexp.MustCompile(`^ *(?:\| ?|\+ )`)            // before each line in a group
)

const pythonStart = "Traceback (most recent call last):"

// pythonLinks are the lines between an exception and the one that it led to.
var pythonLinks = []string{
	"The above exception was the direct cause of the following exception:",
	"During handling of the above exception, another exception occurred:",
}

// pythonReader is where a reader of tracebacks is.
type pythonReader struct {
	all     []notice.Cause // the last one is being read
	members []bool         // which of them belong to a group
	inGroup bool
	state   int
}

// The states: between exceptions, among frames, and in a message.
const (
	pythonBetween = iota
	pythonFrames
	pythonMessage
)

// python reads tracebacks, in which the newest call comes last and the reported exception too (docs.python.org, "traceback").
func python(lines []string) []notice.Cause {
	if !slices.ContainsFunc(lines, func(line string) bool { return strings.HasSuffix(line, pythonStart) }) {
		return nil
	}
	var r pythonReader
	for _, line := range lines {
		r.line(line)
	}
	return r.errors()
}

// errors returns what was read: each exception before those that led to it, which come before it in the text, and then what is in groups.
func (r *pythonReader) errors() (errors []notice.Cause) {
	var members []notice.Cause
	for i, e := range r.all {
		slices.Reverse(e.Backtrace)
		if r.members[i] {
			members = append(members, e)
		} else {
			errors = append(errors, e)
		}
	}
	slices.Reverse(errors)
	return append(errors, members...)
}

func (r *pythonReader) line(line string) {
	if pythonMember.MatchString(line) {
		r.inGroup = true
		r.begin(pythonFrames) // its traceback follows, or its class alone
		return
	}
	if pythonEnd.MatchString(line) {
		r.state = pythonBetween
		return
	}
	inside := pythonInside.FindString(line)
	if inside == "" && r.state != pythonMessage {
		r.inGroup = false
	}
	line = line[len(inside):]
	switch {
	case strings.HasSuffix(line, pythonStart):
		r.traceback()
	case slices.Contains(pythonLinks, line):
		r.state, r.inGroup = pythonBetween, r.inGroup && inside != ""
	case r.state == pythonFrames:
		r.frame(line)
	case r.state == pythonMessage:
		continued(last(r.all), line)
	}
}

// traceback begins an exception, unless it has just begun as one of a group.
func (r *pythonReader) traceback() {
	if r.state != pythonFrames || hasFrames(*last(r.all)) {
		r.begin(pythonFrames)
	}
}

func (r *pythonReader) begin(state int) {
	r.state = state
	r.all, r.members = append(r.all, notice.Cause{}), append(r.members, r.inGroup)
}

// frame reads a line after the start of a traceback: a call, the source of one, or the class with which the calls end.
func (r *pythonReader) frame(line string) {
	e := last(r.all)
	if m := pythonFrame.FindStringSubmatch(line); m != nil {
		e.Backtrace = append(e.Backtrace, notice.Frame{File: m[1], Line: numberOf(m[2]), Method: m[3]})
		return
	}
	if line == "" || strings.HasPrefix(line, " ") {
		return
	}
	head := header(line, pythonClass)
	e.Class, e.Message, r.state = head.Class, head.Message, pythonMessage
}
