package payload

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// strictNotice decodes a payload the way the most particular client does (api-go 0.8.0): one field of another type
// fails the whole response.
type strictNotice struct {
	Message     string         `json:"message"`
	Tags        []string       `json:"tags"`
	Cookies     map[string]any `json:"cookies"`
	WebEnv      map[string]any `json:"web_environment"`
	Backtrace   []strictFrame  `json:"backtrace"`
	AppTrace    []strictFrame  `json:"application_trace"`
	Environment struct {
		EnvironmentName string         `json:"environment_name"`
		Hostname        string         `json:"hostname"`
		ProjectRoot     any            `json:"project_root"`
		Revision        *string        `json:"revision"`
		Stats           map[string]any `json:"stats"`
		Time            string         `json:"time"`
		PID             int            `json:"pid"`
	} `json:"environment"`
	Request struct {
		Action, Component, URL *string
		Context                map[string]any `json:"context"`
		Params                 map[string]any `json:"params"`
		Session                map[string]any `json:"session"`
		User                   map[string]any `json:"user"`
	} `json:"request"`
}

type strictFrame struct {
	Number  strictNumber   `json:"number"`
	Column  *strictNumber  `json:"column"`
	File    string         `json:"file"`
	Method  string         `json:"method"`
	Class   string         `json:"class"`
	Type    string         `json:"type"`
	Args    []any          `json:"args"`
	Source  map[string]any `json:"source"`
	Context string         `json:"context"`
}

// strictNumber is an integer, or a text that is one.
type strictNumber int

func (n *strictNumber) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		return nil
	}
	i, err := strconv.Atoi(strings.Trim(string(data), `"`))
	*n = strictNumber(i)
	return err
}

// readStrictly reads a payload and decodes its JSON as strictly as a client may.
func readStrictly(t *testing.T, body string) Payload {
	t.Helper()
	p, err := Read(Body{JSON: []byte(body)}, "")
	if err != nil {
		t.Fatalf("ReadPayload(%s): %v", body, err)
	}
	data, err := json.Marshal(p)
	if err != nil {
		t.Fatalf("the payload of %s is no JSON: %v", body, err)
	}
	if err := json.Unmarshal(data, new(strictNotice)); err != nil {
		t.Fatalf("a strict client cannot decode the payload of %s: %v\n%s", body, err, data)
	}
	return p
}

