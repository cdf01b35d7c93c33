package stack

import (
	"regexp"
	"slices"
	"strings"

	"sett/internal/ingest/notice"
)

var (
	perlPlace = regexp.MustCompile(`^(.*?) ?\bat (\S.*?) line (\d+)(?:, <[^>]*> (?:line|chunk) \d+)?\.?$`)
	perlCall  = regexp.MustCompile(`^\s*([\pL_][\pL\pN_:']*(?:\(.*\))?|eval \{\.\.\.\}|eval '.*'|require .+) called at (.+) line (\d+)\.?$`)
	perlEval  = regexp.MustCompile(`^\(eval \d+\)$`)
)

// perlLibraries are directories of what was installed.
var perlLibraries = []string{"/perl5/", "/perl/", "/share/perl", "/site_perl/", "/vendor_perl/"}

// perl reads what die and Carp print, and Devel::StackTrace: where it failed, and then each call with the place that it was made at.
func perl(lines []string) []notice.Cause {
	end := slices.IndexFunc(lines, perlCall.MatchString)
	if end < 0 {
		end = 1 + slices.IndexFunc(lines, func(line string) bool { return strings.HasSuffix(line, ".") && perlPlace.MatchString(line) })
	}
	if end < 1 {
		return nil
	}
	m := perlPlace.FindStringSubmatch(lines[end-1])
	if m == nil {
		return nil
	}
	e := notice.Cause{Message: perlMessage(lines[:end-1], m[1]), Backtrace: []notice.Frame{perlFrame(m[2], m[3])}}
	for _, line := range lines[end:] {
		m := perlCall.FindStringSubmatch(line)
		if m == nil {
			break // what follows is another text
		}
		if name := perlFunction(m[1]); name != "" {
			e.Backtrace[len(e.Backtrace)-1].Method = name
			e.Backtrace = append(e.Backtrace, perlFrame(m[2], m[3]))
		}
	}
	e.Backtrace[len(e.Backtrace)-1].Method = "main"
	return []notice.Cause{e}
}

// perlFunction returns what was called. It is "" for an eval of code, which is no function, and whose place is that of the call in it.
func perlFunction(call string) string {
	switch name, _, _ := strings.Cut(call, "("); {
	case strings.HasPrefix(name, "eval {"):
		return ""
	case strings.HasPrefix(name, "eval '"):
		return "(eval)" // its name is its text
	default:
		return name
	}
}

// perlMessage joins the lines of a message; what Devel::StackTrace writes before its first place is none.
func perlMessage(above []string, last string) string {
	if last != "" && last != "Trace begun" {
		above = append(slices.Clone(above), last)
	}
	return strings.Join(above, "\n")
}

func perlFrame(file, line string) notice.Frame {
	f := notice.Frame{File: perlEval.ReplaceAllString(file, "(eval)"), Line: numberOf(line)}
	if slices.ContainsFunc(perlLibraries, func(dir string) bool { return strings.Contains(file, dir) }) {
		f.Context = "all"
	}
	return f
}
