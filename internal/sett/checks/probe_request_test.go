package checks

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestProbeRequestProblem(t *testing.T) {
	t.Parallel()
	good := ProbeRequest{URL: "https://example.com/", MatchType: MatchSuccess}
	for name, tt := range map[string]struct {
		change  func(*ProbeRequest)
		problem string // its beginning; "" is none
	}{
		"nothing":           {func(*ProbeRequest) {}, ""},
		"http":              {func(r *ProbeRequest) { r.URL = "http://localhost" }, ""},
		"port":              {func(r *ProbeRequest) { r.URL = "http://example.com:8080/a?b#c" }, ""},
		"user":              {func(r *ProbeRequest) { r.URL = "http://ann:pass@example.com" }, ""},
		"IPv6":              {func(r *ProbeRequest) { r.URL = "http://[2001:db8::1]:80/" }, ""},
		"IDN":               {func(r *ProbeRequest) { r.URL = "http://bücher.example/ü" }, ""},
		"no scheme":         {func(r *ProbeRequest) { r.URL = "example.com" }, "The URL must start with http"},
		"other scheme":      {func(r *ProbeRequest) { r.URL = "ftp://example.com" }, "The URL must start with http"},
		"opaque":            {func(r *ProbeRequest) { r.URL = "http:example.com" }, "The URL must start with http"},
		"empty":             {func(r *ProbeRequest) { r.URL = "" }, "The URL must start with http"},
		"bad escape":        {func(r *ProbeRequest) { r.URL = "http://example.com/%zz" }, "The URL must start with http"},
		"no host":           {func(r *ProbeRequest) { r.URL = "http:///path" }, "The URL names no host"},
		"port alone":        {func(r *ProbeRequest) { r.URL = "http://:80/" }, "The URL names no host"},
		"port 0":            {func(r *ProbeRequest) { r.URL = "http://example.com:0/" }, "The port in the URL"},
		"port 65536":        {func(r *ProbeRequest) { r.URL = "http://example.com:65536/" }, "The port in the URL"},
		"empty port":        {func(r *ProbeRequest) { r.URL = "http://example.com:/" }, "The port in the URL"},
		"space":             {func(r *ProbeRequest) { r.URL = "http://example.com/a b" }, "The URL has a space"},
		"line break":        {func(r *ProbeRequest) { r.URL = "http://example.com/a\r\nb" }, "The URL has a space"},
		"method":            {func(r *ProbeRequest) { r.Method = "DELETE" }, ""},
		"other method":      {func(r *ProbeRequest) { r.Method = "TRACE" }, "The request method must be one of GET, POST, PUT, PATCH, DELETE"},
		"small method":      {func(r *ProbeRequest) { r.Method = "get" }, "The request method must be one of"},
		"no match type":     {func(r *ProbeRequest) { r.MatchType = "" }, "The match type must be one of"},
		"exact":             {func(r *ProbeRequest) { r.MatchType, r.Match = MatchExact, "404" }, ""},
		"exact, a word":     {func(r *ProbeRequest) { r.MatchType, r.Match = MatchExact, "ok" }, "The match must be a status code"},
		"exact, 999":        {func(r *ProbeRequest) { r.MatchType, r.Match = MatchExact, "999" }, ""},
		"exact, 1000":       {func(r *ProbeRequest) { r.MatchType, r.Match = MatchExact, "1000" }, "The match must be a status code"},
		"exact, signed":     {func(r *ProbeRequest) { r.MatchType, r.Match = MatchExact, "+200" }, "The match must be a status code"},
		"include":           {func(r *ProbeRequest) { r.MatchType, r.Match = MatchInclude, "open" }, ""},
		"include nothing":   {func(r *ProbeRequest) { r.MatchType = MatchInclude }, "The match must be the text"},
		"exclude nothing":   {func(r *ProbeRequest) { r.MatchType = MatchExclude }, "The match must be the text"},
		"longest timeout":   {func(r *ProbeRequest) { r.Timeout = 2 * time.Minute }, ""},
		"longer timeout":    {func(r *ProbeRequest) { r.Timeout = 2*time.Minute + 1 }, "The timeout must be"},
		"negative timeout":  {func(r *ProbeRequest) { r.Timeout = -1 }, "The timeout must be"},
		"a bad header last": {func(r *ProbeRequest) { r.Headers = []ProbeHeader{{Key: "A", Value: "b"}, {Key: "TE", Value: "gzip"}} }, "The request header \"TE\" is invalid: key must not be TE"},
	} {
		r := good
		tt.change(&r)
		if got := r.Problem(); !strings.HasPrefix(got, tt.problem) || tt.problem == "" && got != "" {
			t.Errorf("%s: %q, want %q", name, got, tt.problem)
		}
	}
}

