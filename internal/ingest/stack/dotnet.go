package stack

import (
	"regexp"
	"strings"

	"sett/internal/ingest/notice"
)

var (
	dotnetFrame = regexp.MustCompile(`^ *at ([^\s(].*?)\(.*?\)(?: in (.+):line (\d+))?(?:<---)?$`)
	dotnetClass = regexp.MustCompile(`^(?:Unhandled exception\. )?([\pL_][\pL\pN_.+` + "`" + `]*)(?: \(0x[0-9A-Fa-f]+\))?(?:: |:?$)`)
	dotnetInner = regexp.MustCompile(`^ *---> (?:\(Inner Exception #\d+\) )?(.*)$`)
)

// dotnet reads what Exception.ToString returns. An inner exception comes in the midst of the outer one, before its frames.
func dotnet(lines []string) []notice.Cause {
	all, open := []notice.Cause{header(lines[0], dotnetClass)}, []int{0} // those that have not ended, as indexes
	for _, line := range lines[1:] {
		e := &all[open[len(open)-1]]
		if m := dotnetFrame.FindStringSubmatch(line); m != nil {
			e.Backtrace = append(e.Backtrace, notice.Frame{Method: m[1], File: m[2], Line: numberOf(m[3])})
		} else if m := dotnetInner.FindStringSubmatch(line); m != nil {
			open = append(open, len(all))
			all = append(all, header(m[1], dotnetClass))
		} else if strings.HasPrefix(strings.TrimSpace(line), "--- End of inner exception") {
			open = open[:max(1, len(open)-1)]
		} else if !hasFrames(*e) {
			continued(e, line)
		}
	}
	return all
}
