package ingest

import (
	"log/slog"
	"net/http"
	"regexp"
	"sync"
	"time"

	"sett/internal/serve"
)

// foreign are addresses that clients of other services report to, with the sentence that answers them.
var foreign = []struct {
	path     *regexp.Regexp
	name     string
	sentence string
}{
	{
		regexp.MustCompile(`^/api/[^/]+/(attachments|replay)/?$`), "Sentry",
		"sett accepts attachments of Sentry clients only in envelopes, and no replays. The page /docs/clients lists what it accepts.",
	},
	{
		regexp.MustCompile(`^(/otlp)?/(v1development|v1)/profiles/?$`), "OpenTelemetry",
		"sett does not accept OpenTelemetry profiles. Report errors as logs or traces, as the page /docs/clients describes.",
	},
	{
		regexp.MustCompile(`^(/api/v4/projects/[^/]+/(notices|create-notice)(/.*)?|/notifier_api/v[0-9]+/notices)/?$`), "Airbrake",
		"sett accepts version 3 of the Airbrake protocol, and not this one. Update the client to one from the page /docs/clients.",
	},
}

// foreignEvery is how often a line is logged of requests to one service.
const foreignEvery = 10 * time.Second

// Foreign wraps the handler of addresses where nothing is served. Clients of other services receive one sentence that
// says what to do, and the log shows which address they ask, so that both sides see it.
func Foreign(log *slog.Logger, now func() time.Time, next serve.Handler) serve.Handler {
	var mu sync.Mutex
	last, unsaid := map[string]time.Time{}, map[string]int{}
	note := func(name, method, path string) {
		mu.Lock()
		defer mu.Unlock()
		if at := now(); at.Sub(last[name]) < foreignEvery && !last[name].IsZero() {
			unsaid[name]++
			return
		}
		log.Warn("refused a report, because sett does not accept this protocol of another service", "service", name, "method", method, "path", cutPath(path),
			"more", unsaid[name], "hint", "the client received what to do; see the page /docs/clients")
		last[name], unsaid[name] = now(), 0
	}
	return func(w http.ResponseWriter, r *http.Request) error {
		for _, f := range foreign {
			if f.path.MatchString(r.URL.Path) {
				note(f.name, r.Method, r.URL.Path)
				return serve.WriteJSON(w, http.StatusNotFound, foreignAnswer{f.sentence, f.sentence})
			}
		}
		return next(w, r)
	}
}

// foreignAnswer has the sentence under the names that clients look for.
type foreignAnswer struct {
	Error  string `json:"error"`
	Errors string `json:"errors"`
}

// longestPath is how many bytes of a path are logged.
const longestPath = 200

func cutPath(path string) string {
	if len(path) > longestPath {
		return path[:longestPath]
	}
	return path
}
