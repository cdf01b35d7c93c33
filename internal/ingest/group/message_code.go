package group

import (
	"strings"
	"unicode/utf8"
)

// isCode reports whether the word that ends at end says what went wrong, though it has digits: a status, an error number, an exit status. Rule 2
// keeps it.
func (m *scanner) isCode(end int) bool {
	word := m.in[m.at:end]
	switch {
	case !strings.ContainsAny(word, "0123456789"):
		return false
	case isResultCode(word):
		return true
	case allDigits(word) && len(word) <= mostCodeDigits:
		return m.inCodes() || isStatus(word) && startsReason(m.in[end:])
	case isErrorName(word):
		return true
	default:
		return len(word) == sqlStateLength && strings.ToUpper(word) == word && m.inCodes()
	}
}

const (
	mostCodeDigits = 6 // "E110001", "ORA-00942", "-32000"
	sqlStateLength = 5 // "42P01"
)

// codeWords come before a number that is a code.
var codeWords = map[string]bool{
	"status": true, "statuscode": true, "code": true, "errorcode": true, "errno": true, "error": true, "err": true, "exit": true, "exited": true, "signal": true, "http": true,
	"sqlstate": true, "ora": true, "errcode": true, "retcode": true, "rc": true, "hresult": true, "grpc": true, "sqlcode": true, "pls": true, "tns": true, "db2": true, "nserror": true, "sig": true,
}

// inCodes reports whether what is before the current word says that a code follows: "status code 500", "error #418", "[Errno 13]", `"code":429`, "ORA-00942".
func (m *scanner) inCodes() bool {
	before := strings.TrimRight(m.out.String(), " :=#([{'\"-/_")
	if len(before) < m.out.Len()-4 {
		return false
	}
	start := len(before)
	for start > 0 && isLetter(before[start-1]) {
		start--
	}
	if word := before[start:]; word != "with" && word != "of" && word != "is" && word != "was" {
		return codeWords[strings.ToLower(word)]
	}
	before = strings.TrimRight(before[:start], " ") // "with status of 500"
	start = len(before)
	for start > 0 && isLetter(before[start-1]) {
		start--
	}
	return codeWords[strings.ToLower(before[start:])]
}

// isStatus reports whether a number may be an HTTP status of a failure.
func isStatus(word string) bool { return len(word) == 3 && word[0] >= '3' && word[0] <= '5' }

// reasons begin the phrases that HTTP has for a status of a failure (RFC 9110).
var reasons = [...]string{
	" Bad ", " Unauthorized", " Payment ", " Forbidden", " Not ", " Method ", " Proxy ", " Request", " Conflict", " Gone", " Length ", " Precondition", " Payload ", " Content ", " URI ",
	" Unsupported ", " Range ", " Expectation ", " Misdirected", " Unprocessable ", " Locked", " Too ", " Internal ", " Service ", " Gateway ", " HTTP ", " Moved ", " Found", " Client Error", " Server Error", " Error",
}

func startsReason(rest string) bool {
	for _, reason := range reasons {
		if strings.HasPrefix(rest, reason) {
			return true
		}
	}
	return false
}

// isResultCode reports whether a word is a result of Windows: "0x80004005", "0xC0000005".
func isResultCode(word string) bool {
	digits, ok := strings.CutPrefix(word, "0x")
	return ok && len(digits) == 8 && allHex(digits) && (digits[0] == '8' || strings.EqualFold(digits[:4], "c000"))
}

// isErrorName reports whether a word is the name of an error, made of a few capitals and a number: "E11000", "TS2345", "ERR42".
func isErrorName(word string) bool {
	letters := 0
	for letters < len(word) && 'A' <= word[letters] && word[letters] <= 'Z' {
		letters++
	}
	digits := word[letters:]
	return 1 <= letters && letters <= 4 && 2 < len(digits) && len(digits) <= mostCodeDigits && allDigits(digits)
}