func TestProbeHeaderProblem(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ key, value, problem string }{
		{"X-Api-Key", "abc", ""},
		{"x_odd.name~", "", ""},
		{"Cookie", "a=b; c=d", ""},
		{"Accept-Language", "ä\tb", ""},
		{"Host", "example.com", ""},
		{"Host", "example.com:8080", ""},
		{"Host", "[2001:db8::1]:80", ""},
		{"host", "bücher.example", ""},
		{"", "abc", `key can't be blank`},
		{"A b", "c", `key "A b" must be letters`},
		{"A:", "c", `key "A:" must be letters`},
		{"Ä", "c", `key "Ä" must be letters`},
		{"A\n", "c", `key "A\n" must be letters`},
		{"A", "b\nC: d", "value must not contain line breaks"},
		{"A", "b\r", "value must not contain line breaks"},
		{"A", "b\x00", "value must not contain line breaks"},
		{"A", "b\x7f", "value must not contain line breaks"},
		{"Host", "", "value must be a host name"},
		{"Host", "a b", "value must be a host name"},
		{"HOST", "a/b", "value must be a host name"},
		{"Host", "ann@example.com", "value must be a host name"},
		{"Host", "http://example.com", "value must be a host name"},
		{"Connection", "close", "key must not be Connection, which belongs to the connection"},
		{"transfer-encoding", "chunked", "key must not be transfer-encoding, which belongs to the connection"},
		{"Content-Length", "5", "key must not be Content-Length, which belongs to the connection"},
		{"Upgrade", "h2c", "key must not be Upgrade, which belongs to the connection"},
		{"Expect", "100-continue", "key must not be Expect, which belongs to the connection"},
	} {
		got := ProbeHeader{Key: tt.key, Value: tt.value}.Problem()
		if !strings.HasPrefix(got, tt.problem) || tt.problem == "" && got != "" {
			t.Errorf("%q %q: %q, want %q", tt.key, tt.value, got, tt.problem)
		}
	}
}

func TestProbePatience(t *testing.T) {
	t.Parallel()
	for timeout, want := range map[time.Duration]time.Duration{0: 30 * time.Second, time.Second: time.Second} {
		if got := (ProbeRequest{Timeout: timeout}).Patience(); got != want {
			t.Errorf("%s: %s, want %s", timeout, got, want)
		}
	}
}

// What is sent to agents, and by them, arrives as it was.
func TestProbeJSON(t *testing.T) {
	t.Parallel()
	asked := ProbeRequest{
		URL: "https://example.com", Method: "POST", Body: "a", Headers: []ProbeHeader{{Key: "A", Value: "b"}},
		MatchType: MatchExact, Match: "200", ValidateSSL: true, Timeout: time.Minute,
	}
	result := ProbeResult{
		At: time.Date(2026, 11, 21, 12, 0, 0, 1000, time.UTC), Before: 6, Duration: 5, Up: true, Status: 200, Reason: "r",
		Headers: map[string]string{"a": "b"}, Phases: ProbePhases{DNS: 1, Connect: 2, TLS: 3, FirstByte: 4, Body: 5}, Phase: PhaseTLS,
		RemoteAddr: "192.0.2.1:80", Body: []byte("\x00\xff"),
		Certificate: &ProbeCertificate{Fingerprint: "f", NotAfter: time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC), Subject: "s", Issuer: "i", Problem: "p"},
	}
	checkJSON(t, asked)
	checkJSON(t, result)
	checkJSON(t, ProbeRequest{})
	checkJSON(t, ProbeResult{})
}

func checkJSON[T any](t *testing.T, sent T) {
	t.Helper()
	text, err := json.Marshal(sent)
	if err != nil {
		t.Fatal(err)
	}
	var arrived T
	if err := json.Unmarshal(text, &arrived); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(sent, arrived); diff != "" {
		t.Errorf("(-sent +arrived):\n%s", diff)
	}
}
