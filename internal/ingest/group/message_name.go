package group

import (
	"strings"
	"unicode/utf8"
)

// namedWords come before a quoted name of what programs are made of, which keeps errors apart.
var namedWords = map[string]bool{
	"method": true, "function": true, "property": true, "properties": true, "reading": true, "setting": true, "attribute": true, "variable": true, "constant": true, "class": true, "module": true, "package": true,
	"named": true, "name": true, "column": true, "table": true, "relation": true, "constraint": true, "index": true, "field": true, "key": true, "schema": true, "database": true, "type": true, "parameter": true,
	"argument": true, "option": true, "template": true, "partial": true, "view": true, "route": true, "component": true, "import": true, "symbol": true, "identifier": true, "keyword": true, "operator": true,
	"interface": true, "trait": true, "struct": true, "service": true, "bean": true, "provider": true, "directive": true, "element": true, "tag": true, "command": true, "extension": true, "setter": true, "getter": true,
	"role": true, "permission": true, "queue": true, "topic": true, "exchange": true, "bucket": true, "collection": true, "header": true, "driver": true, "macro": true, "global": true, "local": true, "model": true, "prop": true, "props": true,
}

// mostNameLength is how many bytes the name of something in a program has at most.
const mostNameLength = 60

// behindNames follow a quoted name at the beginning of a message.
var behindNames = [...]string{" object", " is not a ", " is not an ", " is not defined", " is not callable", " does not exist", " is required", " is not supported", " must be ", " may not be ", " should be "}

// quotedName returns the text within the quotes that begin before from and end at end, if it is the name of something that programs are made of: by its shape, by the
// words around it, or because it is all of the message or the key of a value.
func (m *scanner) quotedName(open rune, from, end int) (string, bool) {
	_, size := utf8.DecodeLastRuneInString(m.in[:end])
	name, behind := m.in[from:end-size], m.in[end:]
	if name == "" || len(name) > mostNameLength || !isIdentifier(name) {
		return "", false
	}
	before := m.out.String()
	switch {
	case before == "":
		return name, behind == "" || hasAnyPrefix(behind, behindNames[:]...) || isTyped(name) || isBeforeNamed(behind)
	case open == '`', isTyped(name), isBeforeNamed(behind), strings.HasPrefix(behind, " is not a "):
		return name, true
	case strings.HasPrefix(behind, ":"): // the key of a value
		return name, strings.HasSuffix(before, "{") || strings.HasSuffix(before, ",") || strings.HasSuffix(before, ", ")
	}
	word, rest := lastWord(before)
	if word == "of" {
		word, _ = lastWord(rest)
	}
	return name, namedWords[word]
}

// isTyped reports whether a name has the shape of one in a program, and no value has it: "App\\Cart", "Kiosk::Cart", "itemCount".
func isTyped(name string) bool {
	if strings.Contains(name, `\`) || strings.Contains(name, "::") {
		return true
	}
	for i := 1; i+1 < len(name); i++ {
		if isUpper(name[i]) && isLetter(name[i-1]) && !isUpper(name[i-1]) && isLetter(name[i+1]) {
			return true
		}
	}
	return false
}

func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }

// isBeforeNamed reports whether a text goes on with a word for what programs are made of: " column", " prop".
func isBeforeNamed(behind string) bool {
	rest, ok := strings.CutPrefix(behind, " ")
	if !ok {
		return false
	}
	end := 0
	for end < len(rest) && isLetter(rest[end]) {
		end++
	}
	return namedWords[rest[:end]]
}

// lastWord returns the last word of a text in small letters, without the signs behind it, and what comes before it.
func lastWord(text string) (word, before string) {
	text = strings.TrimRight(text, " :=([")
	start := len(text)
	for start > 0 && isLetter(text[start-1]) {
		start--
	}
	return strings.ToLower(text[start:]), text[:start]
}

// isIdentifier reports whether a text is a name, or names with "." or "::" between, that no program has made up.
func isIdentifier(s string) bool {
	if s == "" {
		return false
	}
	for i := range len(s) {
		if c := s[i]; !isLetter(c) && !isDigit(c) && strings.IndexByte("_$.:#?!/\\-@", c) < 0 {
			return false
		}
	}
	if len(s) > 2 && s[1] == ':' && s[2] == '\\' {
		return false // a path of Windows
	}
	return s[0] != '/' && !hasDigit(s) && strings.ContainsFunc(s, isASCIILetter) && !strings.Contains(s, "@")
}

func isASCIILetter(r rune) bool { return r < utf8.RuneSelf && isLetter(byte(r)) }
