package group

import (
	"crypto/sha256"
	"encoding/binary"
	"strconv"
	"strings"
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

// Place is where and how an event failed, as far as that tells errors apart. Events with one Key are one error. An event whose key is unknown may
// still continue an error with the same Near: see Continues.
type Place struct {
	Key, Near [16]byte

	Basis        string // what decided; see faults.Grouping
	Class        string
	Component    string
	File, Method string
	Line         int    // 0: unknown
	Source       string // the text of that line, without blanks around it; "" if it is unknown
	Message      string // its shape (plainMessage), where that tells errors apart; "" else
	Revision     string
	Inside       []string // the classes of the errors that wrapped the one that decides, the outermost first
}

// Locate finds the place of an event. A fingerprint decides alone. Else the error that carries the news decides (see newsOf): by class, component and first
// application frame, together with the shape of its message where class and frame say little: in a class that stands for any error, and in a script
// whose lines a bundler has joined. Where there is no application frame, the shape of the message decides.
func Locate(e Event) Place {
	p := Place{Component: strings.TrimSpace(e.Component), Revision: strings.TrimSpace(e.Revision)}
	if fingerprint := strings.TrimSpace(e.Fingerprint); fingerprint != "" {
		p.Basis = byFingerprint
		p.Key = keyOf(e.ProjectID, byFingerprint, e.Environment, fingerprint)
		p.Near = p.Key
		return p
	}
	news, inside := newsOf(e.Chain)
	p.Class, p.Inside = plainName(className(news.Class)), inside
	shape := plainMessage(news.Message)
	f := locate(news.App)
	p.File, p.Method = plainFile(f.File), plainMethod(f.File, news.App)
	if p.File == "" && p.Method == "" {
		p.Basis, p.Message = byMessage, shape
		if shape == "" {
			p.Method = plainMethod("", news.Top)
		}
		p.Key = keyOf(e.ProjectID, byMessage, e.Environment, p.Class, p.Component, p.Method, p.Message)
		p.Near = p.Key
		return p
	}
	p.Basis, p.Source = byLocation, strings.TrimSpace(news.App.Source)
	joined := isJoined(news.App)
	if !joined {
		p.Line, _ = strconv.Atoi(f.Line)
	}
	if joined || IsGeneric(p.Class) {
		p.Message = shape
	}
	p.Near = keyOf(e.ProjectID, byLocation, e.Environment, p.Class, p.Component, p.File, p.Method)
	p.Key = keyOf(e.ProjectID, byLocation, e.Environment, p.Class, p.Component, p.File, p.Method, strconv.Itoa(p.Line), p.Message)
	return p
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

// isJoined reports whether a frame is in a script whose lines a bundler has joined: then its line says nothing.
func isJoined(f *Frame) bool { return f.Column >= joinedColumn && isScriptSource(fileName(f.File)) }

// keyOf returns the first 16 bytes of SHA-256 over the rule, a project and texts, each with its length before it.
func keyOf(projectID int64, texts ...string) (k [16]byte) {
	b := binary.AppendUvarint(make([]byte, 0, 512), Second)
	b = binary.AppendVarint(b, projectID)
	for _, text := range texts {
		b = append(binary.AppendUvarint(b, uint64(len(text))), text...)
	}
	sum := sha256.Sum256(b)
	copy(k[:], sum[:])
	return k
}
