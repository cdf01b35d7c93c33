package scrub_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/scrub"
)

// rules returns the rules of a project with these settings.
func rules(t testing.TB, settings scrub.Settings) *scrub.Rules {
	t.Helper()
	r, err := scrub.New(settings)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestValuesByName(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`{"password":"a"}`: `{"password":"[FILTERED]"}`,
		`{"user":{"Password-Confirmation":"a","name":"Ines"}}`:                                    `{"user":{"Password-Confirmation":"[FILTERED]","name":"Ines"}}`,
		`{"apiKey":"k","API_KEY":"k","x-api-key":"k"}`:                                            `{"apiKey":"[FILTERED]","API_KEY":"[FILTERED]","x-api-key":"[FILTERED]"}`,
		`{"secret":{"a":1},"tokens":["a","b"]}`:                                                   `{"secret":"[FILTERED]","tokens":"[FILTERED]"}`,
		`{"pin":1234,"pins":[{"title":"hat"}]}`:                                                   `{"pin":"[FILTERED]","pins":[{"title":"hat"}]}`,
		`{"auth":{"provider":"google"},"cvc":"123"}`:                                              `{"auth":{"provider":"google"},"cvc":"[FILTERED]"}`,
		`{"HTTP_AUTHORIZATION":"Basic YTpi"}`:                                                     `{"HTTP_AUTHORIZATION":"[FILTERED]"}`,
		`{"PWD":"/srv","pwd":"x"}`:                                                                `{"PWD":"/srv","pwd":"[FILTERED]"}`,
		`{"password":"","token":null,"secret":{},"api_key":""}`:                                   "",
		`{"password":"[filtered]","secret":"********"}`:                                           "",
		`{"token_type":"bearer","password_changed_at":"now"}`:                                     "",
		`{"max_tokens":4096,"secret_id":7,"has_password":true}`:                                   "",
		`{"passenger":"Ines","author":"Ben","compass":"north"}`:                                   "",
		`{"error":{"token":"x","class":"A","fingerprint":"f","tags":["token"]}}`:                  "",
		`{"error":{"class":"password=a","fingerprint":"f token=b","tags":["pin=1","c"]}}`:         `{"error":{"class":"password=[FILTERED]","fingerprint":"f token=[FILTERED]","tags":["pin=[FILTERED]","c"]}}`,
		`{"error":{"tags":"a, token=b","causes":["pin=1"],"backtrace":"at /?token=a"}}`:           `{"error":{"tags":"a, token=[FILTERED]","causes":["pin=[FILTERED]"],"backtrace":"at /?token=[FILTERED]"}}`,
		`{"error":{"cause":"pin=1","backtrace":["/?token=a",{"file":"/?token=a","method":"f"}]}}`: `{"error":{"cause":"pin=[FILTERED]","backtrace":["/?token=[FILTERED]",{"file":"/?token=[FILTERED]","method":"f"}]}}`,
		`{"error":{"backtrace":[{"file":"a.rb","source":{"1":"token = \"x\""}}]}}`:                "",
		`{"error":{"backtrace":[{"file":"a.rb","args":{"password":"a"}}]}}`:                       `{"error":{"backtrace":[{"file":"a.rb","args":{"password":"[FILTERED]"}}]}}`,
		`{"error":{"causes":[{"class":"A","message":"password=a b"}]}}`:                           `{"error":{"causes":[{"class":"A","message":"password=[FILTERED] b"}]}}`,
	} {
		check(t, scrub.Settings{}, in, want)
	}
}

