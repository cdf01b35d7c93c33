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
	s.bracket = 0
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
		var ok bool
		if spans, ok = p.find(spans, text, s.account); !ok && text != "" && text != Filtered {
			s.note(ByBound) // what was not looked at is not stored
			return Filtered, true
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
			if found, ok := s.assigned(text, i, 0); ok {
				spans, i = append(spans, found), found.end-1
			}
		}
	}
	return spans
}

// matchers have for each sign what looks for a secret that the sign at an offset is part of. What is before from was looked at.
var matchers = func() (t [256]func(s *scrubber, text string, i, from int) (span, bool)) {
	t['='], t[':'], t['%'] = (*scrubber).assigned, (*scrubber).afterColon, (*scrubber).afterEncoded
	t['>'], t[' '] = (*scrubber).tagged, (*scrubber).afterBlank
	t['.'], t['_'], t['-'] = (*scrubber).webToken, (*scrubber).issued, (*scrubber).issued
	return t
}()

// next returns the first part of a text from an offset on that is to be replaced.
func (s *scrubber) next(text string, from int) (span, bool) {
	for i := from; i < len(text); i++ {
		c := text[i]
		if match := matchers[c]; match != nil {
			if found, ok := match(s, text, i, from); ok {
				return found, true
			}
			continue
		}
		if !isDigit(c) {
			continue
		}
		digits := lengthOf(text[i:], isDigit)
		if beginsCard(c, digits) {
			if end := card(text, i); end > 0 {
				return span{i, end, ByCard}, true
			}
		}
		i += digits - 1
	}
	return span{}, false
}

// lengthOf returns how many bytes a text begins with of which all are in a class.
func lengthOf(text string, in func(byte) bool) (n int) {
	for n < len(text) && in(text[n]) {
		n++
	}
	return n
}

// afterColon returns the password of the URL, or the value, that a colon is before.
func (s *scrubber) afterColon(text string, i, from int) (span, bool) {
	if strings.HasPrefix(text[i:], "://") {
		return passwordInURL(text, i+3)
	}
	return s.assigned(text, i, from)
}

// afterEncoded returns the value after a sign that is encoded as in a URL.
func (s *scrubber) afterEncoded(text string, i, from int) (span, bool) {
	if hasPrefixFold(text[i:], "%3d") || hasPrefixFold(text[i:], "%3a") {
		return s.assigned(text, i, from)
	}
	return span{}, false
}

// afterBlank returns the credentials, or the value of a flag, that a blank is before.
func (s *scrubber) afterBlank(text string, i, _ int) (span, bool) {
	if found, ok := bearer(text, i); ok {
		return found, true
	}
	if strings.Contains(text[max(0, i-longestName):i], "--") {
		return s.flagged(text, i)
	}
	return span{}, false
}

// assigned returns the value that is assigned by a sign, "=" or ":" or one of them as URLs write it, if the name before it is that of a
// secret. What comes after ":" is a value only if it is quoted, if the name is, or if both are part of a printed structure: "Wrong
// password: it is too short" stays.
func (s *scrubber) assigned(text string, sign, _ int) (span, bool) {
	start, end, quotedName := nameBefore(text, sign)
	if start == end || s.of(text[start:end]) == open {
		return span{}, false
	}
	from, equals, ok := afterSign(text, sign)
	if !ok {
		return span{}, false
	}
	from = literalAt(text, from)
	switch {
	case from == len(text):
		return span{}, false
	case text[sign] == '%':
		return encodedValue(text, from, equals || quotedName)
	case isQuote(text[from]):
		return quotedValue(text, from)
	case equals || quotedName:
		return plainValue(text, from, "&;, \t\r\n()}]\"'<>\\")
	case isHeader(text[start:end]):
		return plainValue(text, from, "\r\n")
	case s.isPrinted(text, start, sign, from):
		return plainValue(text, from, ",; \t\r\n)}]\"'<>\\")
	}
	return span{}, false
}

// afterSign returns where a sign that assigns a value ends, and whether it is "="; ok is false for a comparison.
func afterSign(text string, sign int) (end int, equals, ok bool) {
	switch rest := text[sign+1:]; {
	case text[sign] == '%':
		return sign + len("%3D"), text[sign+2]|0x20 == 'd', true
	case text[sign] == ':':
		return sign + 1, false, true
	case strings.HasPrefix(rest, "="), strings.HasPrefix(rest, "~"):
		return 0, false, false
	case strings.HasPrefix(rest, ">"):
		return sign + len("=>"), true, true
	}
	return sign + 1, true, true
}

