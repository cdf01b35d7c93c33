package sourcemap

import (
	"cmp"
	"net/url"
	"slices"
	"strings"
)

// The largest that the URL of an upload may be.
const (
	LongestURL    = 2000
	MostWildcards = 5
)

// CleanURL returns the URL of a minified file, or a pattern of such URLs, as they are compared: without query and fragment, with scheme and
// host in lower case. It need not be absolute: React Native has names such as "index.android.bundle".
func CleanURL(text string) string {
	text = strings.TrimSpace(text)
	if end := strings.IndexAny(text, "?#"); end >= 0 {
		text = text[:end]
	}
	scheme, rest, ok := strings.Cut(text, "://")
	if !ok {
		return text
	}
	host, path, _ := strings.Cut(rest, "/")
	if path != "" || strings.HasSuffix(rest, "/") {
		path = "/" + path
	}
	return strings.ToLower(scheme) + "://" + strings.ToLower(host) + path
}

// CheckURL returns the URL or pattern of an upload as CleanURL does, or an *Error that says what is wrong with it.
func CheckURL(text string) (string, error) {
	clean := CleanURL(text)
	switch {
	case clean == "":
		return "", errorf("is missing: the URL of the minified file, such as https://example.com/assets/main.js")
	case len(clean) > LongestURL:
		return "", errorf("is too long (maximum is %d characters)", LongestURL)
	case strings.ToValidUTF8(clean, "") != clean || strings.ContainsRune(clean, 0):
		return "", errorf("must be UTF-8")
	case strings.Count(clean, "*") > MostWildcards:
		return "", errorf("has more than %d wildcards; use one * for any number of characters", MostWildcards)
	}
	return clean, nil
}

// AnyHost returns the form of a URL that stands for its path on any host, such as "~/assets/main.js"; "" if it has no path.
func AnyHost(clean string) string {
	if strings.HasPrefix(clean, "/") {
		return "~" + clean
	}
	_, rest, absolute := strings.Cut(clean, "://")
	if _, path, ok := strings.Cut(rest, "/"); absolute && ok {
		return "~/" + path
	}
	return ""
}

// Pattern is the URL of an upload, which may have wildcards (*) and may stand for any host (~/).
type Pattern string

// HasWildcard reports whether the pattern matches more than one path.
func (p Pattern) HasWildcard() bool { return strings.Contains(string(p), "*") }

// Matches reports whether the pattern matches a clean URL.
func (p Pattern) Matches(clean string) bool {
	if strings.HasPrefix(string(p), "~/") {
		clean = AnyHost(clean)
	}
	parts := strings.Split(string(p), "*")
	rest, ok := strings.CutPrefix(clean, parts[0])
	if len(parts) == 1 || !ok {
		return ok && rest == ""
	}
	last := parts[len(parts)-1]
	for _, part := range parts[1 : len(parts)-1] {
		if _, rest, ok = strings.Cut(rest, part); !ok {
			return false
		}
	}
	return strings.HasSuffix(rest, last)
}

// rank orders the patterns that match a URL: the URL itself first, then that of any host, then those with the longest text before the first
// wildcard.
func (p Pattern) rank() int {
	switch before, _, wild := strings.Cut(string(p), "*"); {
	case wild:
		return len(before)
	case strings.HasPrefix(string(p), "~/"):
		return LongestURL + 1
	default:
		return LongestURL + 2
	}
}

// Best returns the index of the pattern that matches a clean URL best; of equal ones, the first. It is -1 if none matches.
func Best(patterns []Pattern, clean string) int {
	best := -1
	for i, p := range patterns {
		if p.Matches(clean) && (best < 0 || p.rank() > patterns[best].rank()) {
			best = i
		}
	}
	return best
}

// Nearest returns the URL that resembles another one most, to say what differs: one with the same file name, else one with the same host.
func Nearest(urls []string, clean string) string {
	if len(urls) == 0 {
		return ""
	}
	return slices.MaxFunc(urls, func(a, b string) int { return cmp.Compare(likeness(a, clean), likeness(b, clean)) })
}

func likeness(a, b string) (n int) {
	if a[strings.LastIndexByte(a, '/')+1:] == b[strings.LastIndexByte(b, '/')+1:] {
		n += 2 * LongestURL
	}
	for n < 3*LongestURL && len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b, n = a[1:], b[1:], n+1
	}
	return n
}

// Beside returns the URL of an original file, as a map names it, seen from the URL of its minified file; "" if it cannot be resolved.
func Beside(minified, source string) string {
	base, err := url.Parse(minified)
	if err != nil {
		return ""
	}
	to, err := base.Parse(source)
	if err != nil {
		return ""
	}
	return CleanURL(to.String())
}