// idEnd ends an id of letters of both cases and digits, which begins at the current word and may have "-" and "_" within, as nanoid makes them; end is that of
// the word. Some services put what it is the id of before it: "cus_NffrFeUfNV2Hib".
func (m *scanner) idEnd(end int) int {
	if !isRandom(m.in[m.at:end]) {
		return 0
	}
	for end+1 < len(m.in) && (m.in[end] == '-' || m.in[end] == '_') && isAlnum(m.in[end+1]) {
		next := alnumEnd(m.in, end+1)
		if word := m.in[end+1 : next]; looksTyped(word) && len(word) > 3 {
			break
		}
		end = next
	}
	return end
}

// namedWords come before a quoted name of what programs are made of, which keeps errors apart.
var namedWords = map[string]bool{
	"method": true, "function": true, "property": true, "properties": true, "reading": true, "setting": true, "attribute": true, "variable": true, "constant": true, "class": true, "module": true, "package": true,
	"named": true, "name": true, "column": true, "table": true, "relation": true, "constraint": true, "index": true, "field": true, "key": true, "schema": true, "database": true, "type": true, "parameter": true,
	"argument": true, "option": true, "template": true, "partial": true, "view": true, "route": true, "component": true, "import": true, "symbol": true, "identifier": true, "keyword": true, "operator": true,
	"interface": true, "trait": true, "struct": true, "service": true, "bean": true, "provider": true, "directive": true, "element": true, "tag": true, "command": true, "extension": true, "setter": true, "getter": true,
	"role": true, "permission": true, "queue": true, "topic": true, "exchange": true, "bucket": true, "collection": true, "header": true, "driver": true, "macro": true, "global": true, "local": true,
}

// mostNameLength is how many bytes the name of something in a program has at most.
const mostNameLength = 60

// quotedName returns the text within the quotes that begin before from and end at end, if it is the name of something that programs are made of: by the word
// before it, or because it is all of the message, its first word, or the key of a value.
func (m *scanner) quotedName(from, end int) (string, bool) {
	_, size := utf8.DecodeLastRuneInString(m.in[:end])
	name := m.in[from : end-size]
	if name == "" || len(name) > mostNameLength || !isIdentifier(name) {
		return "", false
	}
	if m.runes == 0 || end < len(m.in) && m.in[end] == ':' || strings.HasPrefix(m.in[end:], " is not a ") {
		return name, true
	}
	before := strings.TrimRight(m.out.String(), " :=(")
	start := len(before)
	for start > 0 && isLetter(before[start-1]) {
		start--
	}
	return name, namedWords[strings.ToLower(before[start:])]
}

// isIdentifier reports whether a text is a name, or names with "." or "::" between, that no program has made up.
func isIdentifier(s string) bool {
	for i := range len(s) {
		if c := s[i]; !isLetter(c) && !isDigit(c) && strings.IndexByte("_$.:#?!/\\-@", c) < 0 {
			return false
		}
	}
	return !strings.ContainsAny(s, "0123456789") && strings.ContainsFunc(s, isASCIILetter) && !strings.Contains(s, "@")
}

func isASCIILetter(r rune) bool { return r < utf8.RuneSelf && isLetter(byte(r)) }

// signsOf returns what a message, as plainMessage has it, says in codes and in names of what programs are made of, a word each. What is all of a message is left out: it
// may be a value. Engines of JavaScript disagree about names, so they can be left out.
func signsOf(message string, names bool) string {
	var signs []string
	for at := 0; at < len(message); {
		end := at + 1
		switch c := message[at]; {
		case c == '\'' && strings.IndexByte(message[at+1:], '\'') > 0 && !endsInWord(message[:at]):
			end = at + 2 + strings.IndexByte(message[at+1:], '\'')
			if names && (at > 0 || end < len(message)) {
				signs = append(signs, message[at:end])
			}
		case isAlnum(c):
			end = alnumEnd(message, at)
			if word := message[at:end]; strings.ContainsAny(word, "0123456789") || isErrno(word) {
				signs = append(signs, word)
			}
		}
		at = end
	}
	return strings.Join(signs, " ")
}

func endsInWord(s string) bool { return s != "" && isAlnum(s[len(s)-1]) }

// isErrno reports whether a word is the name of an error of a system, such as "ENOENT".
func isErrno(word string) bool {
	return len(word) >= 4 && word[0] == 'E' && strings.ToUpper(word) == word && word != "ERROR" && word != "EXCEPTION"
}