func TestValuesInTexts(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"/login?user=ines&token=a1&next=/":                                            "/login?user=ines&token=[FILTERED]&next=/",
		"session_id=abc; theme=dark; csrf-token=x":                                    "session_id=[FILTERED]; theme=dark; csrf-token=[FILTERED]",
		`{"user":"ines","password":"hun\"ter2","n":1}`:                                `{"user":"ines","password":"[FILTERED]","n":1}`,
		`{\"password\":\"hunter2\",\"n\":1}`:                                          `{\"password\":\"[FILTERED]\",\"n\":1}`,
		`{'password': 'hunter2', 'n': 1}`:                                             `{'password': '[FILTERED]', 'n': 1}`,
		`{:password=>"hunter2", :n=>1}`:                                               `{:password=>"[FILTERED]", :n=>1}`,
		`login(password: "hunter2")`:                                                  `login(password: "[FILTERED]")`,
		"UPDATE users SET password = 'hunter2' WHERE id = 1":                          "UPDATE users SET password = '[FILTERED]' WHERE id = 1",
		"Authorization: Token abc":                                                    "Authorization: [FILTERED]",
		"curl -H 'Bearer a1b2c3d4e5'":                                                 "curl -H 'Bearer [FILTERED]'",
		"postgres://sett:s3cret@db:5432/shop":                                         "postgres://sett:[FILTERED]@db:5432/shop",
		"https://a:b@c@example.test/":                                                 "https://a:[FILTERED]@example.test/",
		"key -----BEGIN RSA PRIVATE KEY-----\nMII\n-----END RSA PRIVATE KEY----- end": "key [FILTERED] end",
		"key -----BEGIN PRIVATE KEY-----\nMII":                                        "key [FILTERED]",
		"jwt eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abc-_1 end":                     "jwt [FILTERED] end",
		"push with ghp_0123456789abcdefghijABCDEFGHIJ012345 failed":                   "push with [FILTERED] failed",
		"key sk_live_0123456789abcdefghijABCD.":                                       "key [FILTERED].",
		"card 4111 1111 1111 1111 expires 12/27":                                      "card [FILTERED] expires 12/27",
		"card 4111 1111 1111 1111 12/27":                                              "card [FILTERED] 12/27",
		"order 42 4111-1111-1111-1111":                                                "order 42 [FILTERED]",
		"378282246310005, 5555555555554444 and 3782 822463 10005":                     "[FILTERED], [FILTERED] and [FILTERED]",
		"token=a&token=b":                                                             "token=[FILTERED]&token=[FILTERED]",
		"user[password]=hunter2&user[name]=ines":                                      "user[password]=[FILTERED]&user[name]=ines",
		"user%5Bpassword%5D=hunter2&x%5Bpin%5d=123":                                   "user%5Bpassword%5D=[FILTERED]&x%5Bpin%5d=[FILTERED]",
		`params["password"] = "hunter2"`:                                              `params["password"] = "[FILTERED]"`,
		"/in?next=%2Fcb%3Ftoken%3Dhunter2%26x%3D1&y=2":                                "/in?next=%2Fcb%3Ftoken%3D[FILTERED]%26x%3D1&y=2",
		"q=%7B%22password%22%3A%22hunter2%22%2C%22n%22%3A1%7D":                        "q=%7B%22password%22%3A%22[FILTERED]%22%2C%22n%22%3A1%7D",
		"password=b'hunter2', n=1":                                                    "password=b'[FILTERED]', n=1",
		`{'password': b'hunter2', 'pin': u"123", 'n': 1}`:                             `{'password': b'[FILTERED]', 'pin': u"[FILTERED]", 'n': 1}`,
		`{\\\"password\\\":\\\"hunter2\\\",\\\"n\\\":1}`:                              `{\\\"password\\\":\\\"[FILTERED]\\\",\\\"n\\\":1}`,
		"&{Name:ines Password:hunter2 N:1}":                                           "&{Name:ines Password:[FILTERED] N:1}",
		"map[token:abc user:ines]":                                                    "map[token:[FILTERED] user:ines]",
		"POST /pay\nX-Auth-Token: hunter2 x\nSet-Cookie: id=hunter2; Path=/\nHost: a": "POST /pay\nX-Auth-Token: [FILTERED]\nSet-Cookie: [FILTERED]\nHost: a",
		"<login><ns:password>hunter2</ns:password><user>ines</user></login>":          "<login><ns:password>[FILTERED]</ns:password><user>ines</user></login>",
		"mysql --user ines --password hunter2 --secret 'a b' shop":                    "mysql --user ines --password [FILTERED] --secret '[FILTERED]' shop",

		"_shop_session=hunter2; a_session=kept; .AspNetCore.Session=hunter2": "_shop_session=[FILTERED]; a_session=kept; .AspNetCore.Session=[FILTERED]",

		"Wrong password: it is too short":               "",
		"SELECT * FROM users WHERE token = $1":          "",
		"token = createToken(user)":                     "",
		"password == nil, secret=nil, token=undefined":  "",
		"token=[FILTERED]&x=1":                          "",
		"basic authentication is required":              "",
		"https://example.test:8080/a@b":                 "",
		"order 4111111111111112":                        "", // the check digit is wrong
		"id 41111111111111110000":                       "",
		"trace a4111111111111111f":                      "",
		"0.4111111111111111":                            "",
		"call +4111111111111111":                        "",
		"at 1795508308361 ms":                           "",
		"f(std::token::parse), (password::reset)":       "",
		"[shop] token: unexpected":                      "",
		"--token-file a --no-password --token --x":      "",
		"a%3Db%26tokens%3A1":                            "",
		"<password/><password></password><token><a>b":   "",
		"sett_p_0123456789abcdefghijABCDEFGHIJ01":       "", // every page that reports has it
		"version sk_learn_is_not_a_key_but_a_long_name": "",
		"": "",
	} {
		quote := func(text string) string {
			b, err := json.Marshal(map[string]any{"message": text})
			if err != nil {
				t.Fatal(err)
			}
			return `{"error":` + string(b) + `}`
		}
		if want != "" {
			want = quote(want)
		}
		check(t, scrub.Settings{}, quote(in), want)
	}
	check(t, scrub.Settings{}, `{"a":4111111111111111,"b":4111111111111112}`, `{"a":"[FILTERED]","b":4111111111111112}`)
}

