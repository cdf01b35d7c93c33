package event

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/event/payload"
	"sett/internal/sett/faults"
)

func TestFacets(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, body string
		want       []string
	}{
		{"nothing", `{"error":{}}`, []string{}},
		{"server", `{"error":{},"server":{"hostname":"Web-1","revision":"ABC"}}`, []string{"hostname=web-1", "revision=abc"}},
		{
			"files of the application", `{"error":{"backtrace":[{"file":"/usr/lib/x.rb"},{"file":"[PROJECT_ROOT]/a.rb"},{"file":"/b.rb"},{"file":"[PROJECT_ROOT]/a.rb"},{"file":"[PROJECT_ROOT]/c.rb"}]}}`,
			[]string{"file=a.rb", "file=c.rb"},
		},
		{"no file of the application", `{"error":{"backtrace":[{},{"file":"/usr/lib/x.rb"},{"file":"/usr/lib/y.rb"}]}}`, []string{"file=/usr/lib/x.rb"}},
		{
			"nested values", `{"error":{},"request":{"context":{"a":{"b":[1,{"c":"X"},[true]]},"n":null,"e":""},"params":{"p":1.50}}}`,
			[]string{"context.a.b=1", "context.a.b.c=x", "context.a.b=true", "context.e=", "params.p=1.50"},
		},
		{"sections of other types", `{"error":{},"request":{"context":"Text","params":["a"],"session":null}}`, []string{"context.value=text", "params.value=a"}},
		{
			"variables of the request", `{"error":{},"request":{"cgi_data":{"REQUEST_METHOD":"GET","HTTP_USER_AGENT":"UA","HTTP_REFERER":"https://r.test/","REMOTE_ADDR":"192.0.2.1","HTTP_HOST":"h.test:81","argv":["a","b"]}}}`,
			[]string{"request.method=get", "request.user_agent=ua", "request.referer=https://r.test/", "request.remote_addr=192.0.2.1", "request.host=h.test:81", "request.host=h.test", "request.argv=a", "request.argv=b"},
		},
		{
			"the address has the host", `{"error":{},"request":{"url":"https://Ada:pw@shop.test/cart?x=1#top","cgi_data":{"HTTP_HOST":"inner:81"}}}`,
			[]string{"request.url=https://shop.test/cart?x=1#top", "request.host=shop.test"},
		},
		{"an address with a port", `{"error":{},"request":{"url":"http://[::1]:81"}}`, []string{"request.url=http://[::1]:81", "request.host=[::1]:81", "request.host=::1"}},
		{"a path for an address", `{"error":{},"request":{"url":"/cart"}}`, []string{"request.url=/cart"}},
		{
			"secrets", `{"error":{},"request":{"url":"https://shop.test/?page=2&access_token=t",
				"context":{"Password":"p","db_passwd":"p","client_secret":"s","csrfToken":{"x":1},"author":"ok","api_key":"k"},
				"params":{"to":"/login?token=t","from":"/login?page=2"},
				"cgi_data":{"HTTP_COOKIE":"c","HTTP_AUTHORIZATION":"b","QUERY_STRING":"page=2&token=t"}}}`,
			[]string{"request.url=https://shop.test/", "request.host=shop.test", "context.author=ok", "params.to=/login", "params.from=/login?page=2"},
		},
		{
			"the user", `{"error":{},"server":{"hostname":"h"},"request":{"url":"/cart","context":{"plan":"gold","user":{"id":7,"email":"Ada@B.test","name":" ","plan":"x"},"user_id":7,"userName":"ada","user":"ada"},"params":{"user_id":8},"session":{"user":"s"}}}`,
			[]string{
				"hostname=h", "user=7", "request.url=/cart", "context.user.id=7", "context.user.email=ada@b.test", "user=ada@b.test", "context.user.name= ", "context.user.plan=x",
				"context.user_id=7", "user=ada", "context.user=ada", "params.user_id=8", "session.user=s", "context.plan=gold", "context.username=ada",
			},
		},
		{"more users than are indexed", `{"error":{},"request":{"context":{"user":["a","b","c","d","e","f","g","h","i"]}}}`, []string{
			"context.user=a", "user=a", "context.user=b", "user=b", "context.user=c", "user=c", "context.user=d", "user=d", "context.user=e", "user=e",
			"context.user=f", "user=f", "context.user=g", "user=g", "context.user=h", "user=h", "context.user=i",
		}},
		{
			"what the program runs on", `{"error":{"level":"Fatal","handled":false},"details":{"browser":{"name":"Firefox","version":"144"},"os":{"name":"Linux"},"device":{"name":"Ada's phone","family":"Pixel","model":"Pixel 8"}},
				"correlation_context":{"request_id":" AB12 "},"request":{"cgi_data":{"HTTP_USER_AGENT":"curl/8"}}}`,
			[]string{"level=fatal", "handled=false", "trace=ab12", "request.user_agent=curl/8", "browser=firefox", "os=linux", "device=pixel 8"},
		},
		{
			"what the User-Agent names", `{"error":{},"details":{"os":{"name":7}},"request":{"cgi_data":{"HTTP_USER_AGENT":"Mozilla/5.0 (Windows NT 10.0) Gecko/20100101 Firefox/144.0"}}}`,
			[]string{"request.user_agent=mozilla/5.0 (windows nt 10.0) gecko/20100101 firefox/144.0", "browser=firefox", "os=windows"},
		},
		{"a harmless query", `{"error":{},"request":{"cgi_data":{"QUERY_STRING":"page=2"}}}`, []string{"request.query_string=page=2"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			facets := unmarked(mustParse(t, c.body).Facets)
			if diff := cmp.Diff(c.want, faults.SplitLines(facets)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if facets != "" && (!strings.HasPrefix(facets, "\n") || !strings.HasSuffix(facets, "\n")) {
				t.Errorf("facets = %q", facets)
			}
		})
	}
}

