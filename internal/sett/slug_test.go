package sett

import (
	"strings"
	"testing"
)

func TestSlug(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"Shop": "shop", " Acme & Sons, Ltd.": "acme-sons-ltd", "Käse 2": "käse-2", "--": "", "a--b": "a-b",
	} {
		if got := Slug(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

func TestFindNamed(t *testing.T) {
	t.Parallel()
	all := []Named{{"1", "Shop"}, {"2", "shop"}, {"3", "1"}, {"4", "Two Words"}, {"5", "two words"}, {"6", "Acme Web"}, {"7", "!"}}
	for asked, want := range map[string]int{"1": 0, "Shop": 0, "shop": 1, "acme-web": 5, "ACME WEB": 5, "Two Words": 3, "!": 6} {
		if got, err := FindNamed("Project", asked, all); got != want || err != nil {
			t.Errorf("%q: %d, want %d; %v", asked, got, want, err)
		}
	}
	for asked, want := range map[string]string{
		"two-words": `More than one project is called "two-words". Use its id instead, such as 4.`,
		"x":         `Project "x" not found.`, "": "not found", "?": "not found",
	} {
		if _, err := FindNamed("Project", asked, all); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", asked, err)
		}
	}
}
