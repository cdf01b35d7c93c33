package scrub

import (
	"slices"
	"strings"
)

// span is a part of a text that is replaced.
type span struct {
	start, end int
	kind       Kind
}

// clean returns a text with what is secret in it replaced, and whether anything was.
func (s *scrubber) clean(text string) (string, bool) {
	var spans []span
	if s.usual {
		for from := 0; ; {
			found, ok := s.next(text, from)
			if !ok {
				break
			}
			spans, from = append(spans, found), found.end
		}
	} else if len(s.names) > 0 {
		spans = s.named(text)
	}
	for _, p := range s.patterns {
		for _, at := range p.FindAllStringIndex(text, -1) {
			if at[0] < at[1] && !strings.EqualFold(text[at[0]:at[1]], Filtered) {
				spans = append(spans, span{at[0], at[1], ByPattern})
			}
		}
	}
	if len(spans) == 0 {
		return text, false
	}
	slices.SortStableFunc(spans, func(a, b span) int { return a.start - b.start })
	var b strings.Builder
	last := 0
	for _, found := range spans {
		if found.start < last {
			continue
		}
		b.WriteString(text[last:found.start])
		b.WriteString(Filtered)
		s.note(found.kind)
		last = found.end
	}
	b.WriteString(text[last:])
	return b.String(), true
}

// named returns the values that follow names in a text.
func (s *scrubber) named(text string) (spans []span) {
	for i := 0; i < len(text); i++ {
		if c := text[i]; c == '=' || c == ':' {
			if found, ok := s.assigned(text, i); ok {
				spans, i = append(spans, found), found.end-1
			}
		}
	}
	return spans
}

// signs are the characters at which next looks more closely.
var signs = func() (t [256]bool) {
	for _, c := range []byte("0123456789=: ._-") {
		t[c] = true
	}
	return t
}()

// next returns the first part of a text from an offset on that is to be replaced.
func (s *scrubber) next(text string, from int) (span, bool) {
	for i := from; i < len(text); i++ {
		if !signs[text[i]] {
			continue
		}
		switch text[i] {
		case '=', ':':
			if text[i] == ':' && strings.HasPrefix(text[i:], "://") {
				if found, ok := passwordInURL(text, i+3); ok {
					return found, true
				}
				continue
			}
			if found, ok := s.assigned(text, i); ok {
				return found, true
			}
		case ' ':
			if found, ok := bearer(text, i); ok {
				return found, true
			}
		case '.':
			if found, ok := webToken(text, i, from); ok {
				return found, true
			}
		case '_', '-':
			if found, ok := issued(text, i, from); ok {
				return found, true
			}
		default:
			end, digits := card(text, i)
			if end > 0 {
				return span{i, end, ByCard}, true
			}
			i = digits - 1
		}
	}
	return span{}, false
}

// assigned returns the value that is assigned by a sign, "=" or ":", if the name before it is that of a secret. What comes after ":" is a
// value only if it is quoted, or if the name is: "Wrong password: it is too short" stays.
func (s *scrubber) assigned(text string, sign int) (span, bool) {
	end := sign
	if end > 0 && text[end-1] == ' ' {
		end--
	}
	quotedName := end > 0 && isQuote(text[end-1])
	if quotedName {
		end--
		if end > 0 && text[end-1] == '\\' {
			end--
		}
	}
	start := end
	for start > 0 && end-start < longestName && isNameByte(text[start-1]) {
		start--
	}
	if start == end || s.of(text[start:end]) == open {
		return span{}, false
	}
	from := sign + 1
	if text[sign] == '=' && from < len(text) && (text[from] == '=' || text[from] == '~') {
		return span{}, false // a comparison
	}
	if text[sign] == '=' && from < len(text) && text[from] == '>' {
		from++
	}
	for from < len(text) && text[from] == ' ' {
		from++
	}
	if from < len(text) && text[from] == '\\' {
		from++ // JSON inside of JSON
	}
	switch {
	case from == len(text):
		return span{}, false
	case isQuote(text[from]):
		return quotedValue(text, from)
	case text[sign] == '=' || quotedName:
		return plainValue(text, from, "&;, \t\r\n()}]\"'<>\\")
	case isHeader(text[start:end]):
		return plainValue(text, from, "\r\n")
	}
	return span{}, false
}

// isHeader reports whether a name is that of a header with a secret, after which comes its value without quotes.
func isHeader(name string) bool {
	return strings.EqualFold(name, "authorization") || strings.EqualFold(name, "proxy-authorization") || strings.EqualFold(name, "x-api-key")
}

// quotedValue returns the text between the quote at an offset and the next one like it.
func quotedValue(text string, at int) (span, bool) {
	quote, inside := text[at], at > 0 && text[at-1] == '\\' // inside: the quotes are themselves in a text
	if isPlaceholder(text[at+1:]) {
		return span{}, false
	}
	for i := at + 1; i < len(text); i++ {
		switch {
		case text[i] == quote && inside && text[i-1] == '\\':
			return valueSpan(text, at+1, i-1)
		case text[i] == quote:
			return valueSpan(text, at+1, i)
		case text[i] == '\\' && !inside:
			i++
		}
	}
	return valueSpan(text, at+1, len(text))
}

// plainValue returns the text from an offset to the first of some characters. A call in source code is no value.
func plainValue(text string, from int, ends string) (span, bool) {
	if isPlaceholder(text[from:]) {
		return span{}, false
	}
	end := len(text)
	if n := strings.IndexAny(text[from:], ends); n >= 0 {
		end = from + n
	}
	if end < len(text) && text[end] == '(' {
		return span{}, false
	}
	return valueSpan(text, from, end)
}

