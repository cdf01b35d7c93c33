package scrub

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// What follows is how names and texts were matched before it was made fast: plain loops, which try everything everywhere.

func slowOf(r *Rules, key string) secrecy {
	name := plainName(nil, key)
	switch {
	case len(name) == 0 || anyMatches(r.keep, name):
		return open
	case anyMatches(r.names, name):
		return secret
	case !r.usual || key == "PWD" || key == "OLDPWD":
		return open
	case slices.Contains([]string{
		"pass", "auth", "proxyauth", "cvv", "cvc", "cvv2", "cvc2", "ssn", "pin", "otp", "connectsid", "iban",
		"laravelsession", "aspnetcoresession", "aspnetcorecookies", "aspnetcoreidentityapplication",
	}, string(name)):
		return scalars
	case slowIsSecretName(string(name)):
		return secret
	case key[0] == '_' && strings.HasSuffix(key, "_session"):
		return scalars
	}
	return open
}

func slowIsSecretName(name string) bool {
	for i := range len(name) {
		for _, part := range secretParts[name[i]] {
			if strings.HasPrefix(name[i:], part) {
				return !describes([]byte(name[i+len(part):]))
			}
		}
	}
	return false
}

func slowNext(s *scrubber, text string, from int) (span, bool) {
	for i := from; i < len(text); i++ {
		c := text[i]
		if isDigit(c) {
			if end := card(text, i); end > 0 {
				return span{i, end, ByCard}, true
			}
			for i+1 < len(text) && isDigit(text[i+1]) {
				i++
			}
			continue
		}
		if found, ok := slowAt(s, text, i, from); ok {
			return found, true
		}
	}
	return span{}, false
}

func slowAt(s *scrubber, text string, i, from int) (span, bool) {
	switch c := text[i]; {
	case strings.HasPrefix(text[i:], "://"):
		return slowPasswordInURL(text, i+3)
	case c == ' ':
		if found, ok := bearer(text, i); ok {
			return found, true
		}
		return s.flagged(text, i)
	case c == '-' && strings.HasPrefix(text[i:], "-----BEGIN "):
		return privateKey(text, i)
	case c == '-' || c == '_':
		return slowIssued(text, i, from)
	}
	if match := matchers[text[i]]; match != nil {
		return match(s, text, i, from)
	}
	return span{}, false
}

func slowPasswordInURL(text string, from int) (span, bool) {
	authority := text[from:]
	if n := strings.IndexAny(authority, "/?# \t\r\n\"'<>"); n >= 0 {
		authority = authority[:n]
	}
	at := strings.LastIndex(authority, "@")
	if at < 0 {
		return span{}, false
	}
	user, password, ok := strings.Cut(authority[:at], ":")
	if !ok || password == "" || strings.EqualFold(password, Filtered) {
		return span{}, false
	}
	return span{from + len(user) + 1, from + at, ByCredential}, true
}

func slowIssued(text string, sign, from int) (span, bool) {
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
	end := sign + 1
	for end < len(text) && isTokenByte(text[end]) && text[end] != '.' {
		end++
	}
	if end-sign < 20 || !strings.ContainsAny(text[sign+1:end], "0123456789") {
		return span{}, false
	}
	return span{start, end, ByCredential}, true
}

// pieces are what texts with and without secrets are made of.
var pieces = []string{
	"password", "token", "pin", "user", "X-Api-Key", "Authorization", "_app_session", "sett_", "sett_p_", "--", "-", "_", "=", ":", "://", " ", "%3D", "%3a", ">", "<", "</", "@", ".", ",", "&", "\"", "'", "\\", "(", "{", "[", "]", "\n", "é", "\xff",
	"bearer ", "Basic ", "eyJhbGciOiJIUzI1NiJ9", "ghp_", "sk-", "sk_", "xoxb-", "glpat-", "whsec_", "github_", "0123456789abcdefghijABCDEFGHIJ012345", "-----BEGIN PRIVATE KEY-----", "-----END ",
	"4111 1111 1111 1111", "4111111111111111", "411111111111111", "378282246310005", "3782 822463 10005", "36227206271667", "6011000990139424", "4111-1111", "41111111111111110", "4000 0000 0000 0000 006", "2026-11-25", "12", "7", "[FILTERED]", "http",
}

func drawText(t *rapid.T) string {
	return strings.Join(rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom(pieces), rapid.StringN(0, 8, 20)), 0, 12).Draw(t, "text"), "")
}

// Whatever a text is made of, the fast way finds what the slow way does.
func TestNextFindsAllThatIsSecret(t *testing.T) {
	t.Parallel()
	rules, err := New(Settings{Names: []string{"user"}})
	if err != nil {
		t.Fatal(err)
	}
	s := &scrubber{Rules: rules}
	if compareNext(t, s, "password=hunter2 and https://ann:secret@example.com/") != 2 {
		t.Error("a text with two secrets has not two: nothing is compared")
	}
	rapid.Check(t, func(t *rapid.T) { compareNext(t, &scrubber{Rules: rules}, drawText(t)) })
}

// compareNext compares what both ways find in a text, and returns how much that is.
func compareNext(t rapid.TB, s *scrubber, text string) (found int) {
	for from := 0; ; found++ {
		got, ok := s.next(text, from)
		want, wantOK := slowNext(s, text, from)
		if got != want || ok != wantOK {
			t.Fatalf("%q from %d: %v %v, want %v %v", text, from, got, ok, want, wantOK)
		}
		if !ok {
			return found
		}
		from = max(got.end, from+1)
	}
}

// Whatever a key is made of, the fast way says what the slow way does.
func TestNamesAreAllFound(t *testing.T) {
	t.Parallel()
	names := []string{"", "_", "-", "a", "z", "é", "\x80", "0", "at", "url", "count", "my", "Id", "PWD", "_x_session", "pass", "auth", "pin", "cvc2", "connect.sid", ".AspNetCore.Session", "IBAN"}
	for _, parts := range secretParts {
		names = append(names, parts...)
	}
	secrets := 0
	rapid.Check(t, func(t *rapid.T) {
		key := strings.Join(rapid.SliceOfN(rapid.SampledFrom(names), 0, 5).Draw(t, "key"), rapid.SampledFrom([]string{"", "_", "-"}).Draw(t, "sign"))
		if rapid.Bool().Draw(t, "upper") {
			key = strings.ToUpper(key)
		}
		for _, rules := range []*Rules{{usual: true}, {usual: true, names: []name{newName("my*")}, keep: []name{newName("*url")}}, {names: []name{newName("*id")}}} {
			got, want := rules.of(key), slowOf(rules, key)
			if got != want {
				t.Fatalf("%q is %d, want %d", key, got, want)
			}
			secrets += int(got)
		}
	})
	if secrets == 0 {
		t.Error("no key is secret: nothing is compared")
	}
}

// A matcher finds words wherever they are, also inside of each other, whatever is between their letters.
func TestMatcher(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.StringMatching("[a-c2]{2,5}"), 1, 6).Draw(t, "words")
		m := newMatcher(words)
		text := rapid.StringMatching("[a-cA-C2_.1]{0,12}").Draw(t, "text")
		name := string(plainName(nil, text))
		want := slices.ContainsFunc(words, func(word string) bool { return strings.Contains(name, word) })
		if got := m.after(text) == matched; got != want {
			t.Fatalf("%q in %q: %t, want %t", words, text, got, want)
		}
	})
}
