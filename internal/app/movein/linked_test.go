package movein_test

import (
	"testing"

	"sett/internal/setttest"
)

// The comment of an error that came has the links to trackers, and nothing that is no address.
func TestLinksToTrackersCome(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	o := old(t, s.Clock.Now(), sentEvents(t)[:1])
	o.Projects[0].Issues[0].Annotations = []any{
		map[string]any{"displayName": "SHOP-[12]", "url": "https://tracker.example.org/SHOP-12"},
		map[string]any{"displayName": "X", "url": "javascript:alert(1)"},
		`<a href="https://tracker.example.org/old">OLD</a>`,
		map[string]any{"displayName": "", "url": "https://tracker.example.org/2"},
		7,
	}
	run(t, options(t, s, o))
	const want = ` Linked there: [SHOP-(12)](https://tracker.example.org/SHOP-12), [https://tracker.example.org/2](https://tracker.example.org/2).%`
	if n := row(t, s, `SELECT count(*) FROM comments WHERE body LIKE '%by then.`+want+`'`); n != 1 {
		t.Errorf("%d comments have the links", n)
	}
}
