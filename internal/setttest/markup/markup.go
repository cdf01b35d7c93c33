// Package markup checks HTML in tests. It fails a test for elements that are not closed, code or style inside of the page, duplicate ids,
// fields without a label, and forms that lead nowhere. It looks at no style and runs no script: what only a browser can tell is tested in
// e2e.
package markup

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// void are the elements that have no end.
var void = []string{"area", "br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"}

// page is what is known of a page while it is read.
type page struct {
	t     testing.TB
	what  string
	open  []string
	ids   map[string]bool
	fors  []string // ids that labels and descriptions name
	named map[string]bool
	forms []form
	heads int
	nodes int
}

// form is one that is open or was.
type form struct {
	action string
	button bool
}

// Check fails the test where a page is not as every page must be. It returns how many elements the page has.
func Check(t testing.TB, what, body string) (elements int) {
	t.Helper()
	p := &page{t: t, what: what, ids: map[string]bool{}, named: map[string]bool{}}
	z := html.NewTokenizer(strings.NewReader(body))
	for {
		switch kind := z.Next(); kind {
		case html.ErrorToken:
			if !errors.Is(z.Err(), io.EOF) {
				t.Errorf("%s: %v", what, z.Err())
			}
			p.finish()
			return p.nodes
		case html.StartTagToken, html.SelfClosingTagToken:
			token := z.Token()
			if token.Data == "noscript" { // what is in it is markup for who has no scripts
				z.NextIsNotRawText()
			}
			p.start(token, kind == html.SelfClosingTagToken)
		case html.EndTagToken:
			p.end(z.Token().Data)
		}
	}
}

func (p *page) fail(format string, args ...any) {
	p.t.Helper()
	p.t.Errorf(p.what+": "+format, args...)
}

func (p *page) start(e html.Token, closed bool) {
	p.nodes++
	if !closed && !slices.Contains(void, e.Data) {
		p.open = append(p.open, e.Data)
	}
	at := map[string]string{}
	for _, a := range e.Attr {
		if _, twice := at[a.Key]; twice {
			p.fail("<%s> has %s twice", e.Data, a.Key)
		}
		at[a.Key] = a.Val
		p.attribute(e.Data, a)
	}
	p.element(e.Data, at)
}

func (p *page) attribute(element string, a html.Attribute) {
	switch {
	case a.Key == "style" || strings.HasPrefix(a.Key, "on"):
		p.fail("<%s> has %s=%q, which the content policy forbids", element, a.Key, a.Val)
	case a.Key == "id" && p.ids[a.Val]:
		p.fail("the id %q comes twice", a.Val)
	case a.Key == "id":
		p.ids[a.Val] = true
	case a.Key == "for" || a.Key == "popovertarget":
		p.fors = append(p.fors, a.Val)
	case a.Key == "aria-labelledby" || a.Key == "aria-describedby":
		p.fors = append(p.fors, strings.Fields(a.Val)...)
	case strings.Contains(a.Val, "ZgotmplZ"):
		p.fail("<%s>: the template refused the value of %s", element, a.Key)
	case (a.Key == "href" || a.Key == "action" || a.Key == "src") && strings.HasPrefix(strings.ToLower(strings.TrimSpace(a.Val)), "javascript:"):
		p.fail("<%s> has a script in %s", element, a.Key)
	}
	if a.Key == "for" {
		p.named[a.Val] = true
	}
}

func (p *page) element(name string, at map[string]string) {
	switch name {
	case "style":
		p.fail("the page has a style of its own")
	case "script":
		if at["src"] == "" {
			p.fail("the page has a script of its own")
		}
	case "h1":
		p.heads++
	case "form":
		p.forms = append(p.forms, form{action: at["action"]})
	case "button":
		if len(p.forms) > 0 && slices.Contains(p.open, "form") && at["popovertarget"] == "" {
			p.forms[len(p.forms)-1].button = true
		}
	case "input", "select", "textarea":
		p.field(name, at)
	case "img":
		if _, ok := at["alt"]; !ok {
			p.fail("an image has no text")
		}
	}
}

// field checks that a field of a form has a label: one around it, one that names it, or one of its own. Labels stand before
// what they name.
func (p *page) field(name string, at map[string]string) {
	if at["type"] == "hidden" || at["type"] == "submit" {
		return
	}
	if at["aria-label"] == "" && at["aria-labelledby"] == "" && !slices.Contains(p.open, "label") && !p.named[at["id"]] {
		p.fail("<%s name=%q> has no label", name, at["name"])
	}
}

func (p *page) end(name string) {
	if slices.Contains(void, name) {
		return
	}
	if n := len(p.open); n == 0 || p.open[n-1] != name {
		p.fail("</%s> closes nothing: open are %v", name, p.open)
		return
	}
	p.open = p.open[:len(p.open)-1]
}

func (p *page) finish() {
	if len(p.open) > 0 {
		p.fail("not closed: %v", p.open)
	}
	if p.heads != 1 {
		p.fail("the page has %d headings of the first order", p.heads)
	}
	for _, id := range p.fors {
		if !p.ids[id] {
			p.fail("something names the id %q, which no element has", id)
		}
	}
	for _, f := range p.forms {
		if !strings.HasPrefix(f.action, "/") || !f.button {
			p.fail("a form leads to %q, with a button: %t", f.action, f.button)
		}
	}
}
