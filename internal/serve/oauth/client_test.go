package oauth

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"sett/internal/serve"
)

func TestAddressesForCodes(t *testing.T) {
	t.Parallel()
	for address, fits := range map[string]bool{
		"https://app.example.org/callback": true, "http://127.0.0.1:33418/": true, "http://[::1]:7/cb": true, "http://localhost:51733/callback": true,
		"cursor://anysphere.cursor-mcp/oauth": true, "com.example.app:/cb": true, "vscode://ms.mcp/cb": true,
		"http://app.example.org/": false, "https:///cb": false, "https://u@app.example.org/": false, "https://app.example.org/#x": false, "//app.example.org/": false, "/cb": false, "": false,
		"javascript:alert(1)": false, "JavaScript:alert(1)": false, "data:text/html,x": false, "file:///etc/passwd": false, "vbscript:x": false, "blob:x": false,
		"https://app.example.org/a b": false, "https://app.example.org\\@evil.example.org/": false, "https://app.example.org/\n": false,
		"https://app.example.org/" + strings.Repeat("a", 500): false, "http://127.0.0.1.evil.example.org/": false, "http://localhost.evil.example.org/": false,
	} {
		_, err := Register(Registration{Name: "x", Redirects: []string{address}})
		if (err == nil) != fits || err != nil && RefusalIn(err).Code != invalidRedirect {
			t.Errorf("%q: %v", address, err)
		}
	}
	all := []string{"http://127.0.0.1:33418/", "http://127.0.0.1/", "https://vscode.dev/redirect", "https://insiders.vscode.dev/redirect"}
	c, err := Register(Registration{Name: "VS Code", Redirects: all})
	if err != nil {
		t.Fatal(err)
	}
	for address, may := range map[string]bool{
		"http://127.0.0.1:50000/": true, "http://127.0.0.1:50000": true, "https://vscode.dev/redirect": true,
		"http://127.0.0.1:50000/x": false, "http://localhost:50000/": false, "https://vscode.dev:444/redirect": false, "https://vscode.dev/redirect/": false, "https://vscode.dev/redirect?x": false,
	} {
		if c.mayReturn(address) != may {
			t.Errorf("%q: %t", address, !may)
		}
	}
	for name, r := range map[string]Registration{
		"none":     {},
		"too many": {Redirects: strings.Fields(strings.Repeat("https://a.example.org/ ", 11))},
		"too long": {Redirects: []string{"https://a.example.org/" + strings.Repeat("a", 470), "https://b.example.org/" + strings.Repeat("b", 470), "https://c.example.org/" + strings.Repeat("c", 470), "https://d.example.org/" + strings.Repeat("d", 470)}},
		"secret":   {Redirects: all, Auth: "private_key_jwt"},
	} {
		if _, err := Register(r); RefusalIn(err) == nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A program that describes itself is the one at its address, and its description is read within bounds.
func TestProgramsThatDescribeThemselves(t *testing.T) {
	t.Parallel()
	const id, good = "https://app.example.org/client.json", `{"client_id":"https://app.example.org/client.json","client_name":"App","redirect_uris":["https://app.example.org/cb"]}`
	for name, tt := range map[string]struct {
		status int
		body   string
		why    string // "": it is taken
	}{
		"good":               {200, good, ""},
		"of another":         {200, strings.Replace(good, "app.example.org/client", "evil.example.org/client", 1), "another client_id"},
		"not there":          {404, good, "status 404"},
		"a redirect":         {302, good, "status 302"},
		"a page":             {200, "<html>", "not JSON"},
		"long":               {200, good + strings.Repeat(" ", longestDocument), "longer than"},
		"leads to a script":  {200, strings.Replace(good, "https://app.example.org/cb", "javascript:alert(1)", 1), "not allowed"},
		"leads nowhere":      {200, strings.Replace(good, `"https://app.example.org/cb"`, "", 1), "1 to 10"},
		"an inner address":   {0, "", "cannot reach app.example.org"},
		"an unreadable body": {-1, "", "cut off"},
	} {
		asked, now := 0, time.Unix(1_800_000_000, 0)
		d := New(Options{Now: func() time.Time { return now }, Do: func(r *http.Request) (*http.Response, error) {
			asked++
			switch {
			case tt.status == 0:
				return nil, fmt.Errorf("no %s", r.URL)
			case tt.status < 0:
				return &http.Response{StatusCode: 200, Body: io.NopCloser(broken{})}, nil
			}
			return &http.Response{StatusCode: tt.status, Body: io.NopCloser(strings.NewReader(tt.body))}, nil
		}})
		c, err := d.client(t.Context(), id)
		if refusal := RefusalIn(err); asked != 1 || tt.why == "" && (err != nil || c.Host != "app.example.org" || c.Name != "App") || tt.why != "" && (refusal == nil || !strings.Contains(refusal.Text, tt.why)) {
			t.Errorf("%s: %+v, %v", name, c, err)
		}
		// Programs are asked to register while hosts do not answer.
		says := d.Routes()[2].Handle
		if reads := documents(t, says); reads != (tt.status != 0) {
			t.Errorf("%s: descriptions are said to be read: %v", name, reads)
		}
		if now = now.Add(time.Hour + time.Second); !documents(t, says) {
			t.Errorf("%s: an hour later, descriptions are not tried again", name)
		}
	}
	d := New(Options{Do: func(*http.Request) (*http.Response, error) { t.Error("it was asked"); return nil, io.EOF }})
	for _, id := range []string{"http://app.example.org/client.json", "https://app.example.org", "https://app.example.org/", "https://u@app.example.org/x", "https://app.example.org/x#y", "file:///x", "x", ""} {
		if _, err := d.client(t.Context(), id); RefusalIn(err) == nil {
			t.Errorf("%q: %v", id, err)
		}
	}
}

// documents returns whether the server says that it reads descriptions.
func documents(t *testing.T, says serve.Handler) bool {
	t.Helper()
	answer := httptest.NewRecorder()
	if err := says(answer, httptest.NewRequest(http.MethodGet, serverDocument, http.NoBody)); err != nil {
		t.Fatal(err)
	}
	var m serverMetadata
	if err := json.Unmarshal(answer.Body.Bytes(), &m); err != nil || m.Issuer == "" && m.Authorize == "" {
		t.Fatalf("%s: %v", answer.Body, err)
	}
	return m.Documents
}

// broken is a body that ends in the middle.
type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }
