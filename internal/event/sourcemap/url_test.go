package sourcemap_test

import (
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"sett/internal/event/sourcemap"
)

func TestCleanURL(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		" https://CDN.Example.test/Assets/main.js?v=1#x ": "https://cdn.example.test/Assets/main.js",
		"HTTP://Example.test":                             "http://example.test",
		"http://example.test/":                            "http://example.test/",
		"*/main.jsbundle":                                 "*/main.jsbundle",
		"index.android.bundle?platform=android":           "index.android.bundle",
		"~/Main.js":                                       "~/Main.js",
		"?x":                                              "",
	} {
		if got := sourcemap.CleanURL(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

func TestPatternsMatch(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pattern, url string
		want         bool
	}{
		{"https://a.test/main.js", "https://a.test/main.js", true},
		{"https://a.test/main.js", "https://a.test/main.js2", false},
		{"~/main.js", "https://a.test/main.js", true},
		{"~/main.js", "https://a.test:8080/main.js", true},
		{"~/main.js", "/main.js", true},
		{"~/main.js", "https://a.test/x/main.js", false},
		{"~/main.js", "main.js", false},
		{"~/*/main.js", "https://a.test/x/main.js", true},
		{"*/main.js", "https://a.test/main.js", true},
		{"https://*.a.test/*.js", "https://cdn.a.test/x/y.js", true},
		{"https://*.a.test/*.js", "https://a.test/x/y.js", false},
		{"a*b*c", "abbc", true},
		{"a*bc*c", "abc", false},
		{"*", "", true},
	} {
		if got := sourcemap.Pattern(c.pattern).Matches(c.url); got != c.want {
			t.Errorf("%s matches %s: %t, want %t", c.pattern, c.url, got, c.want)
		}
	}
}

func TestPatternsMatchAsRegularExpressionsDo(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		pattern, text := rapid.StringMatching(`[ab*]{0,8}`).Draw(t, "pattern"), rapid.StringMatching(`[ab]{0,10}`).Draw(t, "text")
		want := regexp.MustCompile("^" + strings.ReplaceAll(pattern, "*", ".*") + "$").MatchString(text)
		if got := sourcemap.Pattern(pattern).Matches(text); got != want {
			t.Fatalf("%s matches %s: %t, want %t", pattern, text, got, want)
		}
	})
}

func TestBestIsTheMostExact(t *testing.T) {
	t.Parallel()
	patterns := []sourcemap.Pattern{"*", "*/main.js", "https://a.test/*", "https://a.test/x/*", "https://a.test/*", "~/x/main.js", "https://a.test/x/main.js"}
	for len(patterns) > 0 {
		best := sourcemap.Best(patterns, "https://a.test/x/main.js")
		want := map[int]int{7: 6, 6: 5, 5: 3, 4: 2, 3: 2, 2: 0, 1: 0}[len(patterns)]
		if best != want {
			t.Errorf("of %q, number %d is best, want %d", patterns, best, want)
		}
		patterns = append(patterns[:best:best], patterns[best+1:]...)
	}
	if best := sourcemap.Best([]sourcemap.Pattern{"~/y.js"}, "https://a.test/x/main.js"); best != -1 {
		t.Errorf("number %d matches", best)
	}
}

func TestCheckURLSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"  ":                      "is missing",
		strings.Repeat("a", 2001): "is too long",
		"http://a.test/\xff":      "must be UTF-8",
		"http://a.test/\x00":      "must be UTF-8",
		"******":                  "more than 5 wildcards",
	} {
		if _, err := sourcemap.CheckURL(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20q: %v, want %q", text, err, want)
		}
	}
	if got, err := sourcemap.CheckURL("https://A.test/*.js?x"); got != "https://a.test/*.js" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}

func TestNearest(t *testing.T) {
	t.Parallel()
	urls := []string{"https://b.test/app.js", "https://a.test/lib.js", "https://c.test/main.js", "https://a.test/assets/main.js"}
	if got := sourcemap.Nearest(urls, "https://a.test/main.js"); got != urls[3] {
		t.Errorf("%s is nearest", got)
	}
	if got := sourcemap.Nearest(urls[:2], "https://a.test/main.js"); got != urls[1] {
		t.Errorf("%s is nearest of those with another name", got)
	}
	if got := sourcemap.Nearest(nil, "x"); got != "" {
		t.Errorf("%s is nearest of none", got)
	}
}

func TestBeside(t *testing.T) {
	t.Parallel()
	for _, c := range [][3]string{
		{"https://a.test/assets/main.js", "../src/cart.js", "https://a.test/src/cart.js"},
		{"https://a.test/assets/main.js", "cart.coffee?x", "https://a.test/assets/cart.coffee"},
		{"https://a.test/main.js", "https://B.test/cart.js", "https://b.test/cart.js"},
		{"https://a.test/main.js", "%zz", ""},
		{"%zz", "a.js", ""},
	} {
		if got := sourcemap.Beside(c[0], c[1]); got != c[2] {
			t.Errorf("%s beside %s is %q, want %q", c[1], c[0], got, c[2])
		}
	}
}
