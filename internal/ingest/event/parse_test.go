package event

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"sett/internal/event/payload"
	"sett/internal/ingest/group"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/sett/scan"
	"sett/internal/setttest/recording"
)

var shop = accounts.KeyedProject{ProjectID: 7, AccountID: "acc", Active: true}

// parse reads a notice of which nothing is removed.
func parse(body []byte, p accounts.KeyedProject, now time.Time, f *Facets) (*faults.Report, error) {
	r, _, err := Parse(body, Options{Project: p, Now: now}, f)
	return r, err
}

func mustParse(t testing.TB, body string) *faults.Report {
	t.Helper()
	r, err := parse([]byte(body), shop, time.Unix(1_800_000_000, 0), new(Facets))
	if err != nil {
		t.Fatalf("parse(%.200s): %v", body, err)
	}
	return r
}

func TestParse(t *testing.T) {
	t.Parallel()
	body := "\n" + `{"error":{"class":"A","message":"A: b","backtrace":[{"file":"[PROJECT_ROOT]/a.rb","method":"m","number":3}],"tags":["x"],"token":"6EF51469-dec8-48f9-a96a-578deab2065f"},
		"request":{"component":"C","action":"d","context":{"user_email":"a@b.test"}},"server":{"hostname":"h","revision":"r","environment_name":"staging"}}`
	got := mustParse(t, body)
	want := &faults.Report{
		AccountID: "acc", ProjectID: 7, ReceivedAt: time.Unix(1_800_000_000, 0),
		Token: got.Token, Class: "A", Message: "b", Component: "C", Action: "d", Environment: "staging", Hostname: "h", Revision: "r",
		Tags: []string{"x"}, User: "a@b.test",
		Facets: "\nhostname=h\nrevision=r\nuser=a@b.test\ncontext.user_email=a@b.test\nfile=a.rb\n\x01=-\n", Body: []byte(body),
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(faults.Report{}, "Grouping", "Former", "BacktraceStart", "BacktraceEnd")); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
	if got.Token.String() != "6ef51469-dec8-48f9-a96a-578deab2065f" {
		t.Errorf("token = %s", got.Token)
	}
	if trace := string(got.Body[got.BacktraceStart:got.BacktraceEnd]); trace != `[{"file":"[PROJECT_ROOT]/a.rb","method":"m","number":3}]` {
		t.Errorf("backtrace = %s", trace)
	}
	if g := got.Grouping; g.Basis != "location" || g.File != "a.rb" || g.Line != "3" || g.Environment != "staging" {
		t.Errorf("grouping = %+v", g)
	}
}

// texts is what of a report differs between the notices of TestParseTypeZoo.
type texts struct {
	Class, Message, Component, Action, Environment, Hostname, Revision, User string

	Tags []string
}

