package stack

import (
	"regexp"
	"slices"
	"strings"

	"sett/internal/ingest/notice"
)

var (
	elixirClass = regexp.MustCompile(`^\*\* \(([^)]+)\) ?`)
	elixirFrame = regexp.MustCompile(`^    (?:\(([^ )]+)(?: [^)]*)?\) )?([^\s:][^:]*\.(?:exs?|erl|eex|heex|leex|hrl)):(\d+): (.+)$`)
	elixirCall  = regexp.MustCompile(`^    (?:\(([^ )]+)(?: [^)]*)?\) )?((?::?[\pL_][\pL\pN_.]*|:"[^"]+")\.[^\s(]+[(/].*)$`) // of what has no file
)

// elixirLibraries are the applications that come with the language.
var elixirLibraries = []string{"elixir", "stdlib", "kernel", "erts", "eex", "logger", "mix", "iex", "ex_unit", "compiler", "ssl", "inets"}

// elixir reads what Exception.format/3 prints: the error, and a line for each call.
func elixir(lines []string) []notice.Cause {
	start := slices.IndexFunc(lines, elixirClass.MatchString)
	if start < 0 && !slices.ContainsFunc(lines, elixirFrame.MatchString) {
		return nil
	}
	var e notice.Cause
	for i, line := range lines {
		if f, ok := elixirLine(line); ok {
			e.Backtrace = append(e.Backtrace, f)
		} else if i == start {
			e = header(line, elixirClass)
		} else if start >= 0 && i > start && len(e.Backtrace) == 0 {
			continued(&e, line)
		}
	}
	return []notice.Cause{e}
}

func elixirLine(line string) (f notice.Frame, ok bool) {
	library := ""
	if m := elixirFrame.FindStringSubmatch(line); m != nil {
		library, f = m[1], notice.Frame{File: m[2], Line: numberOf(m[3]), Method: m[4]}
	} else if m := elixirCall.FindStringSubmatch(line); m != nil {
		library, f = m[1], notice.Frame{Method: m[2]}
		if call, _, hasArguments := strings.Cut(f.Method, "("); hasArguments {
			f.Method = call // arguments are values, which differ each time
		}
	}
	if slices.Contains(elixirLibraries, library) {
		f.Context = "all"
	}
	return f, f.Method != ""
}