// literalAt returns where a value begins from an offset on: after blanks, the backslashes of JSON inside of JSON, and the letter before a literal of
// Python.
func literalAt(text string, from int) int {
	value := strings.TrimLeft(strings.TrimLeft(text[from:], " "), `\`)
	if len(value) > 1 && isQuote(value[1]) && strings.IndexByte("bBuUrR", value[0]) >= 0 {
		value = value[1:]
	}
	return len(text) - len(value)
}

// isPrinted reports whether a name and what is glued to the colon behind it are part of a structure or map, as Go prints them.
func (s *scrubber) isPrinted(text string, name, colon, value int) bool {
	return text[colon+1] != ' ' && text[value] != ':' && (name == 0 || text[name-1] != ':') && s.isInside(text, name)
}

// isInside reports whether a bracket opens before an offset of the text that is cleaned.
func (s *scrubber) isInside(text string, offset int) bool {
	if s.bracket == 0 {
		if s.bracket = 1 + strings.IndexAny(text, "{[("); s.bracket == 0 {
			s.bracket = 1 + len(text)
		}
	}
	return s.bracket <= offset
}

// nameBefore returns the name before a sign, without the quotes or brackets around it, and whether it is quoted.
func nameBefore(text string, sign int) (start, end int, quoted bool) {
	end, quoted = beforeQuote(text, beforeBracket(text, sign))
	start = end
	for start > 0 && end-start < longestName && isNameByte(text[start-1]) {
		start--
	}
	if start > 0 && text[start-1] == '%' && end-start > 2 { // the digits of the character before, as URLs write it
		start += 2
	}
	return start, end, quoted
}

// beforeBracket returns where a name ends that a blank, and the bracket of a field of a form or of a map may follow: user[password]=
func beforeBracket(text string, end int) int {
	if end > 0 && text[end-1] == ' ' {
		end--
	}
	switch {
	case end > 0 && text[end-1] == ']':
		end--
	case hasEnd(text[:end], "%5d"):
		end -= len("%5D")
	}
	return end
}

// beforeQuote returns where a name ends that a quote may follow, and whether one does.
func beforeQuote(text string, end int) (_ int, quoted bool) {
	switch {
	case end > 0 && isQuote(text[end-1]):
		return len(strings.TrimRight(text[:end-1], `\`)), true
	case hasEnd(text[:end], "%22"):
		return end - len("%22"), true
	}
	return end, false
}

func hasPrefixFold(text, prefix string) bool {
	return len(text) >= len(prefix) && strings.EqualFold(text[:len(prefix)], prefix)
}

// hasEnd reports whether a text ends with another one, in any case.
func hasEnd(text, end string) bool {
	return len(text) >= len(end) && strings.EqualFold(text[len(text)-len(end):], end)
}

// isHeader reports whether a name that is secret is that of a header, after which comes its value without quotes.
func isHeader(name string) bool {
	const own = "x-"
	return strings.EqualFold(name, "authorization") || strings.EqualFold(name, "proxy-authorization") || strings.EqualFold(name, "set-cookie") ||
		len(name) > len(own) && strings.EqualFold(name[:len(own)], own)
}

// encodedValue returns the value that begins at an offset of a part of a URL that is encoded once more.
func encodedValue(text string, from int, isValue bool) (span, bool) {
	const quote, and = "%22", "%26"
	if !isValue {
		return span{}, false
	}
	ending := and
	if strings.HasPrefix(text[from:], quote) {
		from, ending = from+len(quote), quote
	}
	found, ok := plainValue(text, from, "&;, \t\r\n()}]\"'<>\\")
	if n := strings.Index(text[from:max(found.end, from)], ending); n >= 0 {
		return valueSpan(text, from, from+n)
	}
	return found, ok
}

// flagged returns the value after the flag of a command that ends at a blank, such as "--password".
func (s *scrubber) flagged(text string, blank int) (span, bool) {
	start, end, _ := nameBefore(text, blank)
	if end != blank || !strings.HasPrefix(text[start:end], "--") || s.of(text[start:end]) == open || blank+1 == len(text) || text[blank+1] == '-' {
		return span{}, false
	}
	if isQuote(text[blank+1]) {
		return quotedValue(text, blank+1)
	}
	return plainValue(text, blank+1, ",; \t\r\n)}]\"'<>\\")
}

// tagged returns the text of an element of XML whose opening tag ends at an offset.
func (s *scrubber) tagged(text string, tagEnd, _ int) (span, bool) {
	start, end, quoted := nameBefore(text, tagEnd)
	if colon := start; quoted || end != tagEnd || colon == 0 || text[colon-1] != '<' && text[colon-1] != ':' || s.of(text[start:end]) == open {
		return span{}, false
	}
	n := strings.IndexByte(text[tagEnd:], '<')
	if n < 2 || !strings.HasPrefix(text[tagEnd+n:], "</") || isPlaceholder(text[tagEnd+1:]) {
		return span{}, false
	}
	return valueSpan(text, tagEnd+1, tagEnd+n)
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
			return valueSpan(text, at+1, at+1+len(strings.TrimRight(text[at+1:i], "\\")))
		case text[i] == quote:
			return valueSpan(text, at+1, i)
		case text[i] == '\\' && !inside:
			i++
		}
	}
	return valueSpan(text, at+1, len(text))
}

// longestFunction is how many characters the name of a function has at most. It bounds how often a text is looked through.
const longestFunction = 200

// plainValue returns the text from an offset to the first of some characters. A call in source code is no value.
func plainValue(text string, from int, ends string) (span, bool) {
	if isPlaceholder(text[from:]) {
		return span{}, false
	}
	end := len(text)
	if n := strings.IndexAny(text[from:], ends); n >= 0 {
		end = from + n
	}
	if end < len(text) && text[end] == '(' && end-from <= longestFunction {
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
	token := text[blank+1:]
	token = token[:lengthOf(token, func(c byte) bool { return isTokenByte(c) || strings.IndexByte("~+/=", c) >= 0 })]
	if len(token) < 8 || !strings.ContainsAny(token, "0123456789=") { // words
		return span{}, false
	}
	end := blank + 1 + len(token)
	return span{blank + 1, end, ByCredential}, true
}

func endsWithWord(text, word string) bool {
	at := len(text) - len(word)
	return at >= 0 && strings.EqualFold(text[at:], word) && (at == 0 || !isWord(text[at-1]))
}

// webToken returns the JSON web token (RFC 7519) whose first dot is at an offset.
func (*scrubber) webToken(text string, dot, from int) (span, bool) {
	start := wordStart(text, dot, from)
	if dot-start < 10 || !strings.HasPrefix(text[start:], "eyJ") {
		return span{}, false
	}
	end := dot + 1 + lengthOf(text[dot+1:], isTokenByte)
	if end-dot < 10 {
		return span{}, false
	}
	return span{start, end, ByCredential}, true
}

// issuers are how the keys begin that some services issue, up to a sign in them.
var issuers = []string{
	"ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_", "sk_", "rk_", "whsec_", "npm_", "sett_", "sk-", "glpat-", "xoxb-", "xoxp-", "xoxa-", "xoxe-", "pypi-",
}

// issuerEnds has a bit for each letter that is the second last of an issuer before its sign, by the last one.
var issuerEnds = func() (t [256]uint32) {
	for _, issuer := range issuers {
		n := len(issuer)
		t[issuer[n-2]] |= 1 << (issuer[n-3] - 'a')
	}
	return t
}()

// publicKey begins the key with which clients report. It is in every web page that reports.
const publicKey = "sett_p_"

// issued returns the private key (RFC 7468) or the key of a service that has a sign at an offset.
func (*scrubber) issued(text string, sign, from int) (span, bool) {
	if text[sign] == '-' && strings.HasPrefix(text[sign:], "-----BEGIN ") {
		return privateKey(text, sign)
	}
	if sign-from < 2 || issuerEnds[text[sign-1]]>>(text[sign-2]-'a')&1 == 0 {
		return span{}, false
	}
	start := sign
	for start > from && sign-start < 6 && isWord(text[start-1]) && text[start-1] != '_' {
		start--
	}
	if start > from && isKeyByte(text[start-1]) {
		return span{}, false
	}
	if !slices.Contains(issuers, text[start:sign+1]) || strings.HasPrefix(text[start:], publicKey) {
		return span{}, false
	}
	key := text[sign+1:]
	key = key[:lengthOf(key, isKeyByte)]
	if len(key) < 19 || !strings.ContainsAny(key, "0123456789") {
		return span{}, false
	}
	end := sign + 1 + len(key)
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
	for start > from && isKeyByte(text[start-1]) {
		start--
	}
	return start
}

func isTokenByte(c byte) bool { return isWord(c) && c < 0x80 || c == '-' || c == '.' }

func isKeyByte(c byte) bool { return isTokenByte(c) && c != '.' }

func isNameByte(c byte) bool { return isWord(c) || c == '-' || c == '.' }

func isQuote(c byte) bool { return c == '"' || c == '\'' }
