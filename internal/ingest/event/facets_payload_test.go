package event

import (
	"strings"
	"testing"
	"time"

	"sett/internal/event/payload"
	"sett/internal/event/query"
	"sett/internal/sett/faults"
	"sett/internal/setttest/recording"
)

// Whatever is indexed of a notice is found in the whole of it too: the store looks there before it changes what a search finds.
func TestPayloadsHaveWhatIsIndexed(t *testing.T) {
	t.Parallel()
	const searchField = "session.account.login"
	bodies := []string{
		`{"error":{},"request":{"context":{"user":{"id":7,"email":" \u0000Ada@b.test\u0001 ","name":["A","B"],"username":"\u0085"},"userName":"ÄDA","user.email":"c@b.test"},
			"session":{"account":{"login":"\tada?token=1 "}}}}`,
		`{"error":{},"request":{"context":{"user":"ada","user_id":true,"user_email":null},"session":{"account":{"login":"` + strings.Repeat("é", 300) + `"}}}}`,
		`{"error":{"backtrace":[{"file":"[PROJECT_ROOT]/a.rb"},{"file":"[PROJECT_ROOT]/b.rb"},{"file":"/usr/lib/x.rb"}]},"server":{"hostname":" H\u0001 ","version":"V"},
			"request":{"url":"http://u:p@[::1]:81/a?token=1","context":{"a":{"b":[1,{"c":"X\u0000É\u007f"}]},"":"k"},"params":"x","session":[true,1e3],"cgi_data":{"HTTP_X":"1","argv":["a"]}}}`,
		`{"error":{"backtrace":[{"file":"/usr/lib/x.rb"}]},"request":{"url":"/cart?a=1","cgi_data":{"HTTP_HOST":"h.test:81","QUERY_STRING":"q"}}}`,
	}
	project := shop
	project.UserSearchField = searchField
	for _, c := range recording.Notices(t) {
		bodies = append(bodies, string(c.Body))
	}
	seen := 0
	for _, body := range bodies {
		r, err := parse([]byte(body), project, time.Time{}, new(Facets))
		if err != nil {
			continue // a capture of what is refused
		}
		for _, line := range faults.SplitLines(unmarked(r.Facets)) {
			key, value, _ := strings.Cut(line, "=")
			section, path, _ := strings.Cut(key, ".")
			if len(value) > payload.MaxFacetText-4 {
				value += "*"
			}
			seen++
			for _, negated := range []bool{false, true} {
				term := query.Term{Key: query.Key(section), Path: path, Negated: negated, Values: []query.Value{{Text: value}}}
				if got, err := payload.Matches(query.Search{Terms: []query.Term{term}}, payload.Body{JSON: r.Body}, searchField); err != nil || got == negated {
					t.Errorf("negated %v, %q: %v, %v in\n%.400s", negated, line, got, err, body)
				}
			}
		}
	}
	if seen < 100 {
		t.Errorf("only %d facets were looked at", seen)
	}
}
