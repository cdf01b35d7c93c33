package query

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestUnknownKeys(t *testing.T) {
	t.Parallel()
	for q, meant := range map[string]string{
		"hosname:web-1":         "hostname:",
		"a -hstname:web-1":      "hostname:",
		`hosname:"web 1"`:       "hostname:",
		`hosname:""`:            "",
		"enviroment:production": "environment:",
		"componnet:orders":      "component:",
		"revison:4f2a9c1":       "revision:",
		"mesage:x":              "message:",
		"clas:KeyError":         "class:",
		"usr:7":                 "",
		"asignee:me":            "assignee:",
		"users:7":               "user:",

		// what other products call them
		"env:production":            "environment:",
		"release-stage:x":           "environment:",
		"host:web-1":                "hostname:",
		"server_name:web-1":         "hostname:",
		"release:1.2":               "revision:",
		"version:1":                 "revision:",
		"user.email:a@b.test":       "user:",
		"user_id:7":                 "user:",
		"user.plan:gold":            "context.user.plan:",
		"user.plan_id:7":            "context.user.plan_id:",
		"tags:billing":              "tag:",
		"status:resolved":           "is:",
		"status:404":                "",
		"host:8080":                 "",
		"exception:KeyError":        "class:",
		"type:KeyError":             "class:",
		"url:/cart":                 "request.url:",
		"http.url:https://a.test/x": "request.url:",
		"severity:fatal":            "level:",
		"trace_id:ab12":             "trace:",
		"tags.plan:gold":            "context.tags.plan:",
		"user-agent:*Firefox*":      "request.user_agent:",
		"comments:yes":              "has:comment",

		// keys with a path, and dates
		"contxt.user:7":         "context.user:",
		"contexts.user-agent:x": "context.user-agent:",
		"contxt.User.Id:7":      "context.User.Id:",
		"sesion.cart:full":      "session.cart:",
		"param.id:7":            "params.id:",
		"requst.url:/cart":      "request.url:",
		"req.url:/cart":         "request.url:",
		"customer.plan:gold":    "context.customer.plan:",
		"customer.id:42":        "context.customer.id:",
		"shop.tenant_no:42":     "context.shop.tenant_no:",
		"created.aftr:today":    "created.after:",
		"created.aftr: today":   "created.after:",
		"occured.before:today":  "occurred.before:",
		"last_occured:today":    "last_occurred:",
		"created_after:today":   "created.after:",
		"created.on:today":      "created.after: or created.before:",
		"occurred.:today":       "occurred:",
		"since:today":           "occurred.after:",
		"last-seen:today":       "last_occurred:",
		"class.x:y":             "class:",
	} {
		s, problem := Parse(q, searchNow)
		switch {
		case meant == "" && problem != "":
			t.Errorf("%s: %s", q, problem)
		case meant == "" && s.Terms[len(s.Terms)-1].Key != Text:
			t.Errorf("%s: %+v", q, s)
		case meant != "" && !strings.Contains(problem, "; did you mean "+meant+"? To search for the text itself, put it in quotes"):
			t.Errorf("%s: %q does not suggest %s", q, problem, meant)
		}
	}
	for q, want := range map[string]string{
		"-hosname:web-1": "has “hosname:web-1”, whose key is not known; did you mean hostname:? To search for the text itself, put it in quotes",
		"request:x":      "has “request:x”, whose key needs the name of a field, such as request.url:value. To search for the text itself, put it in quotes",
		"context.:x":     "has “context.:x”, whose key needs the name of a field, such as context.user_id:value. To search for the text itself, put it in quotes",
		"engine.model:x": "has “engine.model:x”, whose key is not known. Fields of events begin with request., params., context. or session.; did you mean context.engine.model:? To search for the text itself, put it in quotes",
	} {
		if _, problem := Parse(q, searchNow); problem != want {
			t.Errorf("%s: %s", q, problem)
		}
	}
}

// What people paste is text, all of it.
func TestWordsWithColons(t *testing.T) {
	t.Parallel()
	for _, q := range []string{
		"Foo::Bar", "foo::bar", "users::index", "std::bad_alloc", "Errno::ECONNREFUSED:", "TypeError: x is undefined", "TypeError:x", "Hosname:x",
		"https://shop.example.test/cart?id=7", "http://localhost:3000/", "hosts://x", `C:\Users\ann`, `c:\users\ann`, "c:/users/ann", "12:30", "12:30:15",
		"undefined method `total' for nil:NilClass", "localhost:5432", "redis:6379", "db.internal:5432", "shop.example.com:443/cart",
		"orders_controller.rb:12:in", "main.go:33", "app.js:10:5", "file.rb:12", "users.rb:7", "requests.py:33",
		"node:internal/modules/cjs/loader", "dial tcp: lookup db: no such host", "key not found: :total", "pq: duplicate key value",
		"requests.exceptions.ConnectionError: HTTPSConnectionPool", "java.lang.NullPointerException: null", "requests: 3", "users: 3", "hosname:", "contxt.user:",
		"error:0A000086:SSL", "code:ENOENT", "arn:aws:s3:::bucket", "sha256:abc", `{"code":400}`, "id:7", "ip6:x", "foo:bar", "git@github.com:a/b", "nil:", "e.g.:x",
		"größe:x", "ключ:x", "x:", ":x", "::",
	} {
		s, problem := Parse(q, searchNow)
		if problem != "" {
			t.Errorf("%s: %s", q, problem)
		}
		for _, term := range s.Terms {
			if term.Key != Text {
				t.Errorf("%s: %+v", q, term)
			}
		}
	}
}

// A key that is misspelt by one letter is never text.
func TestMisspeltKeys(t *testing.T) {
	t.Parallel()
	long := slices.DeleteFunc(slices.Clone(typable), func(key string) bool { return len(key) < 5 })
	rapid.Check(t, func(t *rapid.T) {
		key := rapid.SampledFrom(long).Draw(t, "key")
		i := rapid.IntRange(1, len(key)-1).Draw(t, "at")
		typed := rapid.SampledFrom([]string{
			key[:i] + key[i+1:], key[:i] + "q" + key[i:], key[:i] + "q" + key[i+1:], key[:i-1] + key[i:i+1] + key[i-1:i] + key[i+1:],
		}).Draw(t, "typed")
		_, problem := Parse(typed+":today", searchNow)
		if known, _, _ := searchKey(typed); known == Text && !strings.Contains(problem, "did you mean ") {
			t.Fatalf("%s: %q", typed, problem)
		}
	})
}

// Suggestions are of the language, and are documented like all keys.
func TestKeysOfSuggestions(t *testing.T) {
	t.Parallel()
	suggested := slices.Concat(slices.Collect(maps.Values(aliases)), slices.Collect(maps.Values(sections)), typable)
	for _, section := range sectionAliases {
		suggested = append(suggested, section+".x")
	}
	for _, key := range suggested {
		known, _, _ := searchKey(key)
		if key != "has:comment" && known == Text {
			t.Errorf("%s is not of the language", key)
		}
	}
	for typed := range aliases {
		if known, _, _ := searchKey(typed); known != Text {
			t.Errorf("%s is a key, and no alias", typed)
		}
	}
	manual, err := os.ReadFile("../../../docs/search.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range typable {
		name, _, _ := strings.Cut(key, ".")
		if !strings.Contains(string(manual), "`"+name+":") {
			t.Errorf("docs/search.md has no `%s:", name)
		}
	}
}
