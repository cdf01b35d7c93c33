package payload

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestFacetLine(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 300)
	for _, c := range []struct{ key, value, want string }{
		{"hostname", "Web-1", "hostname=web-1"},
		{"context.user.email", "Ada@Example.TEST", "context.user.email=ada@example.test"},
		{"params.q", "two\nlines\tand a tab", "params.q=two lines and a tab"},
		{"params.q", "a=b", "params.q=a=b"},
		{"params.q", "", "params.q="},
		{"context.Ключ", "ЗНАЧЕНИЕ\u0085", "context.ключ=значение "},
		{"params.q", long, "params.q=" + long[:MaxFacetText]},
		{"params.q", long[:MaxFacetText-1] + "é", "params.q=" + long[:MaxFacetText-1]},
		{"params.q", "\xff", "params.q=\uFFFD"},
		{"file", "[PROJECT_ROOT]/app/Order.rb", "file=app/order.rb"},
		{"file", "[project_root]/app/order.rb", "file=app/order.rb"},
		{"file", "/srv/app/order.rb", "file=/srv/app/order.rb"},
	} {
		if got := FacetLine(c.key, c.value); got != c.want {
			t.Errorf("FacetLine(%q, %q) = %q, want %q", c.key, c.value, got, c.want)
		}
	}
}

// What a search finds must not depend on how often a text went through the rule, nor on what it is made of.
// Eight bytes at a time must fold what one at a time folds, at every place in a word.
func TestFacetLineFoldsEveryByte(t *testing.T) {
	t.Parallel()
	for c := range byte(utf8.RuneSelf) {
		want := strings.ToLower(string(rune(c)))
		if c < ' ' || c == 0x7f {
			want = " "
		}
		for i := range 20 {
			before, after := strings.Repeat("[z@", 7)[:i], strings.Repeat("`a{", 7)[i:]
			if got := FacetLine("k", before+string(rune(c))+after); got != "k="+before+want+after {
				t.Fatalf("byte %#x at %d became %q", c, i, got)
			}
		}
	}
}

func TestFacetLineProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		value := string(rapid.SliceOfN(rapid.Byte(), 0, 600).Draw(t, "value"))
		if rapid.Bool().Draw(t, "text") {
			value = rapid.String().Draw(t, "text value")
		}
		line := FacetLine("context.key", value)
		folded, ok := strings.CutPrefix(line, "context.key=")
		if !ok || FacetLine("context.key", folded) != line {
			t.Errorf("FacetLine(%q) = %q, which is spelled differently again", value, line)
		}
		if len(folded) > MaxFacetText || !utf8.ValidString(folded) || strings.ContainsAny(folded, "\n\x00") {
			t.Errorf("FacetLine(%q) = %q", value, line)
		}
		upper, lower := strings.ToUpper(value), strings.ToLower(value)
		if strings.ToLower(upper) == lower && len(upper) == len(value) && FacetLine("context.key", upper) != line {
			t.Errorf("the case of %q matters: %q", value, line)
		}
	})
}
