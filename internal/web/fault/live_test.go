package fault_test

import (
	"bufio"
	"context"
	"html"
	"net/http"
	"strings"
	"testing"
	"time"
)

// An open list is notified of faults with new events, and of no others.
func TestLiveCount(t *testing.T) {
	t.Parallel()
	o := open(t)
	o.report(plain("Boom"))
	o.Clock.Push(time.Minute)
	page := o.member.Get(o.list()+"?q=class%3ABoom").Want(200, `data-live="`)
	_, address, _ := strings.Cut(page.Body, `data-live="`)
	address, _, _ = strings.Cut(address, `"`)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, o.member.Base+html.UnescapeString(address), nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := o.member.Client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != 200 || answer.Header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("status %d, %s", answer.StatusCode, answer.Header.Get("Content-Type"))
	}
	o.Clock.Push(time.Minute)
	o.report(plain("Other"))
	o.report(plain("Boom"))
	lines := bufio.NewScanner(answer.Body)
	for lines.Scan() {
		if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			if data != "1" {
				t.Errorf("%s faults are reported, want 1", data)
			}
			return
		}
	}
	t.Errorf("no event arrives: %v", lines.Err())
}

func TestLiveIsForThoseWhoMay(t *testing.T) {
	t.Parallel()
	o := open(t)
	o.outsider.Get(o.list() + "/live?q=").Want(404)
	o.member.Get(o.list() + "/live?q=is%3Awrong").Want(422)
	if got := o.anonymous.Get(o.list() + "/live?q="); got.Status != 303 {
		t.Errorf("everybody may listen: %d", got.Status)
	}
}

// An open error page receives its state and counts, says that the error was reopened, and keeps its place in the list.
func TestErrorPageIsLive(t *testing.T) {
	t.Parallel()
	o := open(t)
	f := o.report(plain("Boom"))
	o.Clock.Push(time.Minute)
	o.member.Post(o.path(f)+"/state", "do", "resolve").Want(303)
	opened := o.opened(o.list() + "?q=class%3ABoom")[0]
	page := o.member.Get(opened).Want(200, `<p id="news" data-live="`, " hidden></p>", `<dd id="count-events"><b>1</b>`).CheckPage()
	_, address, _ := strings.Cut(page.Body, `data-live="`)
	address, _, _ = strings.Cut(address, `"`)
	o.Clock.Push(time.Minute)
	o.report(plain("Boom"))
	part := o.heard(html.UnescapeString(address), "part")
	for _, want := range []string{
		`<span class="row" id="states">`, "Unresolved</span>", "Reopened</span>", `<dd id="count-events"><b>2</b></dd>`, `<dd id="last-seen">`, `data-key="r">Resolve</button>`, "This error was reopened. 1 new event.",
		`<a href="` + html.EscapeString(opened) + `">Show the newest event</a>`, `data-say="This error is now: Unresolved. This error was reopened. 1 new event."`,
	} {
		if !strings.Contains(part, want) {
			t.Errorf("the part lacks %q:\n%s", want, part)
		}
	}
	o.outsider.Get(o.path(f) + "/live").Want(404)
}

// heard returns the data of the first event of a stream.
func (o *shop) heard(address, event string) string {
	o.t.Helper()
	ctx, cancel := context.WithTimeout(o.t.Context(), 30*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, o.member.Base+address, nil)
	if err != nil {
		o.t.Fatal(err)
	}
	answer, err := o.member.Client.Do(r)
	if err != nil {
		o.t.Fatal(err)
	}
	defer answer.Body.Close()
	var data []string
	for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
		switch line := lines.Text(); {
		case line == "event: "+event:
			data = []string{}
		case line == "" && data != nil:
			return strings.Join(data, "\n")
		case data != nil:
			data = append(data, strings.TrimPrefix(line, "data: "))
		}
	}
	o.t.Fatal("no event arrives")
	return ""
}
