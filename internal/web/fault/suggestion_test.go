package fault_test

import (
	"encoding/json"
	"slices"
	"testing"
)

func TestSuggestionsOfSearchBox(t *testing.T) {
	t.Parallel()
	o := open(t)
	o.report(plain("Boom"))
	o.member.Get(o.list()).Want(200, `data-suggest="`+o.list()+`/suggestions"`)
	for q, want := range map[string][]string{"env": {"environment:"}, "-class%3AB": {"-class:Boom"}, "is%3Aopen+x": {}, "https%3A//": {}} {
		var got []string
		page := o.member.Get(o.list() + "/suggestions?q=" + q).Want(200)
		if err := json.Unmarshal([]byte(page.Body), &got); err != nil || got == nil || !slices.Equal(got, want) {
			t.Errorf("%s: %s, want %q", q, page.Body, want)
		}
	}
	o.outsider.Get(o.list() + "/suggestions?q=env").Want(404)
	o.anonymous.Get(o.list() + "/suggestions?q=env").Want(303)
}
