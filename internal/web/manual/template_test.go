package manual

import (
	"strings"
	"testing"

	"sett/internal/sett/accounts"
	"sett/internal/setttest/markup"
	"sett/internal/web"
)

// everyPage are structs of each template, full and empty.
func everyPage() map[string][]web.Page {
	full := web.Shell{Title: "Title", User: accounts.User{ID: 1, Email: "a@b.test"}, Here: "/"}
	full.Nav.Projects = []accounts.NamedProject{{ID: 1, Name: "Shop"}, {ID: 2, Name: "Blog"}}
	one := chapter{"a", "A", "About.", []part{{"b", "B"}}, "<p>x</p>", true}
	return map[string][]web.Page{
		"manual":         {contentsPage{}, contentsPage{full, []chapter{one, {}}}},
		"manual_chapter": {chapterPage{}, chapterPage{SignIn: "/login"}, chapterPage{full, []chapter{one, {}}, one, &one, full.Nav.Projects[0], ""}},
	}
}

func TestEveryTemplateIsDrawn(t *testing.T) {
	t.Parallel()
	markup.RenderAll(t, Area, everyPage())
}

// below is the frame of a server below a path.
var below = &web.Pages{Options: web.Options{BaseURL: "http://localhost/errors"}}

func TestEveryChapterIsThere(t *testing.T) {
	t.Parallel()
	if got := readChapters(below); len(got) != len(order) {
		t.Errorf("%d chapters of %d can be read", len(got), len(order))
	}
}

func TestLinksKnowWhereTheServerIs(t *testing.T) {
	t.Parallel()
	for _, c := range readChapters(below) {
		if c.Name == "clients" {
			body := string(c.with(examples{Address: `https://a.test"<`, Key: "k"}).Body)
			if want := `href="/errors/docs/compatibility"`; !strings.Contains(body, want) || strings.Contains(body, `a.test"<`) || strings.Contains(body, "SETT_") {
				t.Errorf("the chapter lacks %s, or is filled in badly:\n%s", want, body)
			}
		}
	}
}
