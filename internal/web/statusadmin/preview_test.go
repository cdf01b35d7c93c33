package statusadmin_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"sett/internal/setttest/visitor"
)

// The preview of a status page is the public page, also behind its password; only the script, the picture for links and where links open differ. Strangers do not see it.
func TestThePreviewIsThePublicPage(t *testing.T) {
	t.Parallel()
	v := newScene(t)
	v.createIncident(t)
	const css = "h1 { color: teal }"
	v.s.Put("/v2"+v.base, `{"status_page":{"features":{"custom_css":"`+css+`"}}}`).Want(http.StatusNoContent)
	v.s.Clock.Push(time.Hour)
	public := visitor.New(t, v.s).Get("/status/acme").Want(http.StatusOK, "Slow checkout").Body
	v.Post(v.base+"/password", "password", "seven sad seals").Leads(v.base + "/edit?done=page_locked")
	visitor.New(t, v.s).Get("/status/acme").Lacks("Slow checkout")

	v.Get(v.base).Want(http.StatusOK, `src="`+v.base+`/preview"`)
	preview := v.Get(v.base+"/preview").Want(http.StatusOK, "<base target")
	if policy := preview.Header.Get("Content-Security-Policy"); !strings.Contains(policy, "frame-ancestors 'self'") || !strings.Contains(policy, "sandbox") {
		t.Errorf("the preview has the policy %q", policy)
	}
	differ := regexp.MustCompile(`(?m)^<base .*\n|^<script .*\n|^<meta [^>]*"(og:image|twitter:card).*\n|<link rel="stylesheet" href="[^"]*(custom[^"]*|preview)\.css">`)
	if got, want := differ.ReplaceAllString(preview.Body, ""), differ.ReplaceAllString(public, ""); got != want {
		t.Errorf("the preview is\n%s\nand the public page\n%s", got, want)
	}
	v.Get(v.base+"/preview.css").Want(http.StatusOK, css)
	for _, path := range []string{"/preview", "/preview.css"} {
		if got := visitor.New(t, v.s).Get(v.base + path); got.Status == http.StatusOK {
			t.Errorf("a stranger gets %s", path)
		}
	}
}
