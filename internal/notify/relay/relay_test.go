package relay_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"sett/internal/notify/relay"
	"sett/internal/sett"
	"sett/internal/sett/forward"
)

// target is a service that is forwarded to, with prepared answers.
type target struct {
	mu      sync.Mutex
	answers []int // the last is repeated; 0: no response
	header  http.Header
	hold    chan struct{} // requests wait until it is closed; nil: they do not
	got     []*http.Request
}

func (t *target) do(r *http.Request) (*http.Response, error) {
	if t.hold != nil {
		select {
		case <-t.hold:
		case <-r.Context().Done():
			return nil, r.Context().Err()
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.got = append(t.got, r)
	status := t.answers[0]
	if len(t.answers) > 1 {
		t.answers = t.answers[1:]
	}
	if status == 0 {
		return nil, errors.New("dial tcp 10.0.0.1: connection refused")
	}
	return &http.Response{StatusCode: status, Header: t.header, Body: io.NopCloser(strings.NewReader("said"))}, nil
}

func (t *target) requests() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.got)
}

func newRelay(t *target) *relay.Relay {
	return relay.New(relay.Options{
		Do: t.do, Now: time.Now, Agent: "sett/test",
		Read: func(_ context.Context, project int64) (forward.Forwarding, error) {
			if project != 1 {
				return forward.Forwarding{}, sett.Errorf(sett.NotFound, "Forwarding not found")
			}
			return forward.Forwarding{Target: forward.Target{Service: forward.Honeybadger, Base: "https://old.example.org", Key: "old"}, End: time.Now().Add(time.Hour)}, nil
		},
	})
}

func report(body string) forward.Report {
	return forward.Report{Service: forward.Honeybadger, Path: "/v1/notices", ContentType: "application/json", Body: []byte(body), Key: "here", Errors: 1, At: time.Now()}
}

// result returns what a Relay has counted, of one day.
func result(t *testing.T, r *relay.Relay) (day forward.Day, problem string) {
	t.Helper()
	err := r.Save(func(days []forward.Day, problems []forward.Problem) error {
		for _, d := range days {
			day.Add(d)
		}
		for _, p := range problems {
			problem = p.Text
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return day, problem
}

func TestReportsAreSentAgainOnlyIfThatMayHelp(t *testing.T) {
	for _, c := range []struct {
		name    string
		answers []int
		want    forward.Day
		asked   int
		problem string
	}{
		{"accepted", []int{201}, forward.Day{Sent: 1, Errors: 1}, 1, ""},
		{"refused", []int{403}, forward.Day{Refused: 1}, 1, "it returned 403 Forbidden"},
		{"a redirect", []int{302}, forward.Day{Refused: 1}, 1, "it returned 302 Found"},
		{"busy once", []int{503, 200}, forward.Day{Sent: 1, Errors: 1}, 2, "it returned 503 Service Unavailable"},
		{"over a quota", []int{429}, forward.Day{Refused: 1}, 3, "it returned 429 Too Many Requests"},
		{"gone", []int{0}, forward.Day{Failed: 1}, 3, "there was no response from old.example.org"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				to := &target{answers: c.answers}
				r := newRelay(to)
				r.Send(1, report("{}"))
				r.Close(t.Context())
				got, problem := result(t, r)
				if got != c.want || to.requests() != c.asked || problem != c.problem {
					t.Errorf("%+v after %d requests, %q; want %+v after %d, %q", got, to.requests(), problem, c.want, c.asked, c.problem)
				}
			})
		})
	}
}

func TestForwardedReportsCarryTheOtherKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		to := &target{answers: []int{201}}
		r := newRelay(to)
		r.Send(1, report(`{"api_key":"here","pad":"`+strings.Repeat("x", 4096)+`"}`))
		r.Close(t.Context())
		got := to.got[0]
		body, _ := io.ReadAll(got.Body)
		if got.URL.String() != "https://old.example.org/v1/notices" || got.Header.Get("X-Api-Key") != "old" ||
			got.Header.Get("Content-Encoding") != "deflate" || len(body) > 1024 {
			t.Errorf("%s %v with %d bytes", got.URL, got.Header, len(body))
		}
	})
}

func TestATargetThatAsksForAPauseGetsOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		to := &target{answers: []int{429, 201}, header: http.Header{"Retry-After": {"30"}}}
		r := newRelay(to)
		start := time.Now()
		r.Send(1, report("{}"))
		synctest.Wait()
		r.Send(1, report("{}"))
		r.Close(t.Context())
		if waited := time.Since(start); to.requests() != 3 || waited != 30*time.Second {
			t.Errorf("%d requests in %s", to.requests(), waited)
		}
	})
}

func TestWhatDoesNotFitIsDroppedAndCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		to := &target{answers: []int{201}, hold: make(chan struct{})}
		r := newRelay(to)
		const all = 3_000
		for range all {
			r.Send(1, report("{}"))
		}
		for range 20 {
			r.Send(1, report(strings.Repeat("x", 1<<20)))
		}
		left := report("")
		left.Left = true
		r.Send(1, left)
		r.Send(2, report("{}")) // forwards nothing
		close(to.hold)
		r.Close(t.Context())
		got, _ := result(t, r)
		if got.Sent < 1_000 || got.Sent > 1_100 || got.Sent+got.Dropped != all+21 {
			t.Errorf("%+v", got)
		}
	})
}

func TestAStopDropsWhatIsLeftAndCountsIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		to := &target{answers: []int{201}, hold: make(chan struct{})}
		r := newRelay(to)
		for range 20 {
			r.Send(1, report("{}"))
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		r.Close(ctx)
		r.Send(1, report("{}"))
		if got, _ := result(t, r); got != (forward.Day{Dropped: 21}) {
			t.Errorf("%+v", got)
		}
	})
}

func TestCountsThatCannotBeSavedAreKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRelay(&target{answers: []int{500}})
		r.Send(1, report("{}"))
		r.Close(t.Context())
		_ = r.Save(func([]forward.Day, []forward.Problem) error { return errors.New("gone") })
		if got, problem := result(t, r); got.Refused != 1 || problem == "" {
			t.Errorf("%+v %q", got, problem)
		}
	})
}
