package sentryapi_test

import (
	"encoding/json"
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"sett/internal/app"
	"sett/internal/setttest"
)

// Chunks are uploaded to the name at which a tool has reached the server, which the address for clients need not be.
func TestChunksAreSentWhereTheToolIs(t *testing.T) {
	t.Parallel()
	const javaScript = "sentry-cli/0.45.0 (linux-x64) node/22.21.1"
	s := setttest.Start(t, "sqlite", func(c *app.Config) { c.BaseURL, c.TrustedProxies = "https://sett.invalid/errors", nil })
	trusting := setttest.Start(t, "sqlite", func(c *app.Config) {
		c.BaseURL, c.TrustedProxies = "https://sett.invalid", []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	})
	for _, c := range []struct {
		server              *setttest.Server
		agent, header, want string
	}{
		{s, "sentry-cli/3.8.0", "", "organizations/acme/chunk-upload/"},
		{s, "sentry-cli/1.70.1 webpack", "Via: 1.1 proxy", "organizations/acme/chunk-upload/"},
		{s, "sentry-cli/1.70.0", "", "http://other.test:81/errors" + chunkPath},
		{s, "sentry-cli/2.0.0 (linux-x64) node/22.21.1", "", "http://other.test:81/errors" + chunkPath},
		{s, javaScript, "", "http://other.test:81/errors" + chunkPath},
		{s, javaScript, "X-Forwarded-Proto: https", "https://sett.invalid/errors" + chunkPath}, // anybody can say so
		{trusting, javaScript, "X-Forwarded-Proto: https", "https://other.test:81" + chunkPath},
		{trusting, javaScript, "X-Forwarded-Host: third.test, fourth.test", "http://third.test" + chunkPath},
		{trusting, javaScript, "X-Forwarded-Host: third.test/path", "https://sett.invalid" + chunkPath},
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+c.server.App.Addr()+chunkPath, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = "other.test:81"
		r.Header.Set("Authorization", "Bearer "+c.server.Token)
		r.Header.Set("User-Agent", c.agent)
		if name, value, ok := strings.Cut(c.header, ": "); ok {
			r.Header.Set(name, value)
		}
		got, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		var options struct{ URL string }
		err = json.NewDecoder(got.Body).Decode(&options)
		if got.Body.Close(); err != nil || options.URL != c.want {
			t.Errorf("%s with %q is to upload to %q, want %q; %v", c.agent, c.header, options.URL, c.want, err)
		}
	}
}
