package probe_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett/checks"
	"sett/internal/setttest/target"
)

// headers pairs names with values.
func headers(pairs ...string) (all []checks.ProbeHeader) {
	for pair := range slices.Chunk(pairs, 2) {
		all = append(all, checks.ProbeHeader{Key: pair[0], Value: pair[1]})
	}
	return all
}

// What arrives is what the check says, and nothing else that could tell one sett from another.
func TestCheckSends(t *testing.T) {
	t.Parallel()
	type ask = checks.ProbeRequest
	common := map[string]string{
		"User-Agent": "sett-uptime-check/1.2 (+https://sett.example.org)", "Accept": "*/*", "Accept-Encoding": "gzip", "Connection": "close",
	}
	for name, tt := range map[string]struct {
		ask  ask
		path string
		want target.Request
		has  map[string]string // headers beside the common ones, "-" for none
	}{
		"by itself":  {ask{}, "", target.Request{Method: "GET", Path: "/"}, nil},
		"a query":    {ask{}, "/a%20b?c=d%2f&e", target.Request{Method: "GET", Path: "/a%20b?c=d%2f&e"}, nil},
		"a fragment": {ask{}, "/a#b", target.Request{Method: "GET", Path: "/a"}, nil},
		"POST":       {ask{Method: "POST", Body: "a=b"}, "/", target.Request{Method: "POST", Path: "/", Body: "a=b"}, map[string]string{"Content-Length": "3"}},
		"empty POST": {ask{Method: "POST"}, "/", target.Request{Method: "POST", Path: "/"}, map[string]string{"Content-Length": "0"}},
		"PUT":        {ask{Method: "PUT", Body: "b"}, "/", target.Request{Method: "PUT", Path: "/", Body: "b"}, map[string]string{"Content-Length": "1"}},
		"PATCH":      {ask{Method: "PATCH", Body: "b"}, "/", target.Request{Method: "PATCH", Path: "/", Body: "b"}, map[string]string{"Content-Length": "1"}},
		"DELETE":     {ask{Method: "DELETE", Body: "b"}, "/", target.Request{Method: "DELETE", Path: "/", Body: "b"}, map[string]string{"Content-Length": "1"}},
		"GET, body":  {ask{Method: "GET", Body: "b"}, "/", target.Request{Method: "GET", Path: "/", Body: "b"}, map[string]string{"Content-Length": "1"}},
		"headers": {
			ask{Headers: headers("X-One", "1", "x-two", "a", "X-Two", "b", "Authorization", "Bearer t")},
			"/",
			target.Request{Method: "GET", Path: "/"},
			map[string]string{"X-One": "1", "X-Two": "a, b", "Authorization": "Bearer t"},
		},
		"own agent": {
			ask{Headers: headers("user-agent", "mine", "accept", "text/html", "Accept-encoding", "br")},
			"/",
			target.Request{Method: "GET", Path: "/"},
			map[string]string{"User-Agent": "mine", "Accept": "text/html", "Accept-Encoding": "br"},
		},
		"host": {
			ask{Headers: headers("host", "www.example.com:8080")},
			"/",
			target.Request{Method: "GET", Path: "/", Host: "www.example.com:8080"},
			nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			site := target.Start(t, target.Options{})
			tt.ask.URL = site.URL + tt.path
			if r := check(t, open(), tt.ask); !r.Up {
				t.Fatal(r.Reason)
			}
			if tt.want.Host == "" {
				tt.want.Host = site.Addr
			}
			want := maps.Clone(common)
			maps.Copy(want, tt.has)
			checkRequests(t, site.Requests(), tt.want, want)
		})
	}
}

func checkRequests(t *testing.T, got []target.Request, want target.Request, headers map[string]string) {
	t.Helper()
	if len(got) != 1 {
		t.Fatalf("%d requests", len(got))
	}
	flat := map[string]string{}
	for name, values := range got[0].Header {
		flat[name] = strings.Join(values, ", ")
	}
	if diff := cmp.Diff(headers, flat); diff != "" {
		t.Errorf("headers (-want +got):\n%s", diff)
	}
	got[0].Header = nil
	if diff := cmp.Diff(want, got[0]); diff != "" {
		t.Errorf("request (-want +got):\n%s", diff)
	}
}

// A user in the URL signs in, and is in neither the path nor the Host.
func TestCheckSignsIn(t *testing.T) {
	t.Parallel()
	site := target.Start(t, target.Options{})
	url := strings.Replace(site.URL, "://", "://ann:p%40ss@", 1)
	check(t, open(), checks.ProbeRequest{URL: url})
	check(t, open(), checks.ProbeRequest{URL: url, Headers: headers("authorization", "mine")})
	var sent []string
	for _, r := range site.Requests() {
		sent = append(sent, r.Host, r.Path, r.Header.Get("Authorization"))
	}
	if want := []string{site.Addr, "/", "Basic YW5uOnBAc3M=", site.Addr, "/", "mine"}; !slices.Equal(sent, want) {
		t.Errorf("got %q, want %q", sent, want)
	}
}

// What cannot be asked is said so, and nothing is connected.
func TestCheckRefusesNonsense(t *testing.T) {
	t.Parallel()
	site := target.Start(t, target.Options{})
	for reason, ask := range map[string]checks.ProbeRequest{
		"The URL must start with http":                                {URL: "ftp://" + site.Addr},
		"The URL names no host":                                       {URL: "http://:80/"},
		"The URL has a host name that":                                {URL: "http://xn--a\u2260\u0338.test/"},
		"The request method must be one":                              {URL: site.URL, Method: "TRACE"},
		`The request header "Connection" is invalid: key must not be`: {URL: site.URL, Headers: headers("Connection", "keep-alive")},
		`The request header "X" is invalid: value must not`:           {URL: site.URL, Headers: headers("X", "a\r\nY: b")},
	} {
		r := check(t, open(), ask)
		if !strings.HasPrefix(r.Reason, reason) || r.RemoteAddr != "" || r.Phase != "" {
			t.Errorf("%+v: %+v", ask, r)
		}
	}
	if site.Visits() != 0 {
		t.Error("something was connected")
	}
}
