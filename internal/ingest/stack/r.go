package stack

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"sett/internal/ingest/notice"
)

var (
	rHead     = regexp.MustCompile(`^Error(?: in (.+?))?(?: at (.+?):(\d+)(?::\d+)?)?(?: ?: ?|:$)(.*)$`)
	rCause    = regexp.MustCompile("^Caused by error(?: in (.+?))?(?: at .+?)?:$")
	rNumbered = regexp.MustCompile(`^ *(\d+): (.+)$`)
	rTree     = regexp.MustCompile(`^ *\d+\. (?:[│ ]*[├└]─)?(.+)$`)
	rSource   = regexp.MustCompile(`^(.*?) at (\S+?)(?:#|:)(\d+)(?::\d+)?$`)
	rBelow    = regexp.MustCompile(`^ +at (\S+?):(\d+)(?::\d+)?$`)
	rName     = regexp.MustCompile("^(?:global )?(?:([\\pL\\pN.]+):::?)?(`[^`]+`|[\\pL\\pN._]+)(?:\\(|$)")
)

// rLibraries are the packages that come with R and those that handle errors; rBase are functions of them that call others, or fail for them.
var (
	rLibraries = []string{"base", "stats", "utils", "methods", "graphics", "parallel", "tools", "rlang", "purrr", "testthat", "cli", "vctrs"}
	rBase      = []string{
		"FUN", "lapply", "sapply", "vapply", "mapply", "Map", "Reduce", "Filter", "do.call", "eval", "evalq", "source", "withVisible", "try", "tryCatch", "tryCatchList",
		"tryCatchOne", "doTryCatch", "withCallingHandlers", "suppressWarnings", "suppressMessages", "stop", "stopifnot", "abort", "match.arg", "h", ".handleSimpleError",
		"signalCondition", "signal_abort", "print", "sum",
	}
)

// rCall is a call of a trace, with the place that it was made at.
type rCall struct {
	call, file string
	line       int
}

// r reads what R and its package rlang print: an error, what led to it, and the calls, which traceback prints with the newest first and rlang as a tree.
func r(lines []string) []notice.Cause {
	calls, start := rTraceback(lines)
	if calls == nil {
		calls, start = rBacktrace(lines)
	}
	errors, in := rErrors(lines[:start])
	if calls == nil && errors[0].Message != "" {
		calls = rCallsLine(lines, in)
	}
	errors[0].Backtrace = rFrames(calls)
	return errors
}

// rTraceback reads calls with numbers that go down to 1, the newest first. It returns the line that they begin at.
func rTraceback(lines []string) (calls []rCall, start int) {
	next := 0
	for i, line := range lines {
		m := rNumbered.FindStringSubmatch(line)
		n := 0
		if m != nil {
			n = numberOf(m[1])
		}
		switch {
		case n > 0 && len(calls) == 0:
			start = i
		case n == 0 || n != next:
			continue // another line of a call
		}
		calls, next = append(calls, rCallOf(m[2])), n-1
	}
	if len(calls) < 2 || next != 0 || !strings.Contains(calls[0].call, "(") {
		return nil, len(lines)
	}
	return calls, start
}

// rBacktrace reads the tree of rlang, the oldest call first.
func rBacktrace(lines []string) (calls []rCall, start int) {
	start = slices.Index(lines, "Backtrace:")
	if start < 0 {
		return nil, len(lines)
	}
	for _, line := range lines[start+1:] {
		if m := rTree.FindStringSubmatch(line); m != nil {
			calls = append(calls, rCallOf(m[1]))
		} else if m := rBelow.FindStringSubmatch(line); m != nil && len(calls) > 0 {
			c := &calls[len(calls)-1]
			c.file, c.line = m[1], numberOf(m[2])
		}
	}
	slices.Reverse(calls)
	return calls, start
}

func rCallOf(text string) rCall {
	if m := rSource.FindStringSubmatch(text); m != nil {
		return rCall{m[1], m[2], numberOf(m[3])}
	}
	return rCall{call: text}
}

// rErrors reads what is above the calls, and the call that failed.
func rErrors(lines []string) (errors []notice.Cause, in string) {
	errors = []notice.Cause{{}}
	begun := false
	for _, line := range lines {
		if strings.HasPrefix(line, "Calls: ") || line == "Execution halted" {
			break
		}
		if m := rHead.FindStringSubmatch(line); m != nil && !begun {
			begun, in = true, m[1]
			errors[0] = notice.Cause{Class: "Error", Message: strings.TrimSpace(m[4])}
		} else if rCause.MatchString(line) && begun {
			errors = append(errors, notice.Cause{Class: "Error"})
		} else if begun {
			e := last(errors)
			e.Message = strings.TrimSpace(e.Message + "\n" + strings.TrimPrefix(line, "! "))
		}
	}
	return errors, in
}

// rCallsLine reads the names of the calls that a script without traceback prints, the oldest first, and the call that failed.
func rCallsLine(lines []string, in string) (calls []rCall) {
	for _, line := range lines {
		if names, ok := strings.CutPrefix(line, "Calls: "); ok {
			for name := range strings.SplitSeq(names, " -> ") {
				for _, name := range strings.Split(name, " ... ") {
					calls = append(calls, rCall{call: name})
				}
			}
		}
	}
	slices.Reverse(calls)
	if len(calls) == 0 && strings.Contains(in, "(") {
		calls = []rCall{{call: in}}
	}
	return calls
}

// rFrames makes frames of calls. Each was made in the function that the next call is of, and the newest is often of what reports the error.
func rFrames(calls []rCall) (frames []notice.Frame) {
	for i, c := range calls {
		name, pack := rFunction(c.call)
		library := slices.Contains(rLibraries, pack) || pack == "" && slices.Contains(rBase, name)
		if i == 0 && name != "" && !library {
			frames = append(frames, notice.Frame{Method: name, Context: "app"})
		}
		in, inPack := "", ""
		if i+1 < len(calls) {
			in, inPack = rFunction(calls[i+1].call)
		}
		if c.file == "" && in == "" {
			continue
		}
		f := notice.Frame{File: c.file, Line: c.line, Method: in, Context: "app"}
		if slices.Contains(rLibraries, inPack) || inPack == "" && in != "" && c.file == "" && slices.Contains(rBase, in) {
			f.Context = "all"
		}
		frames = append(frames, f)
	}
	return frames
}

// rFunction returns the function of a call and its package. One without a name is called by its text.
func rFunction(call string) (name, pack string) {
	m := rName.FindStringSubmatch(strings.TrimSpace(call))
	if m == nil || m[2] == "function" {
		return "", ""
	}
	if _, err := strconv.Atoi(m[2]); err == nil {
		return "", ""
	}
	return strings.Trim(m[2], "`"), m[1]
}
