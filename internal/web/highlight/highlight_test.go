package highlight

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// still is a clock that does not move.
func still() time.Time { return time.Unix(0, 0) }

// marked writes the kinds of a line into it.
func marked(line []Piece) (text string) {
	for _, p := range line {
		if p.Kind == Plain {
			text += p.Text
		} else {
			text += fmt.Sprintf("<%s %s>", p.Kind, p.Text)
		}
	}
	return text
}

func TestLanguages(t *testing.T) {
	t.Parallel()
	for file, c := range map[string][2]string{
		"app/order.rb":      {`  raise "no" if x == 12 # why`, `<hk raise> <hs "no"> <hk if> x == <hn 12> <hc # why>`},
		"a.py":              {"def pay(x): return 'a' + 1", "<hk def> <hf pay>(x): <hk return> <hs 'a'> + <hn 1>"},
		"a.JS":              {"const a = `b` // c", "<hk const> a = <hs `b`> <hc // c>"},
		"a.ts":              {"return null", "<hk return> <hk null>"},
		"a/b.go":            {"func main() { return }", "<hk func> <hf main>() { <hk return> }"},
		"A.java":            {"public int a = 1;", "<hk public> <hk int> a"},
		"index.php":         {`return "a"; // b`, `<hk return> <hs "a">; <hc // b>`},
		"lib/a.ex":          {"def a, do: :ok", "<hk def>"},
		"a.kt":              {"val a = 1", "<hk val>"},
		"a.cs":              {"return 1;", "<hk return> <hn 1>;"},
		"a.rs":              {"let a = 1;", "<hk let>"},
		"a.unknown":         {"return 1", ""},
		"Makefile":          {"return 1", ""},
		"https://x/a.js?v=": {"return 1", ""},
	} {
		lines := (&Highlighter{Now: still}).Page().Lines(file, []string{"", c[0]})
		if c[1] == "" {
			if lines != nil {
				t.Errorf("%s: %v", file, lines)
			}
			continue
		}
		if len(lines) != 2 || !strings.HasPrefix(strings.TrimLeft(marked(lines[1]), " "), c[1]) {
			t.Errorf("%s: %q is %q, want %q", file, c[0], lines, c[1])
		}
	}
}

// hostile are lines that want to be slow, or to be something else.
func hostile() []string {
	return []string{
		strings.Repeat("(", 300), strings.Repeat(`"`, 299), strings.Repeat("/*", 150), strings.Repeat(`\`, 300), strings.Repeat("<<A\n", 3), "\x00\xff\xfe",
		strings.Repeat("a ", 150), strings.Repeat("${", 150), "<script>alert(1)</script>", strings.Repeat("#{", 150), strings.Repeat("é", 300), "%w[" + strings.Repeat("(", 290), "\r\n\r",
	}
}

// Whatever lines are, their text stays as it is.
func TestTextIsNotChanged(t *testing.T) {
	t.Parallel()
	for ending := range lexerOf {
		for _, text := range hostile() {
			lines := strings.Split(text, "\n")
			for n, got := range (&Highlighter{Now: still}).Page().Lines("a"+ending, lines) {
				var whole string
				for _, p := range got {
					whole += p.Text
				}
				if whole != lines[n] {
					t.Errorf("%s: %q becomes %q", ending, lines[n], whole)
				}
			}
		}
	}
}

// A page that has used up its time stays plain from there on, and one with too many pieces too; what is remembered costs no time.
func TestBoundsOfAPage(t *testing.T) {
	t.Parallel()
	now, step := time.Unix(0, 0), time.Duration(0)
	h := &Highlighter{Now: func() time.Time { now = now.Add(step); return now }}
	if h.Page().Lines("a.go", []string{"return 1"}) == nil {
		t.Error("a line stays plain")
	}
	step = mostTime
	page := h.Page()
	if page.Lines("a.go", []string{"return 2"}) != nil {
		t.Error("a line is read after the time of the page")
	}
	if page.Lines("a.go", []string{"return 1"}) == nil {
		t.Error("a line that is remembered stays plain")
	}
	step = 0
	page, colored := h.Page(), 0
	for n := range 2 * mostPieces {
		if page.Lines("a.go", []string{fmt.Sprint("return ", n%7)}) != nil {
			colored++
		}
	}
	if colored > mostPieces || colored < mostPieces/3 {
		t.Errorf("%d lines of a page are colored", colored)
	}
	if h.Page().Lines("a.go", slices.Repeat([]string{strings.Repeat("a", 300)}, 40)) != nil {
		t.Error("a very long text is read")
	}
	for n := range 2000 {
		h.Page().Lines("a.go", []string{fmt.Sprint("return ", n, strings.Repeat(" ", 300))})
	}
	if h.bytes > mostKept {
		t.Errorf("%d bytes are remembered", h.bytes)
	}
}

func FuzzLines(f *testing.F) {
	for _, text := range hostile() {
		f.Add(".rb", text)
	}
	f.Fuzz(func(t *testing.T, ending, text string) {
		lines := strings.Split(text, "\n")
		for n, got := range (&Highlighter{Now: still}).Page().Lines("a"+ending, lines) {
			var whole string
			for _, p := range got {
				whole += p.Text
			}
			if whole != lines[n] {
				t.Errorf("%q becomes %q", lines[n], whole)
			}
		}
	})
}

func BenchmarkFrame(b *testing.B) {
	for _, file := range []string{"a.rb", "a.py", "a.js", "a.go", "a.php"} {
		b.Run(file, func(b *testing.B) {
			lines := slices.Repeat([]string{`    total = items.sum(price * quantity)`, `    raise "no items" if empty(items)`, "  end"}, 5)
			for b.Loop() {
				(&Highlighter{Now: still}).Page().Lines(file, lines)
			}
		})
	}
}

// A page reads so many frames, and the next visit the others.
func TestFewFramesAreReadForAPage(t *testing.T) {
	t.Parallel()
	h := &Highlighter{Now: still}
	for visit, want := range []int{mostFresh, 10, 10} {
		page, colored := h.Page(), 0
		for n := range 10 {
			if page.Lines("a.go", []string{fmt.Sprint("return ", n)}) != nil {
				colored++
			}
		}
		if colored != want {
			t.Errorf("visit %d: %d frames are colored, want %d", visit, colored, want)
		}
	}
}
