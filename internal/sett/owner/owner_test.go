package owner

import (
	"strings"
	"testing"

	"sett/internal/sett"
	"sett/internal/sett/repo"
)

func parsed(t *testing.T, text string) Rules {
	t.Helper()
	var p sett.Problems
	r := Parse(&p, "rules", text)
	if len(p) > 0 {
		t.Fatal(p)
	}
	return r
}

// at returns frames in these files.
func at(files ...string) (frames []repo.Frame) {
	for _, file := range files {
		frames = append(frames, repo.Frame{File: file})
	}
	return frames
}

func TestPatternsOfCodeowners(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pattern, file string
		want          bool
	}{
		{"*", "app/models/order.rb", true},
		{"*.js", "web/cart.js", true},
		{"*.js", "web/cart.jsx", false},
		{"/build/logs/", "build/logs/a/b.log", true},
		{"/build/logs/", "build/logs", false},
		{"/build/logs/", "/srv/shop/build/logs/a.log", true}, // the root of the machine is not that of the repository
		{"docs/*", "docs/intro.md", true},
		{"docs/*", "docs/api/intro.md", false},
		{"apps/", "web/apps/cart/index.js", true},
		{"apps/", "web/myapps/cart/index.js", false},
		{"**/logs", "deep/down/logs/x.go", true},
		{"/app/**/cart.rb", "app/a/b/cart.rb", true},
		{"/app/**/cart.rb", "app/cart.rb", true},
		{"app/models", "app/models/order.rb", true},
		{"app/models", "app/models_old/order.rb", false},
		{"/lib/pay?.rb", "lib/pay1.rb", true},
		{"/lib/pay?.rb", "lib/pay/.rb", false},
		{"app/pay.rb", "[PROJECT_ROOT]/app/pay.rb", true},
		{"app/pay.rb", "/PROJECT_ROOT/app/pay.rb", true},
		{"src/cart.ts", "https://shop.example.test/src/cart.ts?v=3", true},
		{"src/cart.ts", `C:\work\shop\src\cart.ts`, true},
		{"a+b(c).rb", "x/a+b(c).rb", true},
		{"app/**.rb", "app/models/pay.rb", true},
		{"app/pay.rb", "lib/../app/pay.rb", true},
		{"[GEM_ROOT]/rack/", "[GEM_ROOT]/rack/a.rb", true}, // no heading of a section
		{"app/pay.rb", "", false},
		{"*", "", false},
	} {
		r := parsed(t, c.pattern+" ines@example.test")
		if _, got := r.Find(at(c.file), ""); got != c.want {
			t.Errorf("%s finds %q: %v, want %v", c.pattern, c.file, got, c.want)
		}
	}
}

func TestTheLastRuleOfTheFirstFileDecides(t *testing.T) {
	t.Parallel()
	r := parsed(t, `
# Everything
*              @everyone
/app/          ada@example.test @backend   # two owners
/app/vendor/
component:Cart* ines@example.test
docs/a\ b.md   b@example.test
[Section of GitLab]
`)
	for _, c := range []struct {
		frames    []repo.Frame
		component string
		line      int
		want      string
	}{
		{at("lib/x.rb"), "", 3, "@everyone"},
		{at("app/x.rb", "lib/x.rb"), "", 4, "ada@example.test @backend"},
		{at("app/vendor/x.rb"), "", 5, ""},
		{at("app/x.rb"), "cartController", 6, "ines@example.test"},
		{nil, "CartController", 6, "ines@example.test"},
		{at("docs/a b.md"), "", 7, "b@example.test"},
	} {
		rule, ok := r.Find(c.frames, c.component)
		if !ok || rule.Line != c.line || strings.Join(rule.Owners, " ") != c.want {
			t.Errorf("%+v %s: rule %+v %v, want line %d", c.frames, c.component, rule, ok, c.line)
		}
	}
	if _, ok := r.Find(nil, "Orders"); ok {
		t.Error("a place without files is found by a pattern of files")
	}
}

func TestMistakesAreNamedByTheirLine(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"app/ ines":                       "line 1",
		"* a@example.test\n!app/ @pay":    "line 2",
		"component: a@example.test":       "no pattern",
		"app/ @":                          "line 1",
		"app/ ines@":                      "line 1",
		strings.Repeat("x", 70_000):       "longer than",
		"a \xff":                          "UTF-8",
		"x" + strings.Repeat(" @a", 11):   "too many owners",
		strings.Repeat("a @pay\n", 501):   "at most 500",
		strings.Repeat("a", 1_001) + " @": "too long",
	} {
		_, err := OwnershipChange{Rules: sett.Some(text)}.Apply(Settings{})
		if sett.CodeOf(err) != sett.Invalid || !strings.Contains(err.Error(), want) {
			t.Errorf("%.30q: %v, want %q", text, err, want)
		}
	}
}

func FuzzRules(f *testing.F) {
	f.Add("*.rb @a\n/app/** b@c.d", "app/x.rb")
	f.Add("component:A*b @x", `C:\a\b`)
	f.Fuzz(func(t *testing.T, text, file string) {
		var p sett.Problems
		r := Parse(&p, "rules", text)
		rule, ok := r.Find(at(file), file)
		if ok && rule.Line < 1 {
			t.Errorf("found %+v", rule)
		}
	})
}
