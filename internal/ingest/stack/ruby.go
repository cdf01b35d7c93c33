package stack

import (
	"regexp"
	"slices"

	"sett/internal/ingest/notice"
)

var (
	rubyFrame = regexp.MustCompile("^(?:\\s*(?:\\d+: )?from |\\s*)(\\S.*?):(\\d+)(?::in [`'](.+?)')?$")
	rubyHead  = regexp.MustCompile("^(\\S.*?):(\\d+)(?::in [`'](.+?)')?: (.*?)(?: \\(([\\pL\\pN_:]+)\\))?$")
	rubyIn    = regexp.MustCompile("^\\s*(?:from )?\\S.*:\\d+:in [`'].+'(?:: .*)?$")
)

// ruby reads what Exception#full_message returns with the newest call first, and backtraces alone.
func ruby(lines []string) []notice.Cause {
	if !slices.ContainsFunc(lines, rubyIn.MatchString) {
		return nil
	}
	var all []notice.Cause
	above := true // the frames of an error: its message may go on
	for _, line := range lines {
		if m := rubyHead.FindStringSubmatch(line); m != nil {
			all = append(all, notice.Cause{Class: m[5], Message: m[4], Backtrace: []notice.Frame{{File: m[1], Line: numberOf(m[2]), Method: m[3]}}})
			above = true
			continue
		}
		if len(all) == 0 {
			all = []notice.Cause{{}}
		}
		e := last(all)
		if m := rubyFrame.FindStringSubmatch(line); m != nil {
			e.Backtrace = append(e.Backtrace, notice.Frame{File: m[1], Line: numberOf(m[2]), Method: m[3]})
			above = false
		} else if above = above && line != ""; above { // source and hints follow an empty line
			continued(e, line)
		}
	}
	return all
}
