package group

import (
	"strconv"
	"strings"

	"sett/internal/sett/faults"
	"sett/internal/sett/regroup"
)

// Second is the version of the rule that looks at places; see Locate.
const Second = 2

// Error is one error of a chain: the one that was reported, or one that led to it.
type Error struct {
	Class, Message string
	App            *Frame // the first application frame that is not a helper's (see IsHelper); nil for none
	Caller         *Frame // the application frame behind App; nil for none
	Top            *Frame // the first frame; nil for none
	Helped         bool   // App called a helper, which failed
}

// Event is what rule 2 looks at. Texts are as sent by the client.
type Event struct {
	ProjectID   int64
	Environment string
	Fingerprint string // chosen by the client; blank means none
	Component   string
	Revision    string
	Chain       []Error // the error that was reported first, then what led to it, nearest first; at least one
	Rules       *regroup.Rules
}

// How many percent of the words of a message two events of one error have in common, where the message may be a value, where the class stands for any error or a bundler has joined the
// lines, and where a helper says what its caller did wrong.
const (
	alikeValues  = 10
	alikeErrors  = 34
	alikeHelpers = 60
)

// Locate groups an event by its place. A fingerprint decides alone. Else the error that carries the news decides (see newsOf): by class, first application frame,
// codes and names of the message, and causes. Where there is no application frame, the shape of the message decides in place of it.
//
// Events with one Key are one error. An event whose key is unknown may still continue an error with the same Near: see faults.Continues.
func Locate(e Event) faults.Grouping {
	g := faults.Grouping{Rule: Second, Environment: e.Environment, Revision: strings.TrimSpace(e.Revision)}
	if g.Fingerprint = strings.TrimSpace(e.Fingerprint); g.Fingerprint != "" {
		g.Basis = byFingerprint
		return seal(e.ProjectID, g)
	}
	news, causes, inside := newsOf(e.Chain)
	g.Causes, g.Inside = causes, inside
	class, message, placeless := sayingOf(news)
	g.Class, g.Message = class, message
	rule, ruled := e.Rules.Message(g.Class)
	if ruled && rule.Kind == regroup.MessageOff {
		g.Message = ""
	}
	g.Component = strings.TrimSpace(e.Component)
	p := placeOf(news.App)
	if placeless || p.isNone() {
		g.Basis = byMessage
		if g.Message == "" {
			g.Method = plainMethod("", news.Top)
		}
		return seal(e.ProjectID, g)
	}
	g.Basis, g.File, g.Method, g.Line, g.Source, g.Loose = byLocation, p.file, p.method, p.line, p.source, p.isLoose()
	g.Via, g.Callers = p.calledFrom(placeOf(news.Caller))
	g.Signs = signsOf(g.Message, !p.script)
	g.Alike = alikeValues
	if p.joined || IsGeneric(g.Class) {
		g.Alike = alikeErrors
	}
	if news.Helped {
		g.Alike = alikeHelpers
	}
	if ruled && rule.Kind == regroup.MessageOn {
		g.Signs = g.Message // all of it is a sign
	}
	return seal(e.ProjectID, g)
}

// place is where an error was made.
type place struct {
	file, method, line, source string
	script                     bool // JavaScript, or compiled to it
	joined                     bool // a bundler has joined the lines of the script, so that its line says nothing
}

func placeOf(f *Frame) (p place) {
	if f == nil {
		return p
	}
	file, line := withoutEval(f.File, f.Line)
	name := fileName(file)
	p.file, p.script = plainPath(file, name), isScriptSource(name)
	p.method = plainMethod(name, f)
	if p.joined = p.script && isJoined(name, file, line, f.Column); !p.joined {
		p.line, p.source = strings.TrimSpace(line), strings.TrimSpace(f.Source)
	}
	if !p.joined && p.method == "" && p.line == "" && (p.script || strings.Contains(file, "://")) {
		return place{} // the page, for want of a place
	}
	return p
}

func (p place) isNone() bool { return p.file == "" && p.method == "" }

// isLoose reports whether the name of the function may be another one, or none, for the same function.
func (p place) isLoose() bool {
	if p.joined {
		return isMinified(p.method)
	}
	return p.line != "" && (p.script || strings.HasSuffix(p.file, ".dart") || strings.HasSuffix(p.file, ".cs"))
}

// isMinified reports whether a bundler may have made the name of a function. Modules are called by number.
func isMinified(method string) bool { return len(method) <= 2 || allDigits(method) }

// named is the name of the function that a person has given it; "" for none.
func (p place) named() string {
	if isMinified(p.method) {
		return ""
	}
	return p.method
}

// calledFrom says what called the function: via, if a bundler has made its name and put it into a file that others share; and callers, with the number of lines
// between, which stays if both move.
func (p place) calledFrom(caller place) (via, callers string) {
	if caller.isNone() {
		return "", ""
	}
	switch {
	case !p.joined || !caller.joined || !isMinified(p.method):
	case caller.file != p.file:
		via = strings.TrimSpace(caller.file + " " + caller.named())
	case p.method == "":
		via = caller.named()
	}
	callers = caller.named()
	if a, b := number(p.line), number(caller.line); a > 0 && b > 0 && p.file == caller.file {
		callers += " " + strconv.Itoa(b-a)
	}
	return via, callers
}

func number(line string) int {
	n, _ := strconv.Atoi(line)
	return n
}

// withoutEval returns the file and line of the script that called eval, which SpiderMonkey writes before those of what was evaluated: "app.js line 36 > eval".
func withoutEval(file, line string) (string, string) {
	script, eval, ok := strings.Cut(file, " line ")
	if !ok {
		return file, line
	}
	outer, _, ok := strings.Cut(eval, " > ")
	if !ok || !allDigits(outer) {
		return file, line
	}
	return script, outer
}

// plainMethod is the method of a frame of a file. Engines of JavaScript disagree about what stands before the last dot: the class, the object or nothing.
func plainMethod(file string, f *Frame) string {
	if f == nil {
		return ""
	}
	name := plainName(f.Method)
	if isScriptSource(file) || strings.HasSuffix(file, ".cs") { // clients of .NET differ in whether they name the class
		name = strings.TrimPrefix(name[strings.LastIndexByte(withoutArguments(name), '.')+1:], "#")
	}
	return methodName(name)
}

// withoutArguments cuts off what stands behind the name of a function: "(String job)", "[TSource](List`1 all)".
func withoutArguments(name string) string {
	if i := strings.IndexAny(name, "([ "); i > 0 {
		return name[:i]
	}
	return name
}

// isScriptSource reports whether a file is JavaScript or compiled to it.
func isScriptSource(file string) bool {
	switch extensionOf(file) {
	case ".ts", ".tsx", ".jsx", ".mts", ".cts", ".vue", ".svelte", ".astro", ".jsbundle", ".html":
		return true
	}
	return isScript(file)
}

// joinedColumn is a column that no line has which people write.
const joinedColumn = 400

// isJoined reports whether a frame is in a script whose lines a bundler has joined: then its line says nothing. A script has such lines if its name has a
// digest, or says so itself. name is what fileName makes of file.
func isJoined(name, file, line string, column int) bool {
	n, _ := strconv.Atoi(strings.TrimSpace(line))
	return column >= joinedColumn || n <= fewLines && (strings.Contains(plainFile(name), "*") || strings.Contains(file, ".min."))
}

// fewLines is how many lines a script has that a bundler has joined: some keep a comment above.
const fewLines = 2