func TestEnvironmentOfAShell(t *testing.T) {
	t.Parallel()
	const shell = `{"PATH":"/bin","HOME":"/root","SENDGRID":"SG.x","DATABASE_URL":"postgres://a:b@c/d","HTTP_HOST":"h","rack.url_scheme":"https","RAILS_ENV":"test","MY_TOKEN":"t","EMPTY":""}`
	check(t, scrub.Settings{}, `{"request":{"cgi_data":`+shell+`}}`,
		`{"request":{"cgi_data":{"PATH":"/bin","HOME":"/root","SENDGRID":"[FILTERED]","DATABASE_URL":"[FILTERED]","HTTP_HOST":"h","rack.url_scheme":"https","RAILS_ENV":"test","MY_TOKEN":"[FILTERED]","EMPTY":""}}}`)
	check(t, scrub.Settings{Keep: []string{"sendgrid"}}, `{"x":{"PATH":"/bin","PWD":"/srv","SENDGRID":"SG.x"}}`, "")
	check(t, scrub.Settings{}, `{"x":{"PATH":"/bin","SENDGRID":"SG.x"}}`, "") // one name is no shell
}

func TestRulesOfAProject(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		settings scrub.Settings
		in, want string
	}{
		{scrub.Settings{Names: []string{"e-mail", "*_phone"}}, `{"EMail":"a@b","home_phone":"1","phones":2}`, `{"EMail":"[FILTERED]","home_phone":"[FILTERED]","phones":2}`},
		{scrub.Settings{Names: []string{"customer*", "*mid*"}}, `{"customer_id":{"a":1},"amidst":[1],"cust":3}`, `{"customer_id":"[FILTERED]","amidst":"[FILTERED]","cust":3}`},
		{scrub.Settings{Keep: []string{"csrf_token"}}, `{"csrf-token":"a","token":"b"}`, `{"csrf-token":"a","token":"[FILTERED]"}`},
		{scrub.Settings{Patterns: []string{`CUST-\d+`}}, `{"error":{"message":"CUST-12 and CUST-7"},"a":"token=b CUST-1"}`, `{"error":{"message":"[FILTERED] and [FILTERED]"},"a":"token=[FILTERED] [FILTERED]"}`},
		{scrub.Settings{OwnOnly: true, Names: []string{"email"}}, `{"password":"a","email":"b","c":"email=d token=e 4111111111111111"}`, `{"password":"a","email":"[FILTERED]","c":"email=[FILTERED] token=e 4111111111111111"}`},
		{scrub.Settings{Off: true, Names: []string{"email"}}, `{"password":"a","email":"b"}`, ""},
	} {
		check(t, c.settings, c.in, c.want)
	}
	for _, bad := range []scrub.Settings{
		{Patterns: []string{"("}},
		{Patterns: []string{"a*"}},
		{Patterns: []string{strings.Repeat("a", 301)}},
		{Patterns: make([]string, 21)},
		{Names: []string{"*"}},
		{Names: []string{"a*b"}},
		{Names: make([]string, 51)},
		{Keep: []string{strings.Repeat("a", 101)}},
	} {
		if _, err := scrub.New(bad); sett.CodeOf(err) != sett.Invalid {
			t.Errorf("%+v is accepted: %v", bad, err)
		}
	}
}

