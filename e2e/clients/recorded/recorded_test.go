package recorded

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPlaysAreReadAndMissed(t *testing.T) {
	t.Parallel()
	p, err := parse("program: hb 1\nauth: basic\ncommands: a list, a get\nobject: a id name\n\na list\n  # all\n  POST /v2/a {\"b\": 1}\n    200 As n=results.0.id links.self\na show\n")
	if err != nil {
		t.Fatal(err)
	}
	want := Program{
		Name: "hb 1", Auth: "basic", Commands: []string{"a list", "a get"}, Objects: map[string][]string{"a": {"id", "name"}},
		Plays: []Play{
			{Command: "a list", Calls: []Call{{
				Line: 8, Method: "POST", Path: "/v2/a", Body: `{"b": 1}`, Status: 200, Reads: "As",
				Has: []string{"results.0.id", "links.self"}, Keeps: map[string]string{"n": "results.0.id"},
			}}},
			{Command: "a show"},
		},
	}
	if diff := cmp.Diff(want, p); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if diff := cmp.Diff([]string{"a get has no request", "a show is no command of hb 1"}, p.Differences()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for _, wrong := range []string{"   GET /\n", "a\n    200 x\n", "a\n  GET\n", "a\n  GET /\n    x\n"} {
		if _, err := parse(wrong); err == nil {
			t.Errorf("%q is taken", wrong)
		}
	}
}