// A project's own field names the user, too.
func TestFacetsOfTheUserSearchField(t *testing.T) {
	t.Parallel()
	body := `{"error":{},"request":{"context":{"user_id":7},"session":{"login":"Ada","api_key":"k"}}}`
	for field, want := range map[string][]string{
		"":                {"user=7", "context.user_id=7", "session.login=ada"},
		"session.login":   {"user=ada", "context.user_id=7", "user=7", "session.login=ada"},
		"session.api_key": {"context.user_id=7", "user=7", "session.login=ada"},
	} {
		project := shop
		project.UserSearchField = field
		r, err := parse([]byte(body), project, time.Time{}, new(Facets))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, faults.SplitLines(unmarked(r.Facets))); diff != "" {
			t.Errorf("%q (-want +got):\n%s", field, diff)
		}
	}
}

// What is searched for first must survive a notice that brings too much.
func TestFacetsAreBounded(t *testing.T) {
	t.Parallel()
	var frames, params []string
	for i := range 100 {
		frames = append(frames, fmt.Sprintf(`{"file":"[PROJECT_ROOT]/%s%d.rb"}`, strings.Repeat("d/", 60), i))
		params = append(params, fmt.Sprintf(`"p%d":%q`, i, strings.Repeat("v", 300)))
	}
	deep := `{"error":{"backtrace":[` + strings.Join(frames, ",") + `]},"request":{"context":{"user_id":7,"` + strings.Repeat("k", 300) + `":{"x":1}},"params":{` + strings.Join(params, ",") + `}},"server":{"hostname":"h"}}`
	facets := mustParse(t, deep).Facets
	lines := faults.SplitLines(facets)
	if len(unmarked(facets)) > payload.MaxFacets || len(facets) < payload.MaxFacets-2*payload.MaxFacetText {
		t.Errorf("%d bytes of facets", len(facets))
	}
	files := 0
	for _, line := range lines {
		if strings.HasPrefix(line, "file=") {
			files++
		}
		if strings.Contains(line, "kkk") || len(line) > 2*payload.MaxFacetText+1 {
			t.Errorf("facet %q", line)
		}
	}
	if files != maxFiles || lines[0] != "hostname=h" || !strings.Contains(facets, "\ncontext.user_id=7\n") || !strings.Contains(facets, "\nparams.p0=") {
		t.Errorf("%d files; facets:\n%s", files, facets)
	}
}

