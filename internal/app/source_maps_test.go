package app_test

import (
	"net/http"
	"testing"

	"sett/internal/app"
	"sett/internal/setttest"
	"sett/internal/setttest/recording"
)

// A server that is started, not only its commands, keeps to the limit of the settings.
func TestSourceMapsAreLimited(t *testing.T) {
	t.Parallel()
	for limit, status := range map[int64]int{1 << 20: http.StatusCreated, 500: http.StatusRequestEntityTooLarge} {
		s := setttest.Start(t, "sqlite", func(c *app.Config) { c.SourceMapBytes = limit })
		contentType, body := recording.Form(t, map[string]string{
			"api_key": s.Key, "minified_url": "https://a.test/a.js", "@source_map": `{"version":3,"sources":["a.ts"],"names":[],"mappings":"AAAA"}`,
		})
		s.Do(http.MethodPost, "/v1/source_maps", body, "Content-Type", contentType).Want(status)
	}
}
