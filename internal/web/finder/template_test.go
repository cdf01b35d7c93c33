package finder

import (
	"testing"

	"sett/internal/sett/accounts"
	"sett/internal/setttest/markup"
	"sett/internal/web"
)

func TestEveryTemplateIsDrawn(t *testing.T) {
	t.Parallel()
	full := web.Shell{Title: "Search", User: accounts.User{ID: 1, Email: "a@b.test", Name: "Ann"}, Here: "/search"}
	full.Nav = accounts.Navigation{Project: accounts.NamedProject{ID: 1, Name: "Shop"}}
	markup.RenderAll(t, Area, map[string][]web.Page{
		"search": {searchPage{}, searchPage{full, "x", 1, groupsOf([]link{{"Error", "<b>", "too heavy", "/projects/1/faults/2", "Shop"}, {Kind: placesGroup, Name: "Home", Path: "/"}})}},
	})
}