// No section may crowd out another, and none the user or what is known of the request.
func TestFacetsShareTheRoom(t *testing.T) {
	t.Parallel()
	fat := func(last string) string {
		var members strings.Builder
		for i := range 100 {
			fmt.Fprintf(&members, `"k%d":%q,`, i, strings.Repeat("v", 250))
		}
		return "{" + members.String() + last + "}"
	}
	facets := mustParse(t, `{"error":{"backtrace":[{"file":"[PROJECT_ROOT]/a.rb"}]},"server":{"hostname":"h"},"request":{
		"cgi_data":`+fat(`"HTTP_USER_AGENT":"Browser","HTTP_LAST":"x"`)+`,"context":`+fat(`"user":{"email":"a@b.test"},"user_id":7,"username":"ada"`)+`,
		"params":`+fat(`"user":"p"`)+`,"session":{"sid":"s","plan":"gold"}}}`).Facets
	for _, want := range []string{
		"hostname=h", "request.user_agent=browser", "context.user.email=a@b.test", "context.user_id=7", "params.user=p",
		"file=a.rb", "request.k0=v", "context.k0=v", "params.k0=v", "session.sid=s", "session.plan=gold",
	} {
		if !strings.Contains(facets, "\n"+want) {
			t.Errorf("%s is missing", want)
		}
	}
	count := func(section string) int { return strings.Count(facets, "\n"+section+".k") }
	if a, b, c := count("request"), count("context"), count("params"); a < 7 || a != b || b != c {
		t.Errorf("%d, %d and %d facets of the three that have too many", a, b, c)
	}
	if strings.Contains(facets, "username") || strings.Contains(facets, "request.last") || len(unmarked(facets)) > payload.MaxFacets {
		t.Errorf("%d bytes; facets:\n%s", len(facets), facets)
	}
}

// unmarked returns facets without their marks.
func unmarked(facets string) string {
	before, _, _ := strings.Cut(facets, payload.MarkKey)
	return before
}

// TestMarksNameWhatFacetsLeaveOut has a notice for each reason why a value has no place among the facets.
func TestMarksNameWhatFacetsLeaveOut(t *testing.T) {
	t.Parallel()
	many := strings.Repeat(`"x",`, 40) + `"y"`
	for _, c := range []struct {
		body, key string
		want      bool
	}{
		{`{"error":{},"request":{"context":{"a":["` + strings.Repeat("x", 200) + strings.Repeat(`","`+strings.Repeat("x", 200), 40) + `"],"plan":"gold"}}}`, "context.plan", true},
		{`{"error":{},"request":{"context":{"a":["` + strings.Repeat("x", 200) + strings.Repeat(`","`+strings.Repeat("x", 200), 40) + `"],"plan":"gold"}}}`, "context.b", false},
		{`{"error":{},"request":{"params":{"access_token":{"id":"x"}}}}`, "params.access_token.id", true},
		{`{"error":{},"request":{"params":{"` + strings.Repeat("k", 300) + `":"x"}}}`, "params." + strings.Repeat("k", 300), true},
		{`{"error":{},"request":{"params":{"a=b":"c"}}}`, "params.a=b", true},
		{`{"error":{},"request":{"url":"https://a.test/?token=x"}}`, payload.MarkQuery("request.url"), true},
		{`{"error":{},"request":{"context":{"user":["a","b","c","d","e","f","g","h","i"]}}}`, "user", true},
		{`{"error":{},"request":{"params":{"a":[` + many + `]}}}`, "params.a", false},
	} {
		if got := payload.IsMarked(mustParse(t, c.body).Facets, payload.MarksFor(c.key)); got != c.want {
			t.Errorf("%.80s leaves values of %.30s out: %v, want %v", c.body, c.key, got, c.want)
		}
	}
	var keys strings.Builder
	for i := range 2_000 {
		fmt.Fprintf(&keys, `"key%d":"some value",`, i)
	}
	facets := mustParse(t, `{"error":{},"request":{"params":{`+keys.String()+`"z":1}}}`).Facets
	if !payload.IsMarked(facets, payload.MarksFor("context.any")) || len(facets) > payload.MaxFacets+20 {
		t.Errorf("with thousands of keys: %d bytes", len(facets))
	}
}
