package fault_test

import (
	"fmt"
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
	o.Do("POST", fmt.Sprintf("/api/%d/envelope/?sentry_key=%s", o.Setup.ProjectID, o.Setup.APIKey), strings.Replace(envelope, "<script>x\n", "<script>x\n", 1)).Want(200)
	page := o.ann.Open(o.path(f)).Body()
	for _, want := range []string{"_img src=x_.html", "text/plain · 9 bytes", "shot.png", "image/png", "Preview of shot.png"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not contain %q", want)
		}
	}
	if n := strings.Count(page, `class="picture"`); n != 1 {
		t.Errorf("%d attachments are previewed", n)
	}
}
