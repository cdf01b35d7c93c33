package fault_test

import (
	"strings"
	"testing"
)

func TestSuggestionsOfSearchBox(t *testing.T) {
	t.Parallel()
	o := open(t)
	o.report(plain("Boom"))
	o.member.Get(o.list()).Want(200, `data-suggest="`+o.list()+`/suggestions"`)
	for q, want := range map[string]string{
		"env": `{"typed":"env","texts":[["environment:",""]]}`, "is%3Aopen+-class%3AB": `{"typed":"-class:B","texts":[["-class:Boom",""]]}`, "https%3A//": `{"typed":"https://","texts":[]}`,
	} {
		if got := strings.TrimSpace(o.member.Get(o.list() + "/suggestions?q=" + q).Want(200).Body); got != want {
			t.Errorf("%s: %s, want %s", q, got, want)
		}
	}
	o.outsider.Get(o.list() + "/suggestions?q=env").Want(404)
	o.anonymous.Get(o.list() + "/suggestions?q=env").Want(303)
}