func TestReadPayloadTypeZoo(t *testing.T) {
	t.Parallel()
	five := 5
	for _, c := range []struct {
		name, body string
		got        func(Payload) any
		want       any
	}{
		{"class is an object", `{"error":{"class":{"a":1}}}`, func(p Payload) any { return p.Class }, `{"a":1}`},
		{"message is null", `{"error":{"message":null}}`, func(p Payload) any { return p.Message }, ""},
		{"message is a number", `{"error":{"message":12.50}}`, func(p Payload) any { return p.Message }, "12.50"},
		{"message repeats the class", `{"error":{"class":"A::B","message":"A::B: boom"}}`, func(p Payload) any { return p.Message }, "boom"},
		{"message is the class", `{"error":{"class":"A","message":"A"}}`, func(p Payload) any { return p.Message }, "A"},
		{"no class", `{"error":{"message":": boom"}}`, func(p Payload) any { return p.Message }, ": boom"},
		{"tags in a text", `{"error":{"tags":" a, b,,a"}}`, func(p Payload) any { return p.Tags }, []string{"a", "b"}},
		{"tags of any type", `{"error":{"tags":[1,null,"x",{"y":1},["z"],true]}}`, func(p Payload) any { return p.Tags }, []string{"1", "x", "true"}},
		{"tags of the context", `{"error":{"tags":["a"]},"request":{"context":{"tags":"b,a"}}}`, func(p Payload) any { return p.Tags }, []string{"a", "b"}},
		{"no tags", `{}`, func(p Payload) any { return p.Tags }, []string{}},

		{"backtrace is an object", `{"error":{"backtrace":{}}}`, func(p Payload) any { return p.Backtrace }, []Frame{}},
		{"backtrace is a text", `{"error":{"backtrace":"a.c:1\n\nb.c:2\r\n"}}`, func(p Payload) any { return p.Backtrace }, []Frame{{Method: "a.c:1", Context: "all"}, {Method: "b.c:2", Context: "all"}}},
		{
			"frames of any type", `{"error":{"backtrace":[null,7,[],{},{"file":1,"number":"5","column":"x","method":null,"args":"one","source":[],"context":3}]}}`,
			func(p Payload) any { return p.Backtrace },
			[]Frame{
				{Method: "7", Context: "all"},
				{Method: "[]", Context: "all"},
				{File: "1", Number: &five, Args: []any{"one"}, Context: "app"},
			},
		},
		{"source of any type", `{"error":{"backtrace":[{"file":"a","source":{"1":null,"2":3}}]}}`, func(p Payload) any { return p.Backtrace[0].Source }, map[string]string{"1": "", "2": "3"}},

		{"server is an array", `{"server":[]}`, func(p Payload) any { return p.Environment.EnvironmentName }, "production"},
		{"blank environment", `{"server":{"environment_name":" "}}`, func(p Payload) any { return p.Environment.EnvironmentName }, "production"},
		{"project root is an object", `{"server":{"project_root":{"path":"/srv"}}}`, func(p Payload) any { return p.Environment.ProjectRoot }, ProjectRoot{Path: "/srv"}},
		{"project root is a number", `{"server":{"project_root":1}}`, func(p Payload) any { return p.Environment.ProjectRoot }, ProjectRoot{Path: "1"}},
		{"pid in a text", `{"server":{"pid":" 5 "}}`, func(p Payload) any { return p.Environment.PID }, &five},
		{"pid as a float", `{"server":{"pid":5.0}}`, func(p Payload) any { return p.Environment.PID }, &five},
		{"pid is a fraction", `{"server":{"pid":5.5}}`, func(p Payload) any { return p.Environment.PID }, (*int)(nil)},
		{"pid is huge", `{"server":{"pid":1e999999}}`, func(p Payload) any { return p.Environment.PID }, (*int)(nil)},
		{"pid is a boolean", `{"server":{"pid":true}}`, func(p Payload) any { return p.Environment.PID }, (*int)(nil)},
		{"stats are a text", `{"server":{"stats":"low"}}`, func(p Payload) any { return p.Environment.Stats }, map[string]any(nil)},
		{"version for revision", `{"server":{"revision":"","version":"v2"}}`, func(p Payload) any { return p.Environment.Revision }, "v2"},

		{"params are an array", `{"request":{"params":[1]}}`, func(p Payload) any { return p.Request.Params }, map[string]any{"value": []any{json.Number("1")}}},
		{"params are PHP's empty array", `{"request":{"params":[]}}`, func(p Payload) any { return p.Request.Params }, map[string]any{}},
		{"session is a text", `{"request":{"session":"s"}}`, func(p Payload) any { return p.Request.Session }, map[string]any{"value": "s"}},
		{"context is null", `{"request":{"context":null}}`, func(p Payload) any { return p.Request.Context }, map[string]any{}},
		{"component of the context", `{"request":{"component":"","context":{"_component":"jobs"}}}`, func(p Payload) any { return p.Request.Component }, "jobs"},
		{"request is null", `{"request":null}`, func(p Payload) any { return p.Request.Context }, map[string]any{}},
		{"a number that no float holds", `{"request":{"params":{"n":[1e999999]}}}`, func(p Payload) any { return p.Request.Params }, map[string]any{"n": []any{"1e999999"}}},
		{"a long number", `{"request":{"params":{"n":12345678901234567890}}}`, func(p Payload) any { return p.Request.Params }, map[string]any{"n": json.Number("12345678901234567890")}},
		{
			"cgi data of any type", `{"request":{"cgi_data":{"A":1,"B":null,"C":["x",{"y":true}],"D":"d"}}}`, func(p Payload) any { return p.WebEnvironment },
			map[string]string{"A": "1", "B": "", "C": `["x",{"y":true}]`, "D": "d"},
		},
		{"cgi data are an array", `{"request":{"cgi_data":[]}}`, func(p Payload) any { return p.WebEnvironment }, map[string]string{}},
		{
			"cookies", `{"request":{"cgi_data":{"HTTP_COOKIE":"a=b; c=%C3%A9%2F; d=x=y; bad; =e; f=%zz; g=%ff; h="}}}`, func(p Payload) any { return p.Cookies },
			map[string]string{"a": "b", "c": "é/", "d": "x=y", "f": "%zz", "g": "\uFFFD", "h": ""},
		},
		{"cookies as an object", `{"request":{"cgi_data":{"HTTP_COOKIE":{"a":1}}}}`, func(p Payload) any { return p.Cookies }, map[string]string{"a": "1"}},

		{"causes are null", `{"error":{"causes":null}}`, func(p Payload) any { return p.Causes }, []Cause{}},
		{"causes of any type", `{"error":{"causes":[1,{"class":"A","message":"A: b"}]}}`, func(p Payload) any { return p.Causes }, []Cause{{Class: "A", Message: "b", Backtrace: []Frame{}}}},
		{"breadcrumbs are empty", `{"breadcrumbs":{}}`, func(p Payload) any { return p.Breadcrumbs }, []Breadcrumb{}},
		{
			"breadcrumbs of any type", `{"breadcrumbs":{"trail":["x",{"category":1,"metadata":"m"}]}}`, func(p Payload) any { return p.Breadcrumbs },
			[]Breadcrumb{{Category: "1", Metadata: map[string]any{"value": "m"}}},
		},
		{"local variables", `{"request":{"local_variables":{"x":1}}}`, func(p Payload) any { return p.LocalVariables }, map[string]any{"x": json.Number("1")}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, c.got(readStrictly(t, c.body))); diff != "" {
				t.Errorf("%s (-want +got):\n%s", c.body, diff)
			}
		})
	}
}