func TestParseTypeZoo(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, body string
		want       texts
	}{
		{"nothing", `{"error":{}}`, texts{}},
		{"nulls", `{"error":{"class":null,"message":null,"tags":null,"backtrace":null,"fingerprint":null,"token":null},"request":null,"server":null}`, texts{}},
		{"numbers", `{"error":{"class":5,"message":1e999999,"tags":[1]},"server":{"hostname":7,"revision":12}}`, texts{Class: "5", Message: "1e999999", Hostname: "7", Revision: "12", Tags: []string{"1"}}},
		{"objects", `{"error":{"class":{"a": 1},"message":["x"],"tags":{"a":1}}}`, texts{Class: `{"a": 1}`, Message: `["x"]`}},
		{"arrays for objects", `{"error":{"class":"A"},"request":[],"server":[1],"breadcrumbs":[],"notifier":[]}`, texts{Class: "A"}},
		{"tags in a text", `{"error":{"tags":"a, b ,,a\n"}}`, texts{Tags: []string{"a", "b"}}},
		{"tags of the context", `{"error":{"tags":["a",null,["b"],{"c":1}]},"request":{"context":{"tags":"d, a"}}}`, texts{Tags: []string{"a", "d"}}},
		{"component of the context", `{"error":{},"request":{"component":null,"action":"","context":{"_component":"C","_action":"d"}}}`, texts{Class: "Error", Message: "in C", Component: "C", Action: "d"}},
		{"component of the request", `{"error":{},"request":{"component":"R","context":{"_component":"C"}}}`, texts{Class: "Error", Message: "in R", Component: "R"}},
		{"version for revision", `{"error":{},"server":{"version":"v2","revision":""}}`, texts{Revision: "v2"}},
		{"user id", `{"error":{},"request":{"context":{"user_id":4711,"user":{"email":"no"}}}}`, texts{User: "4711"}},
		{"nested user", `{"error":{},"request":{"context":{"user":{"id":"u1"}}}}`, texts{User: "u1"}},
		{"user is an object", `{"error":{},"request":{"context":{"user_id":{"a":1}}}}`, texts{}},
		{"NUL and half a surrogate pair", `{"error":{"class":"a\u0000b","message":"x\ud83dy\u0000"}}`, texts{Class: "a\uFFFDb", Message: "x\uFFFDy\uFFFD"}},
		{"escapes", `{"error":{"class":"\u0041\/\"","mess\u0061ge":"\ud83d\ude00\n\t"}}`, texts{Class: `A/"`, Message: "😀\n\t"}},
		{"names are one line", `{"error":{"class":" A\nB\u007f "},"server":{"hostname":"\t"}}`, texts{Class: "A B"}},
		{"class before the message", `{"error":{"class":"A::B","message":"A::B: A::B: c"}}`, texts{Class: "A::B", Message: "A::B: c"}},
		{"the last of two keys", `{"error":{"class":"old","message":"gone","tags":["t"]},"error":{"class":"new"},"server":{"hostname":"h"},"server":{}}`, texts{Class: "new"}},
		{"white space", " \r\n\t{ \"error\" : { \"class\" : \"A\" , \"tags\" : [ \"t\" , \"u\" ] } } \n", texts{Class: "A", Tags: []string{"t", "u"}}},
		{"byte order mark", "\uFEFF" + `{"error":{"class":"A"}}`, texts{Class: "A"}},
		{"a number of 5,000 digits", `{"error":{"class":"A"},"details":{"n":` + strings.Repeat("1", 5000) + `}}`, texts{Class: "A"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := mustParse(t, c.body)
			got := texts{r.Class, r.Message, r.Component, r.Action, r.Environment, r.Hostname, r.Revision, r.User, r.Tags}
			c.want.Environment = "production"
			if c.want.Class == "" { // an error always has a title
				c.want.Class, c.want.Message = "Error", "No message was sent."
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if !json.Valid(r.Body) {
				t.Errorf("the body is no JSON: %s", r.Body)
			}
		})
	}
}

func TestParseCutsTexts(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 20_000)
	var tags []string
	for i := range 200 {
		tags = append(tags, fmt.Sprintf("%q", fmt.Sprint(i, long[:300])))
	}
	body := fmt.Sprintf(`{"error":{"class":%q,"message":%q,"fingerprint":%q,"tags":[%s]},"server":{"hostname":%q},"request":{"context":{"user_id":%q}}}`,
		long, long+"x", long, strings.Join(tags, ","), long[:600], long[:600])
	r := mustParse(t, body)
	for name, got := range map[string]string{"class": r.Class, "hostname": r.Hostname, "user": r.User} {
		if n := utf8.RuneCountInString(got); n != maxName || !utf8.ValidString(got) {
			t.Errorf("%s has %d runes: %q", name, n, got)
		}
	}
	if len(r.Message) != maxMessage || !utf8.ValidString(r.Message) {
		t.Errorf("the message has %d bytes", len(r.Message))
	}
	if len(r.Grouping.Fingerprint) > maxKeyPart {
		t.Errorf("the fingerprint has %d bytes", len(r.Grouping.Fingerprint))
	}
	if len(r.Tags) != payload.MaxTags || utf8.RuneCountInString(r.Tags[0]) != maxTag {
		t.Errorf("%d tags, the first of %d runes", len(r.Tags), utf8.RuneCountInString(r.Tags[0]))
	}
}

