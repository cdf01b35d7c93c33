package group

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// messageLength is how many runes of a normalised message count.
const messageLength = 200

// What stands in a normalised message for what was taken out. They hold no digit, so normalising again finds nothing.
const (
	markNumber  = "<number>" // integers, fractions, versions, hexadecimal numbers and digests
	markID      = "<id>"     // UUIDs, and words that mix letters and digits at random
	markTime    = "<time>"   // dates and times of day
	markAddress = "<address>"
	markEmail   = "<email>"
	markURL     = "<url>" // the whole of it: hosts, too, differ between tenants and replicas
	markText    = "<text>"
)

// NormalizeMessage returns a message without the parts that differ between occurrences of the same error: numbers, ids,
// memory and network addresses, e-mail addresses, URLs, dates, times and quoted text each become a word in angle brackets.
// Paths are kept, because the missing file distinguishes faults. White space is collapsed, and the result is cut to 200
// runes; it contains no decimal digit. Normalizing twice is the same as once. Time is linear in the length of s.
func NormalizeMessage(s string) string { return (&scanner{in: s}).normalize() }

func (m *scanner) normalize() string {
	m.out.Grow(min(len(m.in), 2*messageLength))
	for m.at < len(m.in) && !m.full {
		m.step()
	}
	if m.full {
		// A cut behind an apostrophe would make it look like a closing quote.
		return strings.TrimRight(m.out.String(), "' ")
	}
	return strings.TrimRight(m.out.String(), " ")
}

// scanner reads in once from left to right. Looking ahead is bounded, or its result is remembered, so that nothing is
// read more than a few times.
type scanner struct {
	in     string
	second bool // by rule 2
	at     int
	out    strings.Builder
	runes  int
	full   bool // more would not fit

	unclosed  [len(quotes)]bool // no closing quote of this kind follows
	noEmailTo int               // no e-mail address begins before this offset
}

// step reads one word, one quoted text, or one rune that is neither.
func (m *scanner) step() {
	c := m.in[m.at]
	switch {
	case isAlnum(c):
		m.word()
	case c >= utf8.RuneSelf:
		m.wideRune()
	case c <= ' ' || c == 0x7f:
		m.space(1)
	case (c == '"' || c == '\'' || c == '`') && m.quote():
	case (c == ':' || c == '[') && !m.afterWord() && m.take(addressEnd(m.in, m.at), markAddress):
	case (c == '-' || c == '+') && !m.afterWord() && m.startsNumber(m.at+1):
		m.at++
	default:
		m.copy(m.at + 1)
	}
}

func (m *scanner) wideRune() {
	r, size := utf8.DecodeRuneInString(m.in[m.at:])
	switch {
	case unicode.IsSpace(r) || unicode.IsControl(r):
		m.space(size)
	case r == '“' && m.quote():
	case r == utf8.RuneError:
		m.emit("\uFFFD", 1) // also where the bytes were no UTF-8
		m.at += size
	default:
		m.copy(m.at + size)
	}
}

// word reads what begins at a letter or digit: the longest thing that is known first.
func (m *scanner) word() {
	end := alnumEnd(m.in, m.at)
	if m.isPlain(end) {
		m.copy(end)
		return
	}
	if strings.HasPrefix(m.in[end:], "://") {
		m.take(urlEnd(m.in, end), markURL)
		return
	}
	switch {
	case m.take(m.emailEnd(), markEmail):
	case m.take(uuidEnd(m.in, m.at), markID):
	case m.take(addressEnd(m.in, m.at), markAddress):
	case m.take(timeEnd(m.in, m.at), markTime):
	case m.second && m.isCode(end):
		m.copy(end)
	case m.take(hexEnd(m.in[:end], m.at), markNumber):
	case m.take(randomEnd(m.in[:end], m.at), markID):
	case m.second && m.take(m.idEnd(end), markID):
	case m.second && m.goesOnWithID(end):
		m.take(end, markID)
	case m.second && m.take(m.durationEnd(), markNumber):
	default:
		m.plainWord(end)
	}
}

// isPlain reports whether the word that ends at end is nothing but a word, as most are: it has no digit, and is no part of an address or of a date.
func (m *scanner) isPlain(end int) bool {
	if end < len(m.in) && strings.IndexByte("@._%+-:", m.in[end]) >= 0 {
		return false
	}
	word := m.in[m.at:end]
	return !hasDigit(word) && (!isUpper(word[0]) || !isWeekday(word) && !isMonth(word))
}

// plainWord copies the letters and takes out the numbers of a word that ends at end.
func (m *scanner) plainWord(end int) {
	for m.at < end && !m.full {
		if isDigit(m.in[m.at]) {
			m.take(numberEnd(m.in, m.at), markNumber)
			continue
		}
		next := m.at
		for next < end && !isDigit(m.in[next]) {
			next++
		}
		m.copy(next)
	}
}

// take replaces the input up to end with a placeholder. An end of 0 means that there is nothing to take.
func (m *scanner) take(end int, placeholder string) bool {
	if end == 0 {
		return false
	}
	m.emit(placeholder, len(placeholder))
	m.at = end
	return true
}

// copy copies the input up to end, or as much of it as fits.
func (m *scanner) copy(end int) {
	text := m.in[m.at:end]
	if fits := messageLength - m.runes; len(text) > fits && utf8.RuneCountInString(text) > fits {
		m.emit(firstRunes(text, fits), fits)
		m.full = true
		return
	}
	m.emit(text, utf8.RuneCountInString(text))
	m.at = end
}

func (m *scanner) space(size int) {
	m.at += size
	if m.runes > 0 && !strings.HasSuffix(m.out.String(), " ") {
		m.emit(" ", 1)
	}
}

// emit writes text, which has that many runes, whole or not at all.
func (m *scanner) emit(text string, runes int) {
	if m.runes+runes > messageLength {
		m.full = true
		return
	}
	m.out.WriteString(text)
	m.runes += runes
}

// afterWord reports whether a letter or a digit comes just before, or a '>', because a number may have become one.
func (m *scanner) afterWord() bool {
	r, _ := utf8.DecodeLastRuneInString(m.in[:m.at])
	return r == '>' || isWordRune(r)
}

func (m *scanner) startsNumber(at int) bool { return at < len(m.in) && isDigit(m.in[at]) }
