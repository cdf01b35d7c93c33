package stack

import (
	"regexp"
	"slices"
	"strings"

	"sett/internal/ingest/notice"
)

var (
	phpFrame = regexp.MustCompile(`^#\d+ (?:(.+?)\((\d+)\)|(\[internal function\])): (.+)$`)
	phpHead  = regexp.MustCompile(`^(?:PHP )?(?:Fatal error: +)?(?:Uncaught )?(?:Next )?([\pL_\\][\pL\pN_\\]*)(?:@anonymous)?(?:: (.*))?$`)
	phpPlace = regexp.MustCompile(`(?s)^(.*?) ?\bin (\S.*):(\d+)$`)
)

// php reads exceptions of PHP as text, the oldest first, and what getTraceAsString returns.
func php(lines []string) []notice.Cause {
	var all []notice.Cause
	head := []string{}
	for _, line := range lines {
		switch m := phpFrame.FindStringSubmatch(line); {
		case m != nil:
			if head != nil {
				all = append(all, phpHeader(head))
				head = nil
			}
			e := last(all)
			e.Backtrace = append(e.Backtrace, notice.Frame{File: m[1] + m[3], Line: numberOf(m[2]), Method: phpFunction(m[4])})
		case strings.HasPrefix(line, "#"): // {main}
		case line != "" || len(head) > 0:
			head = append(head, line)
		}
	}
	for i := range all {
		phpShift(&all[i])
	}
	slices.Reverse(all)
	return all
}

// phpHeader reads the lines above the frames of an exception. Its place becomes the first frame.
func phpHeader(lines []string) (e notice.Cause) {
	if n := len(lines); n > 0 && lines[n-1] == "Stack trace:" {
		lines = lines[:n-1]
	}
	for i, line := range lines {
		m := phpHead.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		e.Class, e.Message = m[1], strings.Join(append([]string{m[2]}, lines[i+1:]...), "\n")
		break
	}
	if m := phpPlace.FindStringSubmatch(e.Message); m != nil {
		e.Message = m[1]
		e.Backtrace = []notice.Frame{{File: m[2], Line: numberOf(m[3])}}
	}
	return e
}

// phpShift gives each frame the function that it is in: PHP prints what was called there. Where the place of the exception is
// unknown, that is all there is.
func phpShift(e *notice.Cause) {
	frames := e.Backtrace
	if len(frames) == 0 || frames[0].Method != "" {
		return
	}
	for i := range len(frames) - 1 {
		frames[i].Method = frames[i+1].Method
	}
	frames[len(frames)-1].Method = "{main}"
}

// phpFunction returns a call without its arguments, which are values.
func phpFunction(call string) string {
	start := 0
	if i := strings.Index(call, "{closure"); i >= 0 {
		start = i + strings.Index(call[i:], "}") + 1 // a closure may have parentheses in its name
	}
	if i := strings.Index(call[start:], "("); i >= 0 {
		return call[:start+i]
	}
	return call
}
