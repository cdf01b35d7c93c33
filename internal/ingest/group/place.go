package group

import (
	"strconv"
	"strings"

	"sett/internal/sett/faults"
)

// Second is the version of the rule that looks at places; see Locate.
const Second = 2

// Error is one error of a chain: the one that was reported, or one that led to it.
type Error struct {
	Class, Message string
	App            *Frame // the first application frame; nil for none
	Top            *Frame // the first frame; nil for none
}

// Event is what rule 2 looks at. Texts are as sent by the client.
type Event struct {
	ProjectID   int64
	Environment string
	Fingerprint string // chosen by the client; blank means none
	Component   string
	Revision    string
	Chain       []Error // the error that was reported first, then what led to it, nearest first; at least one
}

// Locate groups an event by its place. A fingerprint decides alone. Else the error that carries the news decides (see newsOf): by class, component and first
// application frame, together with the shape of its message where class and frame say little: in a class that stands for any error, and in a script
// whose lines a bundler has joined. Where there is no application frame, the shape of the message decides.
//
// Events with one Key are one error. An event whose key is unknown may still continue an error with the same Near: see Continues.
func Locate(e Event) faults.Grouping {
	g := faults.Grouping{Rule: Second, Environment: e.Environment, Revision: strings.TrimSpace(e.Revision)}
	if g.Fingerprint = strings.TrimSpace(e.Fingerprint); g.Fingerprint != "" {
		g.Basis = byFingerprint
		return seal(e.ProjectID, g)
	}
	news, wrapped := newsOf(e.Chain)
	g.Inside, g.Causes = classesOf(e.Chain[:wrapped]), causesOf(e.Chain[wrapped:])
	g.Class = plainName(className(news.Class))
	g.Message = plainMessage(news.Message)
	f := locate(news.App)
	g.File, g.Method = plainPath(f.File), plainMethod(f.File, news.App)
	if g.File == "" && g.Method == "" {
		g.Basis, g.Component = byMessage, strings.TrimSpace(e.Component)
		if g.Message == "" {
			g.Method = plainMethod("", news.Top)
		}
		return seal(e.ProjectID, g)
	}
	g.Basis, g.Component = byLocation, strings.TrimSpace(e.Component)
	joined := isJoined(news.App)
	g.Script = isScriptSource(g.File)
	if !joined {
		g.Line, g.Source = f.Line, strings.TrimSpace(news.App.Source)
	}
	g.Signs = signsOf(g.Message, joined || !isScriptSource(f.File))
	if !joined && !IsGeneric(g.Class) {
		g.Message = ""
	}
	return seal(e.ProjectID, g)
}

// plainMethod is the method of a frame of a file. Engines of JavaScript disagree about what stands before the last dot: the class, the object or nothing.
func plainMethod(file string, f *Frame) string {
	if f == nil {
		return ""
	}
	name := plainName(f.Method)
	if isScriptSource(file) {
		name = strings.TrimPrefix(name[strings.LastIndexByte(name, '.')+1:], "#")
	}
	return methodName(name)
}

// isScriptSource reports whether a file is JavaScript or compiled to it.
func isScriptSource(file string) bool {
	if isScript(file) {
		return true
	}
	for _, extension := range [...]string{".ts", ".tsx", ".jsx", ".mts", ".cts", ".vue", ".svelte", ".jsbundle", ".html"} {
		if strings.HasSuffix(file, extension) {
			return true
		}
	}
	return false
}

// joinedColumn is a column that no line has which people write.
const joinedColumn = 400

// isJoined reports whether a frame is in a script whose lines a bundler has joined: then its line says nothing. A script has such lines if its name has a
// digest, or says so itself.
func isJoined(f *Frame) bool {
	if !isScriptSource(fileName(f.File)) {
		return false
	}
	line, _ := strconv.Atoi(strings.TrimSpace(f.Line))
	return f.Column >= joinedColumn || line <= fewLines && (strings.Contains(plainFile(fileName(f.File)), "*") || strings.Contains(f.File, ".min."))
}

// fewLines is how many lines a script has that a bundler has joined: some keep a comment above.
const fewLines = 2
