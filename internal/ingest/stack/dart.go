package stack

import (
	"regexp"
	"slices"
	"strings"

	"sett/internal/ingest/notice"
)

var (
	dartFrame   = regexp.MustCompile(`^#\d+ +(\S.*?) +\(([a-z][a-z-]*:.+?)(?::(\d+))?(?::(\d+))?\)$`)
	dartPretty  = regexp.MustCompile(`^((?:package|dart|file|org-dartlang-[a-z-]+):\S+|\S+\.dart) (\d+)(?::(\d+))? +(\S.*)$`)
	dartAddress = regexp.MustCompile(`^ *#\d+ +abs [0-9a-f]+(?: virt ([0-9a-f]+))?(?: (\S+))?$`)
	dartAbove   = regexp.MustCompile(`^(?:.*\bUnhandled [Ee]xception: ?|Warning: This VM has been configured .*|\*\*\* \*\*\*.*)$`)
)

// dart reads what StackTrace.toString returns, what package:stack_trace makes of it, and the addresses of a program that was built without names
// (--split-debug-info).
func dart(lines []string) []notice.Cause {
	var e notice.Cause
	above := []string{}
	for _, line := range lines {
		if f, ok := dartLine(line); ok {
			e.Backtrace = append(e.Backtrace, f)
		} else if len(e.Backtrace) == 0 {
			above = append(above, line)
		}
	}
	if i := slices.IndexFunc(above, func(line string) bool { return strings.HasPrefix(line, "*** ***") }); i >= 0 {
		above = above[:i] // what follows describes the process
	}
	e.Message = strings.Join(slices.DeleteFunc(above, dartAbove.MatchString), "\n")
	return []notice.Cause{e}
}

func dartLine(line string) (f notice.Frame, ok bool) {
	if m := dartFrame.FindStringSubmatch(line); m != nil {
		return notice.Frame{Method: m[1], File: m[2], Line: numberOf(m[3]), Column: numberOf(m[4])}, true
	}
	if m := dartPretty.FindStringSubmatch(line); m != nil {
		return notice.Frame{Method: m[4], File: m[1], Line: numberOf(m[2]), Column: numberOf(m[3])}, true
	}
	// The code of the application and of its packages is in one image then.
	if m := dartAddress.FindStringSubmatch(line); m != nil && m[1]+m[2] != "" {
		name := m[2]
		if name == "" {
			name = "+0x" + strings.TrimLeft(m[1], "0")
		}
		return notice.Frame{Method: name, Context: "app"}, true
	}
	return f, false
}
