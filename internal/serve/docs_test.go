package serve

import (
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/xml"
	"errors"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func docsOf(t *testing.T) (*httptest.ResponseRecorder, string) {
	t.Helper()
	return docsPageOf(t, "")
}

// docsPageOf returns the page of a resource; "" is the list of all.
func docsPageOf(t *testing.T, resource string) (*httptest.ResponseRecorder, string) {
	t.Helper()
	w := do(t, SecurityHeaders(DocsHandlers(sampleInfo(), sampleRoutes())[resource]), "GET", "/docs/api", "")
	if w.Code != http.StatusOK || w.Header().Get("Content-Type") != "text/html; charset=utf-8" {
		t.Fatalf("got %d %s", w.Code, w.Header())
	}
	return w, w.Body.String()
}

func TestDocsPage(t *testing.T) {
	t.Parallel()
	page := ""
	for resource := range DocsHandlers(sampleInfo(), sampleRoutes()) {
		_, of := docsPageOf(t, resource)
		page += of
	}
	text := html.UnescapeString(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(strings.ReplaceAll(page, "</th>", " "), ""))
	text = strings.Join(strings.Fields(text), " ")
	for _, want := range []string{
		"Sample <API> Version 1", "For tests.",
		"422 A field or parameter is not valid",
		"GET /v2/projects/{project_id}/faults Lists faults. Requires: A personal token with the permission to read project.",
		"project_id integer in the path, required Number of the project.",
		"order string One of recent, frequent.", "created_after integer", "cursor string Start or end of the page",
		"fault object, required fault.title string, required 1 to 255 characters. fault.note string or null At most 80 characters.",
		"fault.days integer, required From 1 to 3650. fault.resolved boolean or null Marks it as fixed. fault.assignee_id integer or null",
		"Response 200 OK, object links object Links to neighboring pages. results array of object",
		"results[].id integer Number of the fault.", "results[].assignee.email string", "results[].url string, optional",
		"results[].options any value", "results[].last_at timestamp or null", "results[].parent object or null, optional",
		"Response 204 No Content, no body", "Response 200 OK, object; or 503 Service Unavailable with the same body", "Response 200 OK, text/plain",
		"page integer Page number;", "From 1 to 25.", "200 OK, array of array; or 301 Moved Permanently: It is elsewhere.", "Requires: The API key of a project.", "Requires: No credentials.",
		"Other media types and additional fields are accepted.",
		`curl -u "$TOKEN:" "$ADDRESS/v2/projects/$PROJECT_ID/reports/$REPORT"`,
		`curl -H "X-API-Key: $KEY" -X POST "$ADDRESS/v1/notices"`,
		`curl "$ADDRESS/boom"`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks: %s", want)
		}
	}
	if strings.Contains(text, "results[].parent.id") || strings.Contains(text, "links.self") {
		t.Error("a type within itself, or the links, have been opened")
	}
}

// The page runs nothing and is allowed to run nothing: its one style is named by its hash.
func TestDocsPolicy(t *testing.T) {
	t.Parallel()
	w, page := docsOf(t)
	style := regexp.MustCompile(`(?s)<style>(.*)</style>`).FindStringSubmatch(page)
	if style == nil {
		t.Fatal("no style")
	}
	sum := sha256.Sum256([]byte(style[1]))
	want := "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
		"'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
	if diff := cmp.Diff(want, w.Header().Get("Content-Security-Policy")); diff != "" {
		t.Error(diff)
	}
	body := page[strings.Index(page, "<body>"):]
	if found := regexp.MustCompile(`(?i)<script|\sstyle=|\son[a-z]+=|https?://`).FindString(body); found != "" {
		t.Errorf("the page holds %q", found)
	}
}

// Every element is closed and every link leads to an element of the page.
func TestDocsMarkup(t *testing.T) {
	t.Parallel()
	links := 0
	for resource := range DocsHandlers(sampleInfo(), sampleRoutes()) {
		_, page := docsPageOf(t, resource)
		links += markup(t, page)
	}
	if links < len(sampleRoutes()) {
		t.Errorf("%d links", links)
	}
}

