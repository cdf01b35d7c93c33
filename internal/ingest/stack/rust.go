package stack

import (
	"regexp"
	"slices"
	"strings"

	"sett/internal/ingest/notice"
)

var (
	rustCall  = regexp.MustCompile(`^ *\d+: +(?:0x[0-9a-f]+ - )?(.+)$`)
	rustFile  = regexp.MustCompile(`^ +at (.+?):(\d+)(?::(\d+))?$`)
	rustHash  = regexp.MustCompile(`::h[0-9a-f]{16}$`)
	rustPanic = regexp.MustCompile(`^thread '.*' (?:\(\d+\) )?panicked at `)
)

// rust reads backtraces of Rust (std::backtrace): a number and a function, and below it the file where that is known.
func rust(lines []string) []notice.Cause {
	start := slices.IndexFunc(lines, func(line string) bool { return strings.EqualFold(line, "stack backtrace:") })
	if start < 0 {
		return nil
	}
	e := rustHeader(lines[:start])
	for _, line := range lines[start:] {
		if m := rustFile.FindStringSubmatch(line); m != nil && len(e.Backtrace) > 0 {
			f := &e.Backtrace[len(e.Backtrace)-1]
			f.File, f.Line, f.Column = m[1], numberOf(m[2]), numberOf(m[3])
		} else if m := rustCall.FindStringSubmatch(line); m != nil {
			e.Backtrace = append(e.Backtrace, notice.Frame{Method: rustHash.ReplaceAllString(m[1], "")})
		}
	}
	return []notice.Cause{e}
}

// rustHeader reads what is above the frames: the message of a panic on the lines after its place, or that of an error.
func rustHeader(lines []string) (e notice.Cause) {
	if i := slices.IndexFunc(lines, rustPanic.MatchString); i >= 0 {
		return notice.Cause{Class: "panic", Message: strings.Join(lines[i+1:], "\n")}
	}
	return notice.Cause{Message: strings.TrimPrefix(strings.Join(lines, "\n"), "Error: ")}
}