// isPlaceholder reports whether a text begins with what stands for a value, or with a value that was filtered by the client.
func isPlaceholder(text string) bool {
	if text == "" || strings.IndexByte("?$%*{", text[0]) >= 0 {
		return true
	}
	const filtered = len(Filtered) - 1
	return len(text) >= filtered && strings.EqualFold(text[:filtered], Filtered[:filtered])
}

// valueSpan returns a part of a text that a name makes secret, unless it says nothing.
func valueSpan(text string, start, end int) (span, bool) {
	switch value := text[start:end]; strings.ToLower(value[:min(len(value), 10)]) {
	case "", "null", "nil", "none", "true", "false", "undefined":
		return span{}, false
	}
	return span{start, end, ByName}, true
}

// passwordInURL returns the password in a URL whose authority begins at an offset.
func passwordInURL(text string, from int) (span, bool) {
	authority := text[from:]
	if n := strings.IndexAny(authority, "/?# \t\r\n\"'<>"); n >= 0 {
		authority = authority[:n]
	}
	at := strings.LastIndexByte(authority, '@')
	if at < 0 {
		return span{}, false
	}
	colon := strings.IndexByte(authority[:at], ':')
	if colon < 0 || colon+1 == at || strings.EqualFold(authority[colon+1:at], Filtered) {
		return span{}, false
	}
	return span{from + colon + 1, from + at, ByCredential}, true
}

// bearer returns the credentials after a scheme of HTTP, which ends at a blank.
func bearer(text string, blank int) (span, bool) {
	if blank < 5 || text[blank-1]|0x20 != 'r' && text[blank-1]|0x20 != 'c' {
		return span{}, false
	}
	if !endsWithWord(text[:blank], "bearer") && !endsWithWord(text[:blank], "basic") {
		return span{}, false
	}
	end, digits := blank+1, 0
	for end < len(text) && (isTokenByte(text[end]) || strings.IndexByte("~+/=", text[end]) >= 0) {
		if isDigit(text[end]) || text[end] == '=' {
			digits++
		}
		end++
	}
	if end-blank <= 8 || digits == 0 { // words
		return span{}, false
	}
	return span{blank + 1, end, ByCredential}, true
}

func endsWithWord(text, word string) bool {
	at := len(text) - len(word)
	return at >= 0 && strings.EqualFold(text[at:], word) && (at == 0 || !isWord(text[at-1]))
}

// webToken returns the JSON web token (RFC 7519) whose first dot is at an offset.
func webToken(text string, dot, from int) (span, bool) {
	start := wordStart(text, dot, from)
	if dot-start < 10 || !strings.HasPrefix(text[start:], "eyJ") {
		return span{}, false
	}
	end := dot + 1
	for end < len(text) && isTokenByte(text[end]) {
		end++
	}
	if end-dot < 10 {
		return span{}, false
	}
	return span{start, end, ByCredential}, true
}

// issuers are how the keys begin that some services issue, up to a sign in them.
var issuers = []string{
	"ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_", "sk_", "rk_", "whsec_", "npm_", "sett_", "sk-", "glpat-", "xoxb-", "xoxp-", "xoxa-", "xoxe-", "pypi-",
}

// publicKey begins the key with which clients report. It is in every web page that reports.
const publicKey = "sett_p_"

// issued returns the private key (RFC 7468) or the key of a service that has a sign at an offset.
func issued(text string, sign, from int) (span, bool) {
	if text[sign] == '-' && strings.HasPrefix(text[sign:], "-----BEGIN ") {
		return privateKey(text, sign)
	}
	start := sign
	for start > from && sign-start < 6 && isWord(text[start-1]) && text[start-1] != '_' {
		start--
	}
	if start > from && isTokenByte(text[start-1]) && text[start-1] != '.' {
		return span{}, false
	}
	if !slices.Contains(issuers, text[start:sign+1]) || strings.HasPrefix(text[start:], publicKey) {
		return span{}, false
	}
	end, digits := sign+1, 0
	for end < len(text) && isTokenByte(text[end]) && text[end] != '.' {
		if isDigit(text[end]) {
			digits++
		}
		end++
	}
	if end-sign < 20 || digits == 0 {
		return span{}, false
	}
	return span{start, end, ByCredential}, true
}

// privateKey returns the private key that begins at an offset, up to its last line.
func privateKey(text string, start int) (span, bool) {
	const ending = "-----END "
	head := text[start:min(len(text), start+60)]
	if !strings.Contains(head, "PRIVATE KEY-----") {
		return span{}, false
	}
	end := strings.Index(text[start:], ending)
	if end < 0 {
		return span{start, len(text), ByCredential}, true
	}
	end += start + len(ending)
	if n := strings.Index(text[end:], "-----"); n >= 0 {
		return span{start, end + n + len("-----"), ByCredential}, true
	}
	return span{start, len(text), ByCredential}, true
}

// wordStart returns where the characters of a token begin that end at an offset.
func wordStart(text string, end, from int) int {
	start := end
	for start > from && isTokenByte(text[start-1]) && text[start-1] != '.' {
		start--
	}
	return start
}

func isTokenByte(c byte) bool { return isWord(c) && c < 0x80 || c == '-' || c == '.' }

func isNameByte(c byte) bool { return isWord(c) || c == '-' || c == '.' }

func isQuote(c byte) bool { return c == '"' || c == '\'' }
