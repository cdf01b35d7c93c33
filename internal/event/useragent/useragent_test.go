package useragent

import (
	"strings"
	"testing"

	"sett/internal/event/query"
)

func TestParse(t *testing.T) {
	t.Parallel()
	const webKit = "AppleWebKit/537.36 (KHTML, like Gecko) "
	for agent, want := range map[string][2]string{
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) " + webKit + "Chrome/131.0.0.0 Safari/537.36 Edg/131.0.2903.51":                             {"Edge on Windows", "Edge 131 on Windows"},
		"Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) " + webKit + "Chrome/130.0.0.0 Safari/537.36":                                                {"Chrome on ChromeOS", "Chrome 130 on ChromeOS"},
		"Mozilla/5.0 (Linux; Android 14; Pixel 8) " + webKit + "Chrome/130.0.0.0 Mobile Safari/537.36":                                         {"Chrome on Android", "Chrome 130 on Android 14"},
		"Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) FxiOS/127 Mobile/15E148 Safari/605.1": {"Firefox on iPhone", "Firefox 127 on iPhone (iOS 17)"},
		"Mozilla/5.0 (iPad; CPU OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1":       {"Safari on iPad", "Safari 18 on iPad (iOS 18)"},
		"Mozilla/5.0 (iPhone) Safari/604.1":                                                                                     {"Safari on iPhone", "Safari on iPhone"},
		"Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0":                                                {"Firefox on Linux", "Firefox 132 on Linux"},
		"mozilla/5.0 (macintosh; intel mac os x 10_15_7) applewebkit/605.1.15 (khtml, like gecko) version/18.1 safari/605.1.15": {"Safari on macOS", "Safari 18 on macOS"}, // as searches have it
		"curl/8.5.0": {"curl", "curl 8"}, "python-requests/2.31": {}, "": {}, "\xff\x00": {}, "Android": {"A browser on Android", "A browser on Android"}, strings.Repeat("Chrome/", 100_000): {"Chrome", "Chrome"},
	} {
		c := Parse(agent)
		if got := [2]string{c.Device(), c.String()}; got != want {
			t.Errorf("%.80q: %q, want %q", agent, got, want)
		}
	}
}

func TestFamilyOf(t *testing.T) {
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
		f, ok := FamilyOf(agent)
		if ok != (want != "") || ok && (f.Name != want || FamilyBy(f.Pattern).Name != want) {
			t.Errorf("%q is %+v, %t, want %q", agent, f, ok, want)
		}
		for _, other := range browsers { // a search by the family finds its own and no other
			if finds := query.MatchesPattern(strings.ToLower(agent), other.pattern); other.pattern != "" && finds != (ok && f == other.asFamily()) {
				t.Errorf("%q: the pattern of %s finds it: %t", agent, other.name, finds)
			}
		}
		if name := Parse(agent).Browser; name != "" && !strings.HasPrefix(f.Name, name) {
			t.Errorf("%q is of the family %s, and of the browser %s", agent, f.Name, name)
		}
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	for agent, want := range map[string][3]string{
		"Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1": {"Safari", "iOS", "iPhone"},
		"Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0":                                                                  {"Firefox", "Linux", ""},
		"python-requests/2.31": {"python-requests", "", ""},
		"Mozilla/5.0":          {"", "", ""},
	} {
		browser, system, device := Names(agent)
		if got := [3]string{browser, system, device}; got != want {
			t.Errorf("%s: %q, want %q", agent, got, want)
		}
	}
	if Spell("ios") != "iOS" || Spell("chrome") != "Chrome" || Spell("Own") != "Own" {
		t.Error("names are spelled wrongly")
	}
}