// check scrubs a notice; want is "" if nothing is replaced.
func check(t *testing.T, settings scrub.Settings, in, want string) {
	t.Helper()
	out, counts := rules(t, settings).Notice([]byte(in), nil)
	if want == "" {
		want = in
	}
	if !sameJSON(t, string(out), want) {
		t.Errorf("%s is scrubbed to\n%s, want\n%s", in, out, want)
	}
	if n := strings.Count(want, scrub.Filtered) - strings.Count(in, scrub.Filtered); counts.Total() != n {
		t.Errorf("%s: %d values are counted, want %d", in, counts.Total(), n)
	}
	again, counts := rules(t, settings).Notice(out, nil)
	if string(again) != string(out) || counts.Total() != 0 {
		t.Errorf("%s is scrubbed again to %s", out, again)
	}
}

func sameJSON(t testing.TB, a, b string) bool {
	t.Helper()
	var x, y any
	if err := json.Unmarshal([]byte(a), &x); err != nil {
		t.Fatalf("%s: %v", a, err)
	}
	if err := json.Unmarshal([]byte(b), &y); err != nil {
		t.Fatalf("%s: %v", b, err)
	}
	return cmp.Equal(x, y)
}

func TestWhatIsNoJSONIsKept(t *testing.T) {
	t.Parallel()
	for _, doc := range []string{"", "{", `{"password":"a"`, `{"password":"a"}}`, "\xff", strings.Repeat("[", 100)} {
		if out, counts := rules(t, scrub.Settings{}).Notice([]byte(doc), nil); string(out) != doc || counts.Total() != 0 {
			t.Errorf("%q is scrubbed to %q", doc, out)
		}
	}
	var none *scrub.Rules
	if out, _ := none.Notice([]byte(`{"password":"a"}`), nil); string(out) != `{"password":"a"}` {
		t.Errorf("without rules, the notice is scrubbed to %s", out)
	}
}

func TestExplain(t *testing.T) {
	t.Parallel()
	var got []string
	doc := `{"error":{"message":"card 4111111111111111"},"request":{"params":{"user":{"password":"a"},"list":[{"url":"http://a:b@c"}]},"cgi_data":{"PATH":"a","USER":"b","KEY":"c"}}}`
	rules(t, scrub.Settings{}).Explain([]byte(doc), func(f scrub.Found) { got = append(got, fmt.Sprint(f.Kind, " ", f.Path)) })
	want := []string{"card error.message", "name request.params.user.password", "credential request.params.list.url", "environment request.cgi_data.KEY"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("found (-want +got):\n%s", diff)
	}
}

// notices returns recorded notices.
func notices(t testing.TB) (all map[string][]byte) {
	t.Helper()
	names, err := filepath.Glob("../../setttest/recording/notices/*.json")
	if err != nil || len(names) < 5 {
		t.Fatalf("%d recordings: %v", len(names), err)
	}
	all = map[string][]byte{}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var r struct{ Body json.RawMessage }
		if err := json.Unmarshal(text, &r); err != nil || len(r.Body) == 0 {
			continue
		}
		all[filepath.Base(name)] = r.Body
	}
	return all
}

func FuzzNotice(f *testing.F) {
	for _, body := range notices(f) {
		f.Add(body)
	}
	f.Add([]byte(`{"a":"4111 1111 1111 1111","password":[1,{"b":"c"}],"PATH":"x","HOME":"y","Z":"token='"}`))
	r := rules(f, scrub.Settings{Names: []string{"b*"}, Patterns: []string{"[0-9]{3}"}})
	f.Fuzz(func(t *testing.T, doc []byte) {
		out, counts := r.Notice(doc, nil)
		if json.Valid(doc) && !json.Valid(out) {
			t.Fatalf("%q is scrubbed to %q, which is not JSON", doc, out)
		}
		if counts.Total() == 0 && string(out) != string(doc) {
			t.Fatalf("%q is scrubbed to %q, and nothing counted", doc, out)
		}
	})
}

func BenchmarkNotice(b *testing.B) {
	for name, body := range notices(b) {
		b.Run(name, func(b *testing.B) {
			r, room := rules(b, scrub.Settings{}), make([]byte, 0, 1<<18)
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				r.Notice(body, room)
			}
		})
	}
}

