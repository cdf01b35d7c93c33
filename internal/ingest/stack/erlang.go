package stack

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"sett/internal/ingest/notice"
)

var (
	// {kiosk_cart,price,1,[{file,"src/kiosk_cart.erl"},{line,31}]}, on one line.
	erlangTuple = regexp.MustCompile(`\{('[^']*'|[a-z][\w@]*), *('[^']*'|[a-z][\w@]*), *(\d+|\[.*?\]), *\[((?:\{file, *"[^"]*"\}, *\{line, *\d+\})?)`)
	erlangPlace = regexp.MustCompile(`\{file, *"([^"]*)"\}, *\{line, *(\d+)\}`)
	erlangCall  = regexp.MustCompile(`^ *in (?:function|call from|operator) +(\S+/\d+)(?: \((\S+), line (\d+)\))? *$`)
	erlangHead  = regexp.MustCompile(`^(?: *\*\* | *|\S+: )exception (error|exit|throw): (.*)$`)
	erlangMatch = regexp.MustCompile(`^no function clause matching +(?:call to +)?(.+?)\((.*?)\)(?: \((\S+), line (\d+)\))?$`)
	erlangAtom  = regexp.MustCompile(`^\{?('[^']*'|[a-z][\w@]*)`)
)

// erlangReasons are the reasons of errors by how the shell writes them (erl_error in OTP's stdlib).
var erlangReasons = []struct{ text, reason string }{
	{"bad argument", "badarg"},
	{"an error occurred when evaluating an arithmetic expression", "badarith"},
	{"no function clause matching", "function_clause"},
	{"no match of right hand side value", "badmatch"},
	{"no case clause matching", "case_clause"},
	{"no true branch found", "if_clause"},
	{"no try clause matching", "try_clause"},
	{"undefined function", "undef"},
	{"bad function", "badfun"},
	{"interpreted function with arity", "badarity"},
	{"bad map", "badmap"},
	{"bad key", "badkey"},
	{"bad record", "badrecord"},
	{"timeout value", "timeout_value"},
	{"a system limit has been reached", "system_limit"},
	{"no such process or port", "noproc"},
}

// erlang reads stack traces as terms, which loggers and OpenTelemetry write, and as the shell and crash reports do.
func erlang(lines []string) []notice.Cause {
	if i := slices.IndexFunc(lines, erlangHead.MatchString); i >= 0 {
		return []notice.Cause{erlangText(lines[i:])}
	}
	return []notice.Cause{erlangTerm(lines)}
}

func erlangText(lines []string) (e notice.Cause) {
	m := erlangHead.FindStringSubmatch(lines[0])
	e.Class, e.Message = m[1], m[2]
	for _, known := range erlangReasons {
		if m[1] == "error" && strings.HasPrefix(e.Message, known.text) {
			e.Class = known.reason
		}
	}
	if atom := erlangAtom.FindStringSubmatch(e.Message); e.Class == "error" && atom != nil && !strings.Contains(e.Message, " ") {
		e.Class = strings.Trim(atom[1], "'")
	}
	if m := erlangMatch.FindStringSubmatch(e.Message); m != nil {
		name := m[1] + "/" + strconv.Itoa(erlangArity(m[2]))
		e.Message = "no function clause matching " + name
		e.Backtrace = append(e.Backtrace, notice.Frame{Method: name, File: m[3], Line: numberOf(m[4])})
	}
	for _, line := range lines[1:] {
		if m := erlangCall.FindStringSubmatch(line); m != nil {
			e.Backtrace = append(e.Backtrace, notice.Frame{Method: m[1], File: m[2], Line: numberOf(m[3])})
		} else if len(e.Backtrace) == 0 {
			continued(&e, line)
		}
	}
	return e
}

// erlangTerm reads a list of calls, alone or behind its reason in a tuple.
func erlangTerm(lines []string) (e notice.Cause) {
	var text strings.Builder
	for _, line := range lines {
		text.WriteString(strings.TrimSpace(line)) // a term is the same without the blanks at which it is broken
	}
	all := text.String()
	found := erlangTuple.FindAllStringSubmatchIndex(all, maxFrames)
	for _, m := range found {
		part := func(i int) string { return all[m[2*i]:m[2*i+1]] }
		f := notice.Frame{Method: part(1) + ":" + part(2) + "/" + part(3)}
		if arguments, isList := strings.CutPrefix(part(3), "["); isList {
			f.Method = part(1) + ":" + part(2) + "/" + strconv.Itoa(erlangArity(strings.TrimSuffix(arguments, "]")))
		}
		if place := erlangPlace.FindStringSubmatch(part(4)); place != nil {
			f.File, f.Line = place[1], numberOf(place[2])
		}
		e.Backtrace = append(e.Backtrace, f)
	}
	if len(found) == 0 || !strings.HasPrefix(all[found[0][0]:], "{") {
		return notice.Cause{}
	}
	erlangReason(&e, strings.TrimRight(all[:found[0][0]], ", ["))
	return e
}

// erlangReason takes the reason before the calls apart: "{function_clause", or "{{badmatch,undefined}".
func erlangReason(e *notice.Cause, before string) {
	i := strings.IndexByte(before, '{')
	if i < 0 {
		return
	}
	reason := before[i+1:]
	if m := erlangAtom.FindStringSubmatch(reason); m != nil {
		e.Class, e.Message = strings.Trim(m[1], "'"), reason
	}
}

// erlangArity counts the arguments of a call.
func erlangArity(arguments string) int {
	if strings.TrimSpace(arguments) == "" {
		return 0
	}
	n, depth, quote := 1, 0, byte(0)
	for i := range len(arguments) {
		switch c := arguments[i]; {
		case quote != 0:
			if c == quote && arguments[i-1] != '\\' {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '(' || c == '[' || c == '{' || c == '<':
			depth++
		case c == ')' || c == ']' || c == '}' || c == '>':
			depth--
		case c == ',' && depth == 0:
			n++
		}
	}
	return n
}
