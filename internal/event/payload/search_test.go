package payload

import (
	"slices"
	"strings"
	"testing"
	"time"

	"sett/internal/event/query"
)

func mustSearch(t *testing.T, q string) query.Search {
	t.Helper()
	s, problem := query.Parse(q, time.Unix(1_800_000_000, 0))
	if problem != "" {
		t.Fatal(problem)
	}
	return s
}

// What a search says of a whole notice is what it says, however much of it is indexed.
func TestSearchesReadPayloads(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", MaxFacetText)
	body := []byte(`{"error":{"backtrace":[{"file":"/usr/lib/x.rb"},{"file":"[PROJECT_ROOT]/App/a.rb"},{"file":"[project_root]/b.rb","context":"app"}]},
		"server":{"hostname":" Web-1 ","version":"abc"},
		"request":{"url":"https://ada:pw@shop.test:81/cart?token=t","cgi_data":{"HTTP_HOST":"inner","REQUEST_METHOD":"GET","HTTP_USER_AGENT":"UA","QUERY_STRING":"a=1"},
			"context":{"plan":"Gold","n":1.50,"ok":true,"none":null,"empty":"","list":["a",{"b":["c"]}],"password":"x","long":"` + long + `end"},
			"params":["p"],"session":"s"}}`)
	for q, want := range map[string]bool{
		"":                                      true,
		"context.plan:gold":                     true,
		"-context.plan:gold":                    false,
		"context.plan:silver":                   false,
		"-context.plan:silver":                  true,
		"-context.plan:*ol*":                    false,
		"context.plan:g*l":                      false,
		"context.plan:g*d":                      true,
		"context.n:1.50":                        true,
		"-context.ok:true":                      false,
		"context.none:":                         true,
		"-context.none:":                        false,
		"context.empty:":                        true,
		"context.plan:":                         false,
		"-context.plan:":                        true,
		"-context.list:a":                       false,
		"-context.list.b:c":                     false,
		"-context.password:x":                   false,
		"-params.value:p":                       false,
		"-session.value:s":                      false,
		"context.long:" + long + "end":          true,
		"context.long:" + long + "and":          false,
		"context.long:*end":                     true,
		"context.long:*and":                     false,
		"-hostname:web-1":                       false,
		"-revision:abc":                         false,
		"-file:b.rb":                            false,
		"-file:a.rb":                            true, // a client that marks frames has marked another
		"-file:x.rb":                            true,
		"-request.method:get":                   false,
		"-request.user_agent:ua":                false,
		"-request.query_string:a=1":             false,
		"-request.host:shop.test":               false,
		"-request.host:shop.test:81":            false,
		"-request.host:inner":                   true,
		"request.url:https://shop.test:81/cart": true, // as it is indexed, without the secret
		"-request.url:*token=t":                 false,
		"context.plan:gold -hostname:web-1":     false,
		"context.plan:gold -hostname:web-2":     true,
		"context.plan:tin context.plan:gold":    true,
		"class:Whatever":                        true, // about the error
	} {
		if got, err := Matches(mustSearch(t, q), Body{JSON: body}, "session.login"); got != want || err != nil {
			t.Errorf("%q: %v, %v", q, got, err)
		}
	}
	if _, err := Matches(mustSearch(t, "-context.plan:gold"), Body{JSON: []byte("[]")}, ""); err == nil {
		t.Error("a body that is no object was read")
	}
}

// A user is found by id, email address and name, wherever the clients and the project say so.
func TestSearchesForUsers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		request, field string
		found          []string
	}{
		{`{}`, "", nil},
		{`{"context":{"user_id":7,"user_email":"Ada@B.test","user_name":"Ada L."}}`, "", []string{"7", "ada@b.test", "Ada L."}},
		{`{"context":{"user":{"id":"x-7","email":"a@b.test","name":"Ada","username":"ada7","plan":"gold"}}}`, "", []string{"x-7", "a@b.test", "ada", "ADA7"}},
		{`{"context":{"userId":7,"userEmail":"a@b.test","userName":" Ada ","user":"whole"}}`, "", []string{"7", "a@b.test", "Ada", "whole"}},
		{`{"context":{"username":"ada"},"session":{"user_id":8},"params":{"user":{"id":9}}}`, "", []string{"ada"}},
		{`{"context":{"user_id":null,"user_email":"","user_name":" "}}`, "", nil},
		{`{"context":{"user_id":7,"account":{"owner":"Olga"}}}`, "account.owner", []string{"7", "olga"}},
		{`{"context":{"user_id":7},"session":{"login":{"name":"Olga"}}}`, "session.login.name", []string{"7", "olga"}},
		{`{"context":{"user_id":7},"session":{"login":{"name":"Olga"}}}`, "session.login", []string{"7"}},
	} {
		body := Body{JSON: []byte(`{"error":{},"request":` + c.request + `}`)}
		for _, q := range []string{"7", "x-7", "8", "9", "ada", "ADA7", "Ada L.", "ada@b.test", "a@b.test", "whole", "gold", "olga", ""} {
			has := q == "" && len(c.found) == 0 || slices.ContainsFunc(c.found, func(s string) bool { return strings.EqualFold(s, q) })
			for search, want := range map[string]bool{`user:"` + q + `"`: has, `-user:"` + q + `"`: !has} {
				if got, err := Matches(mustSearch(t, search), body, c.field); got != want || err != nil {
					t.Errorf("%s in %s: %v, %v", search, c.request, got, err)
				}
			}
		}
		if got, err := Matches(mustSearch(t, "user:*a*@*.test"), body, c.field); got != strings.Contains(c.request, "@") || err != nil {
			t.Errorf("%s: %v, %v", c.request, got, err)
		}
	}
}

func TestSearchesForRevisions(t *testing.T) {
	t.Parallel()
	body := Body{JSON: []byte(`{"error":{},"server":{"revision":"4F2A9C1e7b0d"}}`)}
	for q, want := range map[string]bool{
		"revision:4f2a9c1e7b0d": true, "revision:4f2a9c1": true, "revision:4F2A9C1E": true, "-revision:4f2a9c1": false, "revision:4f2a9c": false, "revision:4f2a9c*": true,
		"revision:4f2a9c2": false, "revision:f2a9c1e": false, "revision:*9c1e7b": false, "revision:*7b0d": true, "revision:4f2a9c1e7b0d0": false, "revision:": false,
	} {
		if got, err := Matches(mustSearch(t, q), body, ""); got != want || err != nil {
			t.Errorf("%s: %v, %v", q, got, err)
		}
	}
}

// Only terms that cannot find too many are believed from the index alone.
func TestSearchesThatNeedPayloads(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", MaxFacetText)
	for q, want := range map[string]bool{
		"":                           false,
		"-class:A -environment:b":    false,
		"context.plan:gold":          false,
		"context.plan:gold*":         false,
		"file:a.rb":                  false,
		"-occurred:today":            false,
		"-context.plan:gold":         true,
		"context.plan:":              true,
		"file:":                      true,
		"context.plan:*gold":         true,
		"context.plan:" + long:       true,
		"context." + long + ":a":     true,
		"-hostname:web-1":            true,
		"class:A -file:a.rb":         true,
		"session.a:b request.url:*":  false,
		"user:ada":                   false,
		"-user:ada":                  true,
		"user:":                      true,
		"revision:4f2a9c1":           false,
		"revision:*9c1e7b":           true,
		"file:" + long:               true,
		"context.plan:" + long + "*": true,
	} {
		if got := NeedsBody(mustSearch(t, q)); got != want {
			t.Errorf("%.40q: %v", q, got)
		}
	}
}
