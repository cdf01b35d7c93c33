package prose

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

var (
	// inline are the elements that stand within a sentence.
	inline = []string{"a", "abbr", "b", "code", "em", "i", "kbd", "strong", "time", "wbr"}
	// foreign are the elements whose text is not ours to write: code, what a user writes, what no one reads.
	foreign = []string{"code", "datalist", "kbd", "pre", "script", "style", "svg", "textarea", "iframe"}
	spoken  = []string{"alt", "aria-label", "placeholder", "title"}
	void    = []string{"br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"}
)

// Check fails the test for what a page says in long sentences or in words of the code.
func Check(t testing.TB, what, body string) {
	t.Helper()
	for _, text := range Texts(body) {
		for _, long := range Long(text) {
			t.Errorf("%s: %s", what, long)
		}
		if names := Names(text); len(names) > 0 {
			t.Errorf("%s: %q is in %q", what, names, text)
		}
	}
}

// reading is what is known of a page while it is read.
type reading struct {
	texts []string
	now   strings.Builder // the text since the last block began
	away  int             // how many elements are open since the first whose text is not ours
}

// Texts returns what a page says in words of ours: the text of each block and the attributes that are read out. Code counts as one word.
func Texts(body string) []string {
	var r reading
	z := html.NewTokenizer(strings.NewReader(body))
	for {
		switch kind := z.Next(); kind {
		case html.ErrorToken:
			r.finish()
			return r.texts
		case html.StartTagToken, html.SelfClosingTagToken:
			r.start(z.Token())
		case html.EndTagToken:
			r.end(z.Token().Data)
		case html.TextToken:
			if r.away == 0 {
				r.now.WriteString(z.Token().Data)
			}
		}
	}
}

func (r *reading) start(e html.Token) {
	if !slices.Contains(inline, e.Data) {
		r.finish()
	}
	if slices.Contains(void, e.Data) {
		return
	}
	switch {
	case r.away > 0:
		r.away++
	case !ours(e):
		r.away = 1
		r.now.WriteString("code")
	}
	if r.away > 0 {
		return
	}
	for _, a := range e.Attr {
		if slices.Contains(spoken, a.Key) {
			r.texts = append(r.texts, a.Val)
		}
	}
}

// ours reports whether the text of an element is written by us and for people. What others wrote has the direction of its own text, values look
// like code, and the manual is an article, which is read where it is written.
func ours(e html.Token) bool {
	return !slices.Contains(foreign, e.Data) && !slices.ContainsFunc(e.Attr, func(a html.Attribute) bool {
		class := strings.Fields(a.Val)
		return a.Key == "dir" && a.Val == "auto" || a.Key == "class" && (slices.Contains(class, "code") || e.Data == "article" && slices.Contains(class, "text"))
	})
}

func (r *reading) end(name string) {
	switch {
	case r.away > 0:
		r.away--
	case !slices.Contains(inline, name):
		r.finish()
	}
}

func (r *reading) finish() {
	if text := strings.Join(strings.Fields(r.now.String()), " "); text != "" {
		r.texts = append(r.texts, text)
	}
	r.now.Reset()
}
