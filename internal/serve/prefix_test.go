package serve

import (
	"net/http"
	"strings"
	"testing"
)

// Routes are found below the path of an address of the server and without it, as a proxy may have removed it, and in any
// spelling of the path; what only begins like it is no path of the server.
func TestMuxServesBelowThePathOfItsAddresses(t *testing.T) {
	t.Parallel()
	route := func(method, path string) Route {
		return Route{Method: method, Path: path, Name: method + path, Handle: func(w http.ResponseWriter, r *http.Request) error {
			return WriteJSON(w, 200, r.URL.EscapedPath()+" "+r.PathValue("id"))
		}}
	}
	routes := []Route{route("GET", "/"), route("GET", "/docs"), route("GET", "/docs/api"), route("GET", "/things/{id}"), route("POST", "/things"), route("GET", "/api/{id}")}
	for address, cases := range map[string]map[string]string{
		"https://h/sett": {
			"GET /sett": "/ ", "GET /sett/": "/ ", "GET /": "/ ", "GET /sett/things/7": "/things/7 7", "GET /things/7": "/things/7 7", "GET //sett//things/7/": "/things/7 7",
			"GET /sett/things/a%2Fb": "/things/a%2Fb a/b", "GET /things/a%2Fb": "/things/a%2Fb a/b", "GET /%73ett/things/7": "/things/7 7",
			"GET /settings": "404", "GET /sett/no": "404", "GET /no": "404", "GET /sett/sett/docs": "404", "GET /sett/things": "405", "GET /things": "405", "GET /sett/../docs": "404",
		},
		"https://h/a/b%20c/": {"GET /a/b%20c/things/7": "/things/7 7", "GET /a/things/7": "404", "GET /a/b%20c/things/a%2Fb": "/things/a%2Fb a/b"},
		"https://h/sett/in":  {"GET /sett/in/things/7": "/things/7 7", "GET /sett/things/7": "/things/7 7", "GET /sett/in": "/ "}, // below the other address
		"https://h/docs":     {"GET /docs/docs/api": "/docs/api ", "GET /docs/api": "/docs/api ", "GET /docs": "/ ", "GET /docs/docs": "/docs "},
		"https://h/api":      {"GET /api/7": "/api/7 7", "GET /api/api/7": "/api/7 7", "GET /api/things": "/api/things things", "GET /api/things/7": "/things/7 7"},
		"https://h":          {"GET /docs": "/docs ", "GET /h/docs": "404"},
	} {
		h := NewMux(routes, MuxOptions{Addresses: []string{"https://other.test/sett", address}})
		for request, want := range cases {
			method, target, _ := strings.Cut(request, " ")
			w := do(t, h, method, target, "")
			got := w.Body.String()
			if w.Code != http.StatusOK {
				got = http.StatusText(w.Code)
			}
			if want == "404" || want == "405" {
				want = map[string]string{"404": "Not Found", "405": "Method Not Allowed"}[want]
			} else {
				want = `"` + want + `"`
			}
			if strings.TrimSpace(got) != want {
				t.Errorf("%s below %s: got %s, want %s", request, address, got, want)
			}
		}
	}
}

func TestPrefix(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"https://h": "", "https://h/": "", "https://h/sett": "/sett", "https://h/sett/": "/sett", "https://h/a/b c": "/a/b%20c", "https://h/%7Eann": "/%7Eann", "": "", ":": "",
	} {
		if got := Prefix(address); got != want {
			t.Errorf("%q has the prefix %q, want %q", address, got, want)
		}
	}
}
