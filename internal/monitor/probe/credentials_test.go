package probe

import (
	"strings"
	"testing"

	"sett/internal/sett/checks"
)

// A site that repeats what it was sent does not make it known, in whatever form.
func TestResultsHaveNoCredentials(t *testing.T) {
	t.Parallel()
	r := checks.ProbeRequest{
		URL:     "https://ann:open%2Fsesame@x.test/?api_key=k3y-in-query",
		Headers: []checks.ProbeHeader{{Key: "X-Api-Key", Value: "k3y/in/header"}, {Key: "Authorization", Value: "Bearer t0ken"}, {Key: "Accept", Value: "text/html"}},
	}
	body := "ann:open/sesame YW5uOm9wZW4vc2VzYW1l k3y-in-query k3y/in/header k3y%2Fin%2Fheader k3y\\/in\\/header t0ken c00kie text/html"
	got := withoutCredentials(r, checks.ProbeResult{Body: []byte(body), Headers: map[string]string{"x-echo": "Bearer t0ken", "set-cookie": "a=c00kie"}, Reason: "got t0ken"}, "c00kie", "1")
	all := string(got.Body) + got.Headers["x-echo"] + got.Headers["set-cookie"] + got.Reason
	for _, secret := range []string{"sesame", "YW5uOm9wZW4vc2VzYW1l", "k3y", "t0ken", "c00kie"} {
		if strings.Contains(all, secret) {
			t.Errorf("%s is in %s", secret, all)
		}
	}
	if !strings.Contains(all, "text/html") {
		t.Errorf("more is gone than secrets: %s", all)
	}
}
