package triage

import (
	"strings"
	"testing"

	"sett/internal/payload"
)

func TestBrowserOf(t *testing.T) {
	t.Parallel()
	const webKit = "Mozilla/5.0 (X) AppleWebKit/537.36 (KHTML, like Gecko) "
	for agent, want := range map[string]string{
		webKit + "Chrome/126.0.0.0 Safari/537.36":                                                   "Chrome",
		webKit + "Chrome/126.0.0.0 Mobile Safari/537.36":                                            "Chrome",
		webKit + "Chrome/126.0.0.0 Safari/537.36 Edg/126.0.0.0":                                     "Edge",
		webKit + "Chrome/126.0.0.0 Safari/537.36 OPR/112.0.0.0":                                     "Opera",
		"Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0":                    "Firefox",
		"Mozilla/5.0 (Mac) AppleWebKit/605.1.15 (KHTML) Version/17.4 Safari/605.1.15":               "Safari",
		"Mozilla/5.0 (iPhone) AppleWebKit/605.1.15 (KHTML) Version/17.4 Mobile/15E148 Safari/604.1": "Safari",
		"Mozilla/5.0 (iPhone) AppleWebKit/605.1.15 (KHTML) FxiOS/127 Mobile/15E148 Safari/605.1.15": "Firefox on iOS",
		"Mozilla/5.0 (iPhone) AppleWebKit/605.1.15 (KHTML) CriOS/126 Mobile/15E148 Safari/604.1":    "Chrome on iOS",
		"python-requests/2.31": "python-requests", "curl/8.5": "curl",
		"Mozilla/5.0 (something else)": "", "no product": "", "": "", "/1": "", "two words/1": "", "*/1": "",
	} {
		b, ok := BrowserOf(agent)
		if ok != (want != "") || ok && (b.Name != want || BrowserBy(b.Pattern).Name != want) {
			t.Errorf("%q is %+v, %t, want %q", agent, b, ok, want)
		}
		for _, other := range browsers { // a search by the family finds its own and no other
			if finds := payload.MatchesPattern(strings.ToLower(agent), other.Pattern); finds != (ok && b.Name == other.Name) {
				t.Errorf("%q: the pattern of %s finds it: %t", agent, other.Name, finds)
			}
		}
	}
}