// markup fails when a page leaves an element open or links to one that is not there; it returns how many it links to.
func markup(t *testing.T, page string) (linked int) {
	t.Helper()
	dec := xml.NewDecoder(strings.NewReader(strings.TrimPrefix(page, "<!doctype html>")))
	dec.Strict, dec.AutoClose, dec.Entity = false, []string{"meta"}, xml.HTMLEntity
	ids, links := map[string]int{}, map[string]bool{}
	depth := 0
	for {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch el := token.(type) {
		case xml.EndElement:
			depth--
		case xml.StartElement:
			depth++
			for _, a := range el.Attr {
				if a.Name.Local == "id" {
					ids[a.Value]++
				}
				if target, ok := strings.CutPrefix(a.Value, "#"); ok && a.Name.Local == "href" {
					links[target] = true
				}
			}
		}
	}
	if depth != 0 {
		t.Errorf("%d elements are left open", depth)
	}
	for id, n := range ids {
		if n > 1 || strings.Contains(id, " ") {
			t.Errorf("id %q, %d times", id, n)
		}
	}
	for target := range links {
		if ids[target] == 0 {
			t.Errorf("nothing has the id %q", target)
		}
	}
	return len(links)
}

// The list of all requests leads to each, on the page of its resource.
func TestDocsListEveryRequest(t *testing.T) {
	t.Parallel()
	_, list := docsOf(t)
	for _, rt := range sampleRoutes() {
		resource := strings.ReplaceAll(strings.ToLower(rt.Tag), " ", "-")
		if _, page := docsPageOf(t, resource); !strings.Contains(list, `href="/docs/api/`+resource+"#"+rt.Name+`"`) || !strings.Contains(page, `<article id="`+rt.Name+`"`) {
			t.Errorf("%s is not found from the list", rt.Name)
		}
	}
}

func TestDocsAreCompressed(t *testing.T) {
	t.Parallel()
	h := DocsHandlers(sampleInfo(), sampleRoutes())[""]
	plain := do(t, h, "GET", "/docs/api", "").Body.String()
	r := httptest.NewRequestWithContext(t.Context(), "GET", "/docs/api", nil)
	r.Header.Set("Accept-Encoding", "gzip")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	z, err := gzip.NewReader(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil || string(text) != plain || w.Header().Get("Content-Encoding") != "gzip" || w.Header().Get("Vary") != "Accept-Encoding" {
		t.Errorf("%d bytes with %v, %v; want the %d of the page", len(text), w.Header(), err, len(plain))
	}
}

func TestDocsAreNotSentTwice(t *testing.T) {
	t.Parallel()
	h := DocsHandlers(sampleInfo(), sampleRoutes())[""]
	etag := do(t, h, "GET", "/docs/api", "").Header().Get("ETag")
	r := httptest.NewRequestWithContext(t.Context(), "GET", "/docs/api", nil)
	r.Header.Set("If-None-Match", etag)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if w.Code != http.StatusNotModified || w.Body.Len() > 0 {
		t.Errorf("got %d with %d bytes for %s", w.Code, w.Body.Len(), etag)
	}
}

func TestCurl(t *testing.T) {
	t.Parallel()
	info := sampleInfo()
	info.Server = "https://sett.test"
	want := `curl -u "$TOKEN:" -X PUT "https://sett.test/v2/projects/$PROJECT_ID/faults/$FAULT_ID" \
  -H "Content-Type: application/json" \
  -d '{
  "fault": {
    "assignee_id": 1,
    "days": 1,
    "frequency": 1,
    "note": "Fixed.",
    "resolved": true,
    "state": "open",
    "title": "…"
  }
}'`
	if diff := cmp.Diff(want, curlOf(info, sampleRoutes()[2])); diff != "" {
		t.Error(diff)
	}
	full := curlOf(info, Route{Method: "POST", Path: "/x", Body: struct {
		sampleFault
		Row   sampleRow `json:"row"`
		Quote string    `json:"quote" enum:"it's"`
	}{}})
	for _, want := range []string{
		`"tags": [`, `"assignee": {`, `"created_at": "2026-01-31T12:00:00Z"`, `"parent": {`, `"rate": 1`,
		`"options": {}`, `"row": []`, `"quote": "it'\''s"`, `"klass": "…"`, `"action": {}`,
	} {
		if !strings.Contains(full, want) {
			t.Errorf("the example lacks %s:\n%s", want, full)
		}
	}
}

// What a reader copies must be what a shell takes: the shell is asked to read each example without running it.
func TestCurlIsShell(t *testing.T) {
	t.Parallel()
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("this machine has no sh")
	}
	for _, rt := range sampleRoutes() {
		if out, err := exec.CommandContext(t.Context(), sh, "-n", "-c", curlOf(sampleInfo(), rt)).CombinedOutput(); err != nil {
			t.Errorf("%s: %v %s", rt.Name, err, out)
		}
	}
}
