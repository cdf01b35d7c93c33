package group

import (
	"strings"
)

// isCode reports whether the word that ends at end says what went wrong, though it has digits: a status, an error number, an exit status. Rule 2
// keeps it.
func (m *scanner) isCode(end int) bool {
	word := m.in[m.at:end]
	switch {
	case !hasDigit(word):
		return false
	case isResultCode(word):
		return true
	case allDigits(word) && len(word) <= mostCodeDigits:
		return m.inCodes() || isStatus(word) && startsReason(m.in[end:]) || m.beginsPair(end) || strings.HasSuffix(m.out.String(), "] [") // "SQLSTATE[HY000] [2002]"
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

// beginsPair reports whether the word is the first of a number and a text in brackets that are all of the message, as drivers of MySQL write it in Python: "(1213, 'Deadlock found')".
func (m *scanner) beginsPair(end int) bool {
	return m.runes == 1 && m.in[0] == '(' && (strings.HasPrefix(m.in[end:], ", '") || strings.HasPrefix(m.in[end:], `, "`))
}

// codeWords come before a number that is a code.
var codeWords = map[string]bool{
	"status": true, "statuscode": true, "code": true, "errorcode": true, "errno": true, "error": true, "err": true, "exit": true, "exited": true, "signal": true, "http": true,
	"sqlstate": true, "ora": true, "errcode": true, "retcode": true, "rc": true, "hresult": true, "grpc": true, "sqlcode": true, "pls": true, "tns": true, "db2": true, "nserror": true, "sig": true, "winerror": true, "msg": true, "sp": true,
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

// startsReason reports whether a reason follows, which may be in brackets or quotes.
func startsReason(rest string) bool {
	if len(rest) > 1 && rest[0] == ' ' && strings.IndexByte("(\"'", rest[1]) >= 0 {
		rest = " " + rest[2:] + " "
	}
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
	if token := m.tokenEnd(end); token > 0 {
		return token
	}
	word := m.in[m.at:end]
	if allDigits(word) || !isRandom(word) && (len(word) < 4 || turns(word) < 3) {
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

// goesOnWithID reports whether the word that ends at end is the further part of a name that ended in a number or an id before: "kiosk-6c8d7f9b4-q7wzt".
func (m *scanner) goesOnWithID(end int) bool {
	return strings.HasSuffix(m.out.String(), ">-") && hasDigit(m.in[m.at:end])
}

// durationEnd ends the last number of a duration of several units, "1m32.5s", whose last unit stays; 0 if there is none.
func (m *scanner) durationEnd() int {
	last := 0
	for at := m.at; at < len(m.in) && isDigit(m.in[at]); {
		end := numberEnd(m.in, at)
		unit := end
		for unit < len(m.in) && isLetter(m.in[unit]) {
			unit++
		}
		switch m.in[end:unit] {
		case "d", "h", "m", "s", "ms", "us", "ns":
		default:
			return 0
		}
		if at > m.at {
			last = end
		}
		at = unit
	}
	return last
}

// tokenEnd ends an id with "-" and "_" as letters, of which the word that ends at end is the first part; 0 if there is none.
func (m *scanner) tokenEnd(end int) int {
	at := end
	for at < len(m.in) && (isAlnum(m.in[at]) || m.in[at] == '-' || m.in[at] == '_') {
		at++
	}
	if at == end || isLower(m.in[m.at:end]) || !isToken(m.in[m.at:at]) {
		return 0
	}
	return at
}
