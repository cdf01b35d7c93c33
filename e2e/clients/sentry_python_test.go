package clients

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sett/e2e/rig"
)

func checkSentryFrameworks(t *testing.T, s *rig.Server, m rig.Manager) {
	wantNotices(t, s, m, map[string]int64{"TimeoutError: order 42 waits for the bank": 1, "LookupError: order 43 has no box": 1})
	f, n := s.Only(m, "TimeoutError")
	wantTop(t, n, "order 42 waits for the bank", "pay", "frameworks.py")
	if r := n.Request; f.Component != "/orders/{number}/" || !strings.HasSuffix(r.URL, "/orders/42/?coupon=spring") || r.Params["coupon"] != "spring" || n.WebEnvironment["HTTP_USER_AGENT"] != "shopper" {
		t.Errorf("Django: the fault is %+v, the request %+v, %+v", f, r, n.WebEnvironment)
	}
	if n.Notifier.Name != "sentry.python.django" || n.Environment.Revision != "shop@4f2a9c1" || n.LocalVariables["number"] != "42" {
		t.Errorf("Django: %+v, %+v, %+v", n.Notifier, n.Environment, n.LocalVariables)
	}
	f, n = s.Only(m, "LookupError")
	wantTop(t, n, "order 43 has no box", "pack", "frameworks.py")
	if f.Component != "shop.pack" || n.Environment.EnvironmentName != "staging" || n.LocalVariables["number"] != "43" {
		t.Errorf("Celery: the fault is %+v, %+v, %+v", f, n.Environment, n.LocalVariables)
	}
}

func checkRaven(t *testing.T, s *rig.Server, m rig.Manager) {
	wantNotices(t, s, m, map[string]int64{"ValueError: payment refused for order 42": 1, "Message: stock is low": 1})
	_, n := s.Only(m, "ValueError")
	wantTop(t, n, "payment refused for order 42", "charge", "old.py")
	if u := n.Request.User; u == nil || u.Email != "ann@example.test" || n.Environment.Revision != "shop@4f2a9c1" || n.Environment.Hostname != "web-1" || n.Notifier.Name != "raven-python" {
		t.Errorf("the user is %+v, the environment %+v, the notifier %+v", u, n.Environment, n.Notifier)
	}
	if tags, _ := n.Request.Context["tags"].(map[string]any); tags["plan"] != "gold" || len(n.Backtrace[0].Source) == 0 {
		t.Errorf("the context is %+v, the first frame %+v", n.Request.Context, n.Backtrace[0])
	}
}

// messageSent matches the message of an event in an envelope of python/limited.py.
var messageSent = regexp.MustCompile(`"value": ?"((?:first|limited|before|after)[a-z0-9 ]*)"`)

// sentMessages passes requests on to a server, and notes the messages in them, with the answers.
type sentMessages struct {
	t    *testing.T
	base string

	mu   sync.Mutex
	seen []string // such as "first 0 200"
}

func (p *sentMessages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		p.t.Errorf("read a request of the SDK: %v", err)
	}
	on, err := http.NewRequestWithContext(r.Context(), r.Method, p.base+r.URL.Path, bytes.NewReader(body))
	if err != nil {
		p.t.Errorf("pass a request on: %v", err)
		return
	}
	on.Header = r.Header.Clone()
	answer, err := http.DefaultClient.Do(on)
	if err != nil {
		p.t.Errorf("pass a request on: %v", err)
		return
	}
	defer answer.Body.Close()
	for _, m := range messageSent.FindAllSubmatch(p.unpacked(body), -1) {
		p.mu.Lock()
		p.seen = append(p.seen, string(m[1])+" "+answer.Status[:3])
		p.mu.Unlock()
	}
	for name, values := range answer.Header {
		w.Header()[name] = values
	}
	w.WriteHeader(answer.StatusCode)
	_, _ = io.Copy(w, answer.Body)
}

// unpacked returns a body without its compression.
func (p *sentMessages) unpacked(body []byte) []byte {
	r, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		p.t.Errorf("unpack a request of the SDK: %v", err)
		return nil
	}
	plain, err := io.ReadAll(r)
	if err != nil {
		p.t.Errorf("unpack a request of the SDK: %v", err)
	}
	return plain
}

// The SDK for Python stops to send errors when the server says that there are too many, and sends again when the time that the server
// has named is over.
func TestSentryObeysLimits(t *testing.T) {
	t.Parallel()
	s := rig.Prepare(t, "")
	s.Flags = append(s.Flags, "--project-throttle", "2")
	s.Restart(t)
	t.Cleanup(func() { s.Stop(t) })
	p := &sentMessages{t: t, base: s.Base}
	proxy := httptest.NewServer(p)
	t.Cleanup(proxy.Close)
	e := exporter{language: "sentry/python", install: installPip, program: []string{"python3", "limited.py"}}
	through := *s
	through.Base = proxy.URL
	e.run(t, &through, e.installed(t), proxy.URL)
	var limited, after int
	for i, line := range p.seen {
		switch {
		case strings.HasSuffix(line, " 429") && limited == 0:
			limited = i
		case strings.HasPrefix(line, "after the end"):
			after = i
		}
	}
	// A minute that begins meanwhile has room for two more.
	if limited < 2 || after != limited+1 || len(p.seen) != after+1 {
		t.Errorf("the SDK sent %q, want the first errors until one is refused, and then only the one after the end", p.seen)
	}
	if diff := cmp.Diff(strings.Repeat("200 ", limited), statuses(p.seen[:limited])); diff != "" {
		t.Errorf("before it was limited (-want +got):\n%s", diff)
	}
}

func statuses(lines []string) (all string) {
	for _, line := range lines {
		all += line[len(line)-3:] + " "
	}
	return all
}
