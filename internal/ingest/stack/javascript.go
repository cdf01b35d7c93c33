package stack

import (
	"regexp"
	"slices"
	"strings"

	"sett/internal/ingest/notice"
)

var (
	v8Frame = regexp.MustCompile(`^\s*at (?:async )?(?:(.+?) \((.*)\)|(\S.*))(?: \{|,)?$`)
	v8Place = regexp.MustCompile(`:\d+:\d+\)*(?: \{|,)?$|\((?:<anonymous>|native|index \d+)\)$`)
	v8Class = regexp.MustCompile(`^(?:<ref \*\d+> )?(?:Uncaught )?([\pL_$][\pL\pN_$.]*)(?: \[\w+\])?(?:: |$)`)
	v8Cause = regexp.MustCompile(`^\s*(?:\[cause\]|Caused by): (.*)$`)
	v8Close = regexp.MustCompile(`^\s*[}\]]+,?$`)
	v8Group = regexp.MustCompile(`^\s*\[errors\]: \[$`)

	jsPlace     = regexp.MustCompile(`^(?:address at )?(?:file://)?(.*?)(?::(\d+))?(?::(\d+))?$`)
	jsDrive     = regexp.MustCompile(`^/[A-Za-z]:/`)
	jsEvaluated = regexp.MustCompile(`\(([^()]+:\d+:\d+)\)`) // where eval was called

	firefoxFrame = regexp.MustCompile(`^([^@]*)@((?:[a-z][\w.+-]*:|/|[A-Z]:\\)\S*|\[native code\]|debugger eval code)$`)
	firefoxEval  = regexp.MustCompile(` line (\d+) > (?:eval|Function).*$`)
)

// v8 reads the property stack of errors in Node.js, Chromium, Deno and Hermes (v8.dev/docs/stack-trace-api).
func v8(lines []string) []notice.Cause {
	if !slices.ContainsFunc(lines, func(line string) bool { return v8Frame.MatchString(line) && v8Place.MatchString(line) }) {
		return nil
	}
	all := []notice.Cause{{}}
	if !v8Frame.MatchString(lines[0]) {
		all[0] = header(lines[0], v8Class)
		lines = lines[1:]
	}
	indent := "" // of the errors of a group, which util.inspect lists
	for i, line := range lines {
		e := last(all)
		if m := v8Frame.FindStringSubmatch(line); m != nil {
			e.Backtrace = append(e.Backtrace, jsFrame(m[1], strings.TrimRight(m[2]+m[3], " {,")))
		} else if m := v8Cause.FindStringSubmatch(line); m != nil {
			all = append(all, v8Header(m[1]))
		} else if v8Group.MatchString(line) && i+1 < len(lines) {
			indent = indentOf(lines[i+1])
		} else if indent != "" && v8Close.MatchString(line) && len(indentOf(line)) < len(indent) {
			indent = ""
		} else if indent != "" && indentOf(line) == indent && v8Class.MatchString(strings.TrimSpace(line)) {
			all = append(all, v8Header(strings.TrimSpace(line)))
		} else if !hasFrames(*e) && !v8Close.MatchString(line) {
			continued(e, line)
		}
	}
	return all
}

// v8Header is header for an error within another one, which may be any value: a text is written with quotes.
func v8Header(line string) notice.Cause {
	if text, quoted := strings.CutPrefix(strings.TrimSuffix(line, ","), "'"); quoted {
		return notice.Cause{Message: strings.TrimSuffix(text, "'")}
	}
	if text, ok := strings.CutPrefix(strings.TrimSuffix(line, "]"), "["); ok {
		line = text // an error without a stack
	}
	return header(line, v8Class)
}

func indentOf(line string) string { return line[:len(line)-len(strings.TrimLeft(line, " "))] }

// firefox reads the property stack of errors in Firefox and Safari, which has no class and message.
func firefox(lines []string) []notice.Cause {
	var e notice.Cause
	for _, line := range lines {
		if at := firefoxEval.FindStringSubmatchIndex(line); at != nil { // named as in other browsers
			name, place, _ := strings.Cut(line[:at[0]]+":"+line[at[2]:at[3]], "@")
			if name == "" || name == "anonymous" {
				name = "eval"
			}
			line = name + "@" + place
		}
		if m := firefoxFrame.FindStringSubmatch(line); m != nil {
			e.Backtrace = append(e.Backtrace, jsFrame(m[1], m[2]))
		}
	}
	return []notice.Cause{e}
}

// jsFrame makes the frame of a call at a place such as "https://shop.example.org/cart.js:3:14".
func jsFrame(method, place string) notice.Frame {
	if strings.HasPrefix(place, "eval at ") {
		if m := jsEvaluated.FindStringSubmatch(place); m != nil {
			place = m[1]
		}
	}
	if place == "native" || strings.HasPrefix(place, "index ") {
		return notice.Frame{Method: method, File: "[native code]"}
	}
	m := jsPlace.FindStringSubmatch(place)
	if m == nil {
		return notice.Frame{Method: method, File: place}
	}
	if jsDrive.MatchString(m[1]) {
		m[1] = m[1][1:] // of Windows, behind file://
	}
	return notice.Frame{Method: method, File: m[1], Line: numberOf(m[2]), Column: numberOf(m[3])}
}
