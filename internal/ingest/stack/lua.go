package stack

import (
	"regexp"
	"slices"
	"strings"

	"sett/internal/ingest/notice"
)

var (
	luaFrame = regexp.MustCompile(`^\t(.+?):(?:(\d+):)? (?:in (.+)|\?)$`)
	luaName  = regexp.MustCompile(`^(?:function|upvalue|local|method|field|global|metamethod) '(.+)'$`)
	luaPlace = regexp.MustCompile(`^(?:\S*lua\S*: )?(?:\S+\.lua|\[string ".*"\]):\d+: `)
	luaChunk = regexp.MustCompile(`^\[string ".*"\]$`)
)

const luaStart = "stack traceback:"

// luaLibraries are directories of what was installed, and of the server that a program runs in.
var luaLibraries = []string{"/share/lua/", "lua_modules/", "/lualib/", "/luajit-"}

// lua reads what debug.traceback returns, and what the interpreter prints. A message begins with its place, which the frames have as well.
func lua(lines []string) []notice.Cause {
	start := slices.Index(lines, luaStart)
	if start < 0 {
		return nil
	}
	message := strings.TrimPrefix(strings.Join(lines[:start], "\n"), "lua: ")
	e := notice.Cause{Message: message[len(luaPlace.FindString(message)):]}
	for _, line := range lines[start+1:] {
		if m := luaFrame.FindStringSubmatch(line); m != nil && m[1] != "(tail call)" {
			e.Backtrace = append(e.Backtrace, luaCall(m[1], m[2], m[3]))
		} else if len(e.Backtrace) > 0 && !strings.HasPrefix(line, "\t") {
			break
		}
	}
	return []notice.Cause{e}
}

// luaCall makes the frame of a call in a file. A function without a name is called by its place there, which the file and the line say already.
func luaCall(file, line, call string) notice.Frame {
	f := notice.Frame{File: file, Line: numberOf(line)}
	if m := luaName.FindStringSubmatch(call); m != nil {
		f.Method = m[1]
	} else if call == "main chunk" {
		f.Method = call
	}
	if luaChunk.MatchString(file) {
		f.File = "[string]" // its name is its text
	}
	if file == "[C]" || slices.ContainsFunc(luaLibraries, func(dir string) bool { return strings.Contains(file, dir) }) {
		f.Context = "all"
	}
	return f
}
