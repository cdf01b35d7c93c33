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
