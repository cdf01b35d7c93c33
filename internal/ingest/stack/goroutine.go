package stack

import (
	"regexp"
	"slices"
	"strings"

	"sett/internal/ingest/notice"
)

var (
	goFile  = regexp.MustCompile(`^\t(.+\.(?:go|s|c|cgo)):(\d+)(?: \+0x[0-9a-f]+)?$`)
	goPanic = regexp.MustCompile(`^(panic|fatal error): `)
	goStart = regexp.MustCompile(`^goroutine \d+ .*:$`)
	goBelow = regexp.MustCompile(`^created by (.+?)(?: in goroutine \d+)?$`)
)

// goroutine reads the first goroutine of a dump of Go, and what errors of github.com/pkg/errors print: a line for each function, and
// one for its file.
func goroutine(lines []string) []notice.Cause {
	var e notice.Cause
	for i, line := range lines {
		if m := goFile.FindStringSubmatch(line); m != nil && i > 0 {
			e.Backtrace = append(e.Backtrace, notice.Frame{File: m[1], Line: numberOf(m[2]), Method: goFunction(lines[i-1])})
			continue
		}
		if len(e.Backtrace) > 0 && (line == "" || goStart.MatchString(line)) {
			break // another goroutine
		}
		if e.Class == "" && goPanic.MatchString(line) {
			e = header(line, goPanic)
		}
	}
	e.Backtrace = goBelowPanic(e.Backtrace)
	return []notice.Cause{e}
}

// goFunction returns the function of a line such as "main.(*cart).charge(0x5f7125?, 0x2a)".
func goFunction(line string) string {
	if m := goBelow.FindStringSubmatch(line); m != nil {
		return m[1]
	}
	if !strings.HasSuffix(line, ")") {
		return line
	}
	depth := 0
	for i := len(line) - 1; i > 0; i-- {
		switch line[i] {
		case ')':
			depth++
		case '(':
			if depth--; depth == 0 {
				return line[:i]
			}
		}
	}
	return line
}

// goBelowPanic leaves out the calls that came after the error: those of what printed the stack, and of deferred functions that ran
// because of a panic.
func goBelowPanic(frames []notice.Frame) []notice.Frame {
	start := 0
	if i := slices.IndexFunc(frames, func(f notice.Frame) bool { return f.Method == "panic" || f.Method == "runtime.gopanic" }); i >= 0 {
		start = i + 1
	}
	for start < len(frames) && printsStack(frames[start].Method) {
		start++
	}
	if start == len(frames) {
		return frames // all of them: better than nothing
	}
	return frames[start:]
}

func printsStack(method string) bool {
	for _, prefix := range []string{"runtime/debug.", "runtime.panic", "runtime.sigpanic", "runtime.goPanic", "go.opentelemetry.io/otel/"} {
		if strings.HasPrefix(method, prefix) {
			return true
		}
	}
	return false
}
