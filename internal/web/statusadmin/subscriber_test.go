package statusadmin

import (
	"testing"

	"sett/internal/sett/status"
)

func TestChoicesInWords(t *testing.T) {
	t.Parallel()
	var page status.StatusPage
	page.Components = []status.StatusComponent{{ID: 1, DisplayName: "Shop"}, {ID: 2, DisplayName: "Blog"}, {ID: 3, DisplayName: "API"}}
	for want, choice := range map[string]status.ComponentChoice{
		"All": {}, "Shop, API": {Selective: true, ComponentIDs: []int64{3, 1, 9}}, "None": {Selective: true, ComponentIDs: []int64{9}},
	} {
		if got := choiceWords(page, choice); got != want {
			t.Errorf("%+v: %q, want %q", choice, got, want)
		}
	}
}
