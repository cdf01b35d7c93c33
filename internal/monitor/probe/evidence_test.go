package probe_test

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"strings"
	"testing"

	"sett/internal/sett/checks"
)

// A site that repeats what it was sent, or shows a session, leaves none of it in the evidence of a failed check.
func TestEvidenceHasNoCredentials(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent, _ := httputil.DumpRequest(r, true)
		http.SetCookie(w, &http.Cookie{Name: "sid", Value: "c00kie-value"})
		w.Header().Set("X-Echo", r.Header.Get("X-Api-Key"))
		w.Header().Set("Authorization", "Bearer of-the-site")
		w.WriteHeader(http.StatusInternalServerError)
		_, _ = w.Write(append(sent, "\nsession c00kie-value of X-Plain"...))
	}))
	t.Cleanup(server.Close)
	r := check(t, open(), checks.ProbeRequest{
		URL: strings.Replace(server.URL, "://", "://ann:sesame@", 1) + "/?token=in-the-query", Headers: headers("X-Api-Key", "in-a-header", "X-Plain", "shown"),
	})
	if r.Up || len(r.Body) == 0 || r.Headers["x-echo"] == "" {
		t.Fatalf("%+v", r)
	}
	all := string(r.Body)
	for name, value := range r.Headers {
		all += name + value
	}
	for _, secret := range []string{"sesame", "YW5uOnNlc2FtZQ", "in-the-query", "in-a-header", "c00kie-value", "of-the-site", "set-cookie"} {
		if strings.Contains(all, secret) {
			t.Errorf("%s is in the evidence: %s", secret, all)
		}
	}
	if !strings.Contains(all, "X-Plain: shown") {
		t.Errorf("what is no secret is gone: %s", all)
	}
}