func TestReadPayloadRefusesOnlyWhatIsNoObject(t *testing.T) {
	t.Parallel()
	for _, body := range []string{``, `[]`, `null`, `"x"`, `{`, `{"a":}`} {
		if p, err := Read(Body{JSON: []byte(body)}, ""); err == nil {
			t.Errorf("ReadPayload(%q) = %+v, want an error", body, p)
		}
	}
}

func TestReadPayloadCountsTags(t *testing.T) {
	t.Parallel()
	var tags []string
	for i := range 3 * MaxTags {
		tags = append(tags, fmt.Sprintf("%q", fmt.Sprint("tag", i)))
	}
	p := readStrictly(t, `{"error":{"tags":[`+strings.Join(tags, ",")+`]}}`)
	if len(p.Tags) != MaxTags || p.Tags[0] != "tag0" {
		t.Errorf("%d tags, the first %q", len(p.Tags), p.Tags[0])
	}
}

func TestReadPayloadShowsOnlySoMany(t *testing.T) {
	t.Parallel()
	many := strings.Repeat(`{"method":"m"},`, 3*maxShown) + `{}`
	p := readStrictly(t, `{"error":{"backtrace":[`+many+`],"causes":[`+many+`]},"breadcrumbs":{"trail":[`+many+`]}}`)
	if n := []int{len(p.Backtrace), len(p.Causes), len(p.Breadcrumbs)}; !cmp.Equal(n, []int{maxShown, maxShown, maxShown}) {
		t.Errorf("frames, causes, breadcrumbs = %v", n)
	}
	if n := len(readStrictly(t, `{"error":{"backtrace":"`+strings.Repeat(`line\n`, 3*maxShown)+`"}}`).Backtrace); n != maxShown {
		t.Errorf("%d frames of a text", n)
	}
}

func FuzzReadPayload(f *testing.F) {
	f.Add([]byte(`{"error":{"class":[],"backtrace":[{"number":"","column":1e400,"file":{}}]},"server":{"pid":"","stats":[]},"request":{"context":3}}`))
	f.Add([]byte(`{"error":{"message":"\ud800\u0000"},"request":{"cgi_data":{"HTTP_COOKIE":"a=%00;%=%"},"params":-0.0e-999999}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		var object map[string]json.RawMessage
		if json.Unmarshal(body, &object) != nil || object == nil {
			t.Skip()
		}
		readStrictly(t, string(body))
	})
}
