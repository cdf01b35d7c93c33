package stack

import (
	"regexp"
	"slices"
	"strings"

	"sett/internal/ingest/notice"
)

var (
	javaFrame = regexp.MustCompile(`^\s*at ([^\s(]+)\((?:([^()\s]*\.\w+|SourceFile|PG|[DR]8\$\$SyntheticClass|r8-map-id-\w+)(?::(\d+))?|Native Method|Unknown Source(?::\d+)?|<generated>)\)(?: ~?\[.*\])?$`)
	javaClass = regexp.MustCompile(`^(?:Exception in thread ".*" )?([\pL_][\pL\pN_.$\\]*)(?:: |:?$)`)
	javaShort = regexp.MustCompile(`^\s*(?:\.\.\. \d+ (?:more|common frames omitted)|\[CIRCULAR REFERENCE: ?.*\])$`) // what was printed above
	javaLinks = regexp.MustCompile(`^(\s*)(?:Caused by|Suppressed|Wrapped by): (.*)$`)
)

// java reads what Throwable.printStackTrace prints, which other languages of the JVM and OpenTelemetry for PHP do too.
func java(lines []string) []notice.Cause {
	if !slices.ContainsFunc(lines, javaFrame.MatchString) {
		return nil
	}
	main := []notice.Cause{header(lines[0], javaClass)}
	var suppressed []notice.Cause
	list := &main
	for _, line := range lines[1:] {
		if m := javaLinks.FindStringSubmatch(line); m != nil {
			if javaShort.MatchString(m[2]) {
				continue // no other error: it leads back to one of those above
			}
			list = &main
			if m[1] != "" || strings.HasPrefix(line, "Suppressed") {
				list = &suppressed
			}
			*list = append(*list, header(m[2], javaClass))
			continue
		}
		javaLine(last(*list), line)
	}
	return append(main, suppressed...)
}

func javaLine(e *notice.Cause, line string) {
	if m := javaFrame.FindStringSubmatch(line); m != nil {
		e.Backtrace = append(e.Backtrace, notice.Frame{File: withoutModule(m[2]), Line: numberOf(m[3]), Method: withoutModule(m[1])})
	} else if !hasFrames(*e) && !javaShort.MatchString(line) {
		continued(e, line)
	}
}

// withoutModule leaves out the module before a name, such as java.base/. Hidden classes have a slash before an address.
func withoutModule(name string) string {
	if i := strings.LastIndex(name, "/"); i >= 0 && !strings.HasPrefix(name[i:], "/0x") {
		return name[i+1:]
	}
	return name
}