func TestParseUserSearchField(t *testing.T) {
	t.Parallel()
	body := []byte(`{"error":{},"request":{"context":{"user_id":1,"who":{"name":"ada","name":"grace","n":{"x":1}}},"session":{"login":"bob"},"params":{"p":{"u":true}}}}`)
	for field, want := range map[string]string{
		"": "1", "context.who.name": "grace", "who.name": "grace", "session.login": "bob", "params.p.u": "true",
		"context.who": "", "context.who.n": "", "context.none": "", "context.who.name.first": "",
	} {
		p := shop
		p.UserSearchField = field
		r, err := parse(body, p, time.Time{}, new(Facets))
		if err != nil {
			t.Fatal(err)
		}
		if r.User != want {
			t.Errorf("user by %q = %q, want %q", field, r.User, want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	deep := func(n int) string {
		return `{"error":{},"details":` + strings.Repeat("[", n) + strings.Repeat("]", n) + `}`
	}
	keys := func(n int) string {
		return `{"error":{"class":"A"},"details":{` + strings.TrimSuffix(strings.Repeat(`"k":0,`, n), ",") + `}}`
	}
	for _, c := range []struct {
		name, body string
		code       sett.Code // "" when accepted
		says       string
	}{
		{"empty", ``, sett.Malformed, "empty"},
		{"blank", ` `, sett.Malformed, "truncated after 1 bytes"},
		{"no JSON", `api_key=x`, sett.Malformed, "at byte 1 a value was expected"},
		{"cut off in a text", `{"error":{"class":"A`, sett.Malformed, "truncated after 20 bytes"},
		{"cut off after a value", `{"error":{}`, sett.Malformed, "truncated after 11 bytes"},
		{"cut off in an escape", `{"error":{"class":"\u00`, sett.Malformed, "truncated"},
		{"cut off in a word", `{"error":nul`, sett.Malformed, "at byte 10"},
		{"not UTF-8", "{\"error\":{\"class\":\"a\xffb\"}}", sett.Malformed, "see byte 21"},
		{"UTF-16", "{\x00\"\x00e\x00", sett.Malformed, "at byte 2"},
		{"overlong UTF-8", "{\"error\":{\"class\":\"\xc0\x80\"}}", sett.Malformed, "UTF-8"},
		{"NUL byte in a text", "{\"error\":{\"class\":\"a\x00\"}}", sett.Malformed, "at byte 21"},
		{"line end in a text", "{\"error\":{\"class\":\"a\n\"}}", sett.Malformed, "at byte 21"},
		{"something after it", `{"error":{}} x`, sett.Malformed, "at byte 14"},
		{"two documents", `{"error":{}}{}`, sett.Malformed, "at byte 13"},
		{"NUL after it", "{\"error\":{}}\x00", sett.Malformed, "at byte 13"},
		{"trailing comma", `{"error":{},}`, sett.Malformed, "a key in double quotes"},
		{"trailing comma in an array", `{"error":{"tags":["a",]}}`, sett.Malformed, "a value"},
		{"key without quotes", `{error:{}}`, sett.Malformed, "at byte 2"},
		{"single quotes", `{'error':{}}`, sett.Malformed, "at byte 2"},
		{"no colon", `{"error" {}}`, sett.Malformed, "at byte 10 : was expected"},
		{"unknown escape", `{"error":{"class":"\x41"}}`, sett.Malformed, "escapes of JSON"},
		{"control character as digit", "{\"error\":{\"class\":\"\\u\x10\x10\x10\x10\"}}", sett.Malformed, "hexadecimal"},
		{"leading zero", `{"error":{"class":01}}`, sett.Malformed, "at byte 20"},
		{"bare minus", `{"error":{"class":-}}`, sett.Malformed, "a digit"},
		{"no digits after the point", `{"error":{"class":1.}}`, sett.Malformed, "a digit"},
		{"no exponent", `{"error":{"class":1e+}}`, sett.Malformed, "a digit"},
		{"NaN", `{"error":{"class":NaN}}`, sett.Malformed, "a value"},
		{"comment", `{"error":{} /* hi */}`, sett.Malformed, "a comma or }"},

		{"array", `[{"error":{}}]`, sett.Invalid, "must be a JSON object"},
		{"text", `"error"`, sett.Invalid, "must be a JSON object"},
		{"null", `null`, sett.Invalid, "must be a JSON object"},
		{"no error", `{"class":"A"}`, sett.Invalid, `no "error" object`},
		{"error is null", `{"error":null}`, sett.Invalid, `no "error" object`},
		{"error is an array", `{"error":[]}`, sett.Invalid, `no "error" object`},
		{"error is a text", `{"error":"boom"}`, sett.Invalid, `no "error" object`},
		{"the last error is null", `{"error":{},"error":null}`, sett.Invalid, `no "error" object`},

		{"as deep as allowed", deep(scan.MaxDepth - 1), "", ""},
		{"too deep", deep(scan.MaxDepth), sett.Invalid, "64 levels"},
		{"a bomb of brackets", `{"error":` + strings.Repeat("[", 200_000), sett.Invalid, "64 levels"},
		{"as many keys as allowed", keys(scan.MaxKeys - 3), "", ""},
		{"too many keys", keys(scan.MaxKeys - 2), sett.Invalid, "10000 keys"},
		{"as long as allowed", `{"error":{"class":"` + strings.Repeat("A", MaxNotice-22) + `"}}`, "", ""},
		{"too long", `{"error":{"class":"` + strings.Repeat("A", MaxNotice-21) + `"}}`, sett.TooLarge, "262145 bytes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := parse([]byte(c.body), shop, time.Time{}, new(Facets))
			if sett.CodeOf(err) != c.code || (err == nil) != (c.code == "") {
				t.Fatalf("error = %v (%q), want code %q", err, sett.CodeOf(err), c.code)
			}
			if err != nil && !strings.Contains(err.Error(), c.says) {
				t.Errorf("error = %q, want it to say %q", err, c.says)
			}
		})
	}
}

func TestParseTokens(t *testing.T) {
	t.Parallel()
	token := func(project int64, token string) string {
		return tokenID(project, token).String()
	}
	for in, want := range map[string]string{
		"": sett.UUID{}.String(), " \n": sett.UUID{}.String(), "00000000-0000-0000-0000-000000000000": sett.UUID{}.String(),
		" 6EF51469-DEC8-48f9-a96a-578deab2065f ": "6ef51469-dec8-48f9-a96a-578deab2065f",
	} {
		if got := token(1, in); got != want {
			t.Errorf("tokenID(%q) = %s, want %s", in, got, want)
		}
	}
	made := token(1, "req-17")
	if made != token(1, "req-17") || made == token(2, "req-17") || made == token(1, "req-18") {
		t.Errorf("token %s does not stand for one token of one project", made)
	}
	if made[14] != '8' || !strings.ContainsRune("89ab", rune(made[19])) {
		t.Errorf("%s is no UUID of version 8", made)
	}
}

// Only an array of frames has a range of bytes, whatever stands around it.
func TestParseBacktraceRange(t *testing.T) {
	t.Parallel()
	for backtrace, want := range map[string]string{
		`[{"file":"a"}]`: `[{"file":"a"}]`, `[ 1 ]`: `[ 1 ]`, `[]`: ``, `[ ]`: ``, `{}`: ``, `"a\nb"`: ``, `null`: ``, `7`: ``,
	} {
		r := mustParse(t, "\uFEFF {\"error\" : {\"backtrace\": "+backtrace+" , \"x\":[1]}}")
		if got := string(r.Body[r.BacktraceStart:r.BacktraceEnd]); got != want {
			t.Errorf("range of %s = %q, want %q", backtrace, got, want)
		}
	}
	r := mustParse(t, `{"error":{"backtrace":[1]},"error":{}}`)
	if r.BacktraceStart != 0 || r.BacktraceEnd != 0 {
		t.Errorf("range = %d to %d of a backtrace that was replaced", r.BacktraceStart, r.BacktraceEnd)
	}
}

// A report must not change with the body's memory, and nothing that is kept may hold on to it.
func TestReportSharesNothingWithBody(t *testing.T) {
	t.Parallel()
	for _, c := range recording.Notices(t) {
		body := []byte(c.Body)
		r := mustParse(t, string(body))
		shared, err := parse(body, shop, r.ReceivedAt, new(Facets))
		if err != nil {
			t.Fatal(err)
		}
		clear(body)
		if diff := cmp.Diff(r, shared, cmpopts.IgnoreFields(faults.Report{}, "Body")); diff != "" {
			t.Errorf("%s: the report changed with the body (-before +after):\n%s", c.Name, diff)
		}
	}
}

// What parsing and reading say about a notice must agree, whatever it looks like.
func TestParseAgreesWithPayload(t *testing.T) {
	t.Parallel()
	scalar := rapid.Custom(func(t *rapid.T) any {
		return rapid.SampledFrom([]any{nil, true, 3, 2.5, "", "x", "A", "A: b", "a,b", "app", "[PROJECT_ROOT]/a.rb", "/usr/lib/x.rb"}).Draw(t, "scalar")
	})
	value := rapid.OneOf(scalar, rapid.Custom(func(t *rapid.T) any { return rapid.SliceOfN(scalar, 0, 3).Draw(t, "array") }))
	object := func(keys ...string) *rapid.Generator[map[string]any] {
		return rapid.MapOfN(rapid.SampledFrom(keys), value, 0, len(keys))
	}
	rapid.Check(t, func(t *rapid.T) {
		failure := object("class", "message", "tags", "fingerprint").Draw(t, "error")
		failure["backtrace"] = rapid.SliceOfN(object("file", "method", "number", "context"), 0, 4).Draw(t, "frames")
		request := object("component", "action", "url").Draw(t, "request")
		request["context"] = object("user_id", "user_email", "tags", "_component", "_action").Draw(t, "context")
		body, err := json.Marshal(map[string]any{
			"error": failure, "request": request,
			"server": object("environment_name", "hostname", "revision", "version").Draw(t, "server"),
		})
		if err != nil {
			t.Fatal(err)
		}
		r, err := parse(body, shop, time.Time{}, new(Facets))
		if err != nil {
			t.Fatal(err)
		}
		p, err := payload.Read(payload.Body{JSON: body}, "")
		if err != nil {
			t.Fatal(err)
		}
		app := ""
		if len(p.ApplicationTrace) > 0 {
			app = p.ApplicationTrace[0].Method
		}
		class, message := group.Title(group.NamedOf(p))
		got := []any{r.Class, r.Message, r.Component, r.Action, r.Environment, r.Hostname, r.Revision, append([]string{}, r.Tags...)}
		want := []any{class, message, p.Request.Component, p.Request.Action, p.Environment.EnvironmentName, p.Environment.Hostname, p.Environment.Revision, p.Tags}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-payload +report):\n%s", body, diff)
		}
		var n notice
		if _, _, err := n.read(body, nil, nil); err != nil {
			t.Fatal(err)
		}
		if chosen := n.failure.trace.chosen(); chosen.hasApp() != (len(p.ApplicationTrace) > 0) || chosen.hasApp() && chosen.frame.method != app {
			t.Errorf("%s: first application frame = %+v, payload says %+v", body, chosen.frame, p.ApplicationTrace)
		}
	})
}