// What is remembered of keys and backtraces changes nothing, also after the memory of a document is used again.
func TestKnownKeysAndBacktraces(t *testing.T) {
	t.Parallel()
	rules := rules(t, scrub.Settings{})
	docs := []string{
		`{"error":{"backtrace":[{"file":"a.rb","vars":{"password":"one"}},{"file":"b.rb"}]},"request":{"context":{"plan":"gold","token":"t"}}}`,
		`{"error":{"backtrace":[{"file":"a.rb","vars":{"passport":"one"}},{"file":"b.rb"}]},"request":{"context":{"plan":"gold","taken":"t"}}}`,
		`{"error":{"backtrace":[{"file":"a.rb"},{"file":"b.rb"}]},"request":{"context":{"plain":"gold","token":"t"}}}`,
		`{"error":{"backtrace":[{"file":"a.rb"},{"file":"b.rb"}`,
		`{"error":{"backtrace":[]},"request":{"context":{"secret":"[FILTERED]"}}}`,
	}
	var first []string
	for range 3 {
		for i, doc := range docs {
			room := []byte(doc) // the memory in which documents come
			clean, counts := rules.Notice(room, nil)
			got := fmt.Sprint(string(clean), counts)
			clear(room)
			if len(first) < len(docs) {
				first = append(first, got)
			}
			if got != first[i] {
				t.Errorf("%s: %s, at first %s", doc, got, first[i])
			}
		}
	}
	for i, want := range []bool{true, false, true, false, false} {
		if got := strings.Contains(first[i], scrub.Filtered); got != want && i < 4 {
			t.Errorf("%s becomes %s", docs[i], first[i])
		}
	}
}

// A backtrace that is known is not walked again, and nothing else is taken for it: not one that begins or goes on alike, is deeper, or would
// make too many keys.
func TestKnownBacktraces(t *testing.T) {
	t.Parallel()
	frame := func(file string) string {
		return `{"file":"` + file + `","method":"` + strings.Repeat("m", 100) + `","vars":{"plan":"gold"}}`
	}
	same := frame("a.rb") + "," + frame("b.rb") + "," + frame("c.rb")
	causes := func(n int) string { // the variables of frames are at the depth 2n+5, of 64 that there may be
		return `{"error":{"message":"pin=1",` + strings.Repeat(`"causes":[{`, n) + `"backtrace":[` + same + `]` + strings.Repeat(`}]`, n) + `}}`
	}
	keys := func(n int) string { return `"x":{` + strings.Repeat(`"k":0,`, n) + `"k":0}` }
	docs := []string{
		`{"error":{"backtrace":[` + same + `]}}`,
		`{"error":{"backtrace":[` + same + `,` + frame("/?token=a") + `]}}`,
		`{"error":{"backtrace":[` + same + `,` + frame("d.rb") + `],"class":"pin=1"}}`,
		`{"error":{"backtrace":[` + same + `,` + frame("e.rb") + `]}}`,
		`{"error":{"backtrace":[` + same + `,{"vars":{"password":"a"}}],"password":"b"}}`,
		`{"error":{"causes":[{"backtrace":[` + same + `],"message":"pin=1"}]}}`,
		causes(29),
		causes(30),
		`{"error":{"backtrace":[` + same,
		`{"error":{"backtrace":[` + same + `}`,
		`{` + keys(10_000-15) + `,"error":{"backtrace":[` + same + `],"pin":"1"}}`,
		`{` + keys(10_000-16) + `,"error":{"backtrace":[` + same + `],"pin":"1"}}`,
		`{` + keys(10_000-17) + `,"error":{"backtrace":[` + same + `],"pin":"1"}}`,
		`{` + keys(10_000-18) + `,"error":{"backtrace":[` + same + `],"pin":"1"}}`,
	}
	known, unknown := rules(t, scrub.Settings{}), rules(t, scrub.Settings{Keep: []string{"nothing is known to rules of a project"}})
	scrubbed := 0
	for range 3 {
		for i, doc := range docs {
			room := []byte(doc) // the memory in which documents come
			got, counts := known.Notice(room, nil)
			want, wantCounts := unknown.Notice([]byte(doc), nil)
			if string(got) != string(want) || counts != wantCounts {
				t.Errorf("document %d is scrubbed to\n%.2000s, want\n%.2000s", i, got, want)
			}
			scrubbed += counts.Total()
			clear(room)
		}
	}
	if want := 3 * (1 + 1 + 2 + 1 + 1 + 2); scrubbed != want { // one is too deep, and of the four with many keys, two have too many
		t.Errorf("%d values are scrubbed, want %d", scrubbed, want)
	}
}
