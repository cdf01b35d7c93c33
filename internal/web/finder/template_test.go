package finder

import (
	"testing"

	"sett/internal/sett"
	"sett/internal/setttest/markup"
	"sett/internal/web"
)

func TestEveryTemplateIsDrawn(t *testing.T) {
	t.Parallel()
	full := web.Shell{Title: "Search", User: sett.User{ID: 1, Email: "a@b.test", Name: "Ann"}, Here: "/search"}
	full.Nav = sett.Navigation{Project: sett.NamedProject{ID: 1, Name: "Shop"}}
	markup.RenderAll(t, Area, map[string][]web.Page{
		"search": {searchPage{}, searchPage{full, "x", 1, []link{{"Error", "<b>", "too heavy", "/projects/1/faults/2", "Shop"}, {Kind: "Page", Name: "Home", Path: "/"}}}},
	})
}