func FuzzParseNotice(f *testing.F) {
	for _, c := range recording.Notices(f) {
		f.Add([]byte(c.Body))
	}
	f.Add([]byte(`{"error":{"class":"\ud800\u0000","backtrace":[{"number":1e400,"file":{}}],"tags":"a,\nb"},"request":{"cgi_data":{"HTTP_HOST":["a"]},"url":"x://@:80?token="}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		r, err := parse(body, shop, time.Time{}, new(Facets))
		if err != nil {
			if code := sett.CodeOf(err); code != sett.Malformed && code != sett.Invalid && code != sett.TooLarge {
				t.Fatalf("error = %v", err)
			}
			if sett.CodeOf(err) == sett.Malformed && json.Valid(body) && utf8.Valid(body) {
				t.Fatalf("valid JSON was refused: %v", err)
			}
			return
		}
		if !json.Valid(r.Body) {
			t.Fatalf("the body is no JSON: %q", r.Body)
		}
		var error struct{ Error map[string]json.RawMessage }
		if err := json.Unmarshal(r.Body, &error); err != nil || error.Error == nil {
			t.Fatalf("accepted without an error object: %v", err)
		}
		for _, text := range append([]string{r.Class, r.Message, r.Component, r.Action, r.Environment, r.Hostname, r.Revision, r.User, r.Facets}, r.Tags...) {
			if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
				t.Fatalf("text %q", text)
			}
		}
		if trace := r.Body[r.BacktraceStart:r.BacktraceEnd]; len(trace) > 0 {
			var frames []json.RawMessage
			if err := json.Unmarshal(trace, &frames); err != nil || len(frames) == 0 {
				t.Fatalf("the backtrace %q is no array with frames: %v", trace, err)
			}
		}
		if len(unmarked(r.Facets)) > payload.MaxFacets {
			t.Fatalf("%d bytes of facets", len(r.Facets))
		}
		p, err := payload.Read(payload.Body{JSON: r.Body}, "")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := json.Marshal(p); err != nil {
			t.Fatal(err)
		}
	})
}
