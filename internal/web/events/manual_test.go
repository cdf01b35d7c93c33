package events_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"sett/internal/setttest"
)

var example = regexp.MustCompile("(?m)^\\| `(.*?[^\\\\])` \\|")

// Every search and query of the manual is read as what it is, and answered.
func TestExamplesOfTheManual(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../docs/events.md")
	if err != nil {
		t.Fatal(err)
	}
	s := setttest.Start(t, "sqlite")
	b := signedIn(t, s)
	report(s, `{"event_type":"order.paid","amount":19.9,"plan":"gold","request_id":"8f2c1e54"}`, `{"event_type":"request","status":503,"duration":250,"path":"/api/orders","user.plan":"gold","text":"timeout: no response"}`)
	for chapter, kind := range map[string]string{"Search": "Read as a search.", "Queries": "Read as a query."} {
		_, rest, _ := strings.Cut(string(text), "\n## "+chapter+"\n")
		rest, _, _ = strings.Cut(rest, "\n## ")
		if chapter == "Queries" {
			rest, _, _ = strings.Cut(rest, "\n| function | does |")
		}
		found := example.FindAllStringSubmatch(rest, -1)
		if len(found) < 5 {
			t.Errorf("%s has %d examples", chapter, len(found))
		}
		for _, m := range found {
			b.Get(asking(s, strings.ReplaceAll(m[1], `\|`, "|"))).Want(200, kind).CheckPage().Lacks("No event in this period matches")
		}
	}
}
