package fault_test

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"sett/internal/setttest/visitor"
)

// streamed is an event of a stream, as browsers read one.
type streamed struct{ id, name, data string }

// endOfLine ends a line of a stream: a carriage return alone does too.
var endOfLine = regexp.MustCompile("\r\n|\r|\n")

// events opens a stream and returns what reads it event by event; the zero event is its end.
func events(t *testing.T, b *visitor.Browser, path string) (next func() streamed) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, b.Base+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := b.Client.Do(r)
	if err != nil || answer.StatusCode != 200 {
		t.Fatal(answer, err)
	}
	t.Cleanup(func() { answer.Body.Close() })
	lines := bufio.NewScanner(answer.Body)
	lines.Buffer(nil, 1<<20)
	lines.Split(func(data []byte, end bool) (int, []byte, error) {
		at := endOfLine.FindIndex(data)
		if at == nil || at[1] == len(data) && data[at[0]] == '\r' && !end { // the rest may be its line feed
			return 0, nil, nil
		}
		return at[1], data[:at[0]], nil
	})
	return func() (e streamed) {
		var data []string
		for lines.Scan() {
			name, value, _ := strings.Cut(lines.Text(), ":")
			value = strings.TrimPrefix(value, " ")
			switch {
			case lines.Text() == "" && (e.name != "" || data != nil):
				e.data = strings.Join(data, "\n")
				return e
			case name == "id":
				e.id = value
			case name == "event":
				e.name = value
			case name == "data":
				data = append(data, value)
			}
		}
		return streamed{}
	}
}

// What clients say is text in the live tail too, and no event of its stream: a row that came in leads nowhere but to its error.
func TestHostileNoticesAreTextInTheTail(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short leaves out tests that take seconds")
	}
	o := open(t)
	live := fmt.Sprintf("/projects/%d/live", o.Setup.ProjectID)
	o.member.Get(live).Want(200)
	next := events(t, o.member, live+"/events")
	for name, text := range hostile {
		o.Clock.Push(time.Second)
		short := quoted(text[:min(len(text), 1000)])
		o.Post("/v1/notices", `{"error":{"class":`+short+`,"message":`+quoted(text)+`},"request":{"component":`+short+`,"action":`+short+`},"server":{"environment_name":`+short+`}}`).Want(201)
		e := next()
		if e.name != "row" || e.id == "" || strings.Trim(e.id, "0123456789") != "" {
			t.Fatalf("%s comes as the event %q, id %q: %.300s", name, e.name, e.id, e.data)
		}
		if len(e.data) > 20_000 {
			t.Errorf("%s: a row has %d bytes", name, len(e.data))
		}
		plainRow(t, name, e.data, o.list()+"/")
	}
	o.member.Get(live).Want(200).CheckMarkup()
}

// plainRow fails the test when a row of the tail is more than one element, or has anything but text and a link to our page.
func plainRow(t *testing.T, name, row, ours string) {
	t.Helper()
	nodes, err := html.ParseFragment(strings.NewReader(row), &html.Node{Type: html.ElementNode, Data: "ul", DataAtom: atom.Ul})
	if err != nil || len(nodes) != 1 {
		t.Fatalf("%s: %d elements, %v", name, len(nodes), err)
	}
	for n := range nodes[0].Descendants() {
		if n.Type == html.TextNode {
			continue
		}
		if !strings.Contains(" span a strong time wbr ", " "+n.Data+" ") {
			t.Errorf("%s: the row has a %s", name, n.Data)
		}
		for _, a := range n.Attr {
			if strings.HasPrefix(a.Key, "on") || a.Key == "href" && !strings.HasPrefix(a.Val, ours) {
				t.Errorf("%s: %s %s=%q", name, n.Data, a.Key, a.Val)
			}
		}
	}
}
