package fault_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// Files of strangers are listed on the page of their event, and saved: pictures alone may be shown, and texts never run.
func TestAttachmentsOnThePage(t *testing.T) {
	t.Parallel()
	o := open(t)
	f := o.report(`{"error":{"class":"Boom","token":"58ad5c24-0447-4ae6-b0a2-439d0d65462c"}}`)
	const picture = "\x89PNG\x0d\x0a\x1a\x0a\x00"
	envelope := `{"event_id":"58ad5c2404474ae6b0a2439d0d65462c"}` + "\n" +
		`{"type":"attachment","filename":"<img src=x>.html","content_type":"text/html","length":9}` + "\n<script>x\n" +
		`{"type":"attachment","filename":"shot.png","length":9}` + "\n" + picture + "\n"
	path := o.App.BaseURL() + fmt.Sprintf("/api/%d/envelope/?sentry_key=%s", o.Setup.ProjectID, o.Setup.APIKey)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, path, strings.NewReader(envelope))
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if limits := answer.Header.Get("X-Sentry-Rate-Limits"); answer.StatusCode != 200 || strings.Contains(limits, "attachment") {
		t.Errorf("%d, limits %q", answer.StatusCode, limits)
	}
	page := o.member.Get(o.path(f)).Body
	for _, want := range []string{"_img src=x_.html", "text/plain · 9 bytes", "shot.png", "image/png", "Preview of shot.png"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not contain %q", want)
		}
	}
	_, rest, _ := strings.Cut(page, `<a href="`+o.path(f)+`/58ad5c24-0447-4ae6-b0a2-439d0d65462c/attachments/`)
	id, _, _ := strings.Cut(rest, `"`)
	path = o.path(f) + "/58ad5c24-0447-4ae6-b0a2-439d0d65462c/attachments/" + id
	got := o.member.Get(path)
	if got.Status != 200 || got.Body != "<script>x" || got.Header.Get("Content-Type") != "text/plain; charset=utf-8" || !strings.HasPrefix(got.Header.Get("Content-Disposition"), "attachment;") {
		t.Errorf("%s: %d %q %v", path, got.Status, got.Body, got.Header)
	}
	for _, wrong := range []string{path + "0", path + "x", strings.Replace(path, "58ad", "58ae", 1)} {
		if got := o.member.Get(wrong); got.Status != 404 {
			t.Errorf("%s: %d", wrong, got.Status)
		}
	}
	if got := o.outsider.Get(path); got.Status != 404 {
		t.Errorf("a user outside of the project got %d", got.Status)
	}
	if n := strings.Count(page, `class="picture"`); n != 1 {
		t.Errorf("%d attachments are previewed", n)
	}
}
