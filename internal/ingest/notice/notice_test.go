package notice

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

const most = 256 << 10

func TestAppend(t *testing.T) {
	t.Parallel()
	n := Notice{
		Token: "a", Class: "Error", Message: "no \"order\"\x00\xff", Tags: []string{"fatal"}, Level: "fatal", Handled: new(bool),
		Backtrace: []Frame{{File: "a.py", Line: 3, Method: "pay", Context: "app", Source: []SourceLine{{2, "if x:"}, {3, "  pay()"}}}, {File: "b.py", Context: "all"}},
		Causes:    []Cause{{Class: "Inner"}},
		URL:       "https://shop.example.org/", Context: []Member{{"user", `{"id":7}`}, {"empty", ""}}, Params: `{"a":1}`,
		Environment: "staging", Breadcrumbs: []Breadcrumb{{Category: "log", Metadata: []Member{{"n", "1"}}}},
		RequestID: "r", Notifier: Notifier{Name: "sentry.python"},
	}
	want := `{"notifier":{"name":"sentry.python"},"error":{"token":"a","class":"Error","message":"no \"order\"\u0000�","level":"fatal","handled":false,"tags":["fatal"],` +
		`"backtrace":[{"file":"a.py","number":3,"method":"pay","context":"app","source":{"2":"if x:","3":"  pay()"}},{"file":"b.py","context":"all"}],` +
		`"causes":[{"class":"Inner"}]},"request":{"url":"https://shop.example.org/","context":{"user":{"id":7}},"params":{"a":1}},` +
		`"server":{"environment_name":"staging"},"breadcrumbs":{"enabled":true,"trail":[{"category":"log","metadata":{"n":1}}]},` +
		`"correlation_context":{"request_id":"r"}}`
	if diff := cmp.Diff(want, string(n.Append(nil, most))); diff != "" {
		t.Errorf("Append (-want +got):\n%s", diff)
	}
	if got := string((&Notice{}).Append([]byte("x"), most)); got != `x{"error":{}}` {
		t.Errorf("an empty notice is %s", got)
	}
}

// However much is in a notice, it is written as one that is accepted, and what matters most is in it.
func TestAppendFits(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := func(name string) string {
			return strings.Repeat(rapid.SampledFrom([]string{"a", "\x01", "é", "\xff", "\"", "line\n"}).Draw(t, name), rapid.SampledFrom([]int{1, 100, 5_000}).Draw(t, "times"))
		}
		frames := make([]Frame, rapid.SampledFrom([]int{0, 1, 50, 5_000}).Draw(t, "frames"))
		for i := range frames {
			frames[i] = Frame{File: text("file"), Method: "m", Line: i + 1}
			if i > 50 {
				frames[i] = frames[i%50]
			}
		}
		big := JSON(`"` + strings.Repeat("v", rapid.IntRange(0, 400_000).Draw(t, "value")) + `"`)
		n := Notice{
			Class: "Error", Message: text("message"), Backtrace: frames, Causes: make([]Cause, rapid.SampledFrom([]int{0, 1, 5, 100}).Draw(t, "causes")),
			Context: []Member{{"big", big}, {text("key"), "1"}}, Params: big, Locals: big, Details: []Member{{"modules", big}},
			Breadcrumbs: make([]Breadcrumb, rapid.IntRange(0, 2_000).Draw(t, "crumbs")), Tags: strings.Split(strings.Repeat("tag,", 1_000), ","),
		}
		for i := range n.Causes {
			n.Causes[i] = Cause{Class: "Cause", Message: n.Message, Backtrace: frames}
		}
		out := n.Append(nil, most)
		var read struct {
			Error struct{ Class, Message string }
		}
		if err := json.Unmarshal(out, &read); err != nil || len(out) > most {
			t.Fatalf("%d bytes, %v", len(out), err)
		}
		if read.Error.Class != "Error" || read.Error.Message == "" {
			t.Fatalf("the error is %+v", read.Error)
		}
	})
}
