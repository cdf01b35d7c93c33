package probe

import (
	"net/url"
	"strings"
	"testing"

	"sett/internal/sett/checks"
)

func TestRedirectsKeepSecretsWithTheirHost(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		from, to string
		trusted  bool
	}{
		{"http://shop.test/", "http://shop.test/new", true},
		{"http://shop.test/", "https://SHOP.test/new", true},
		{"https://shop.test/", "http://shop.test/", false}, // out of encryption
		{"https://shop.test/", "https://www.shop.test/", false},
		{"https://shop.test/", "https://shop.test:8443/", false},
		{"http://shop.test:8080/", "http://shop.test:8080/a", true},
		{"http://shop.test:8080/", "https://shop.test:8080/a", false}, // two services cannot share a port
	} {
		r := checks.ProbeRequest{URL: strings.Replace(tt.from, "://", "://ann:pw@", 1), Headers: []checks.ProbeHeader{{Key: "Authorization", Value: "x"}, {Key: "Host", Value: "inner"}, {Key: "Accept", Value: "*/*"}}}
		to, _ := url.Parse(tt.to)
		got := redirected(r, 301, to)
		if kept := len(got.Headers) == 3 && strings.Contains(got.URL, "ann:pw@"); kept != tt.trusted || len(got.Headers) == 0 {
			t.Errorf("%s to %s: %+v", tt.from, tt.to, got)
		}
		if len(r.Headers) != 3 || r.Headers[0].Key != "Authorization" {
			t.Errorf("the request itself has changed: %+v", r)
		}
	}
}

func TestRedirectsChangeMethodsAsBrowsersDo(t *testing.T) {
	t.Parallel()
	to := &url.URL{Scheme: "http", Host: "shop.test", Path: "/new", Fragment: "part"}
	for _, tt := range []struct {
		method string
		status int
		want   string
	}{
		{"POST", 301, "GET"},
		{"POST", 302, "GET"},
		{"POST", 303, "GET"},
		{"POST", 307, "POST"},
		{"POST", 308, "POST"},
		{"PUT", 301, "PUT"},
		{"PUT", 303, "GET"},
		{"GET", 301, "GET"},
	} {
		got := redirected(checks.ProbeRequest{URL: "http://shop.test/", Method: tt.method, Body: "b"}, tt.status, to)
		if got.Method != tt.want || (got.Body != "") != (tt.want == tt.method && tt.status != 303) || got.URL != "http://shop.test/new" {
			t.Errorf("%s after %d: %+v", tt.method, tt.status, got)
		}
	}
}

func TestReasonsNameTargetsWithoutSecrets(t *testing.T) {
	t.Parallel()
	to, _ := url.Parse("https://ann:pw@shop.test/login?token=abc&page=1")
	if got := shownTarget(to); got != "https://********@shop.test/login?token=********&page=1" {
		t.Error(got)
	}
	to.Path = "/" + strings.Repeat("é", 200)
	if got := shownTarget(to); len(got) > longestShownTarget+len("…") || !strings.HasSuffix(got, "…") {
		t.Error(got)
	}
}
