package ingest

import (
	"net/http"
	"slices"
	"strings"

	"sett/internal/ingest/event"
	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/stats"
)

// RoutesOfOthers returns the routes at which clients of other services report, unmodified. The document of the API does not list them:
// their owners describe them.
func (in *Ingest) RoutesOfOthers() []serve.Route {
	return slices.Concat(in.sentryRoutes(), in.feedbackRoutes(), in.airbrakeRoutes(), in.otlpRoutes(), in.aliasRoutes())
}

// converted is a notice that was made of the request of another protocol.
type converted struct {
	notice []byte // the JSON; must not change until it is stored
	hints  event.Hints
	noted  bool // the notice has what was repaired in its request
}

// submit stores a converted notice of a project. It returns once the notice is durable, or discarded because its fault is ignored. Errors:
// those of take, and TooMany when the project has reached a limit.
func (in *Ingest) submit(p accounts.KeyedProject, m *memory, c converted) (accounts.Receipt, error) {
	c.noted = true
	receipt, err := in.take(p, m, c, &m.facets)
	if err != nil {
		return receipt, err
	}
	return receipt, in.refusalOf(p, receipt)
}

// refusalOf returns the error with which a notice is answered that was not stored; nil for one that was, or is ignored.
func (in *Ingest) refusalOf(p accounts.KeyedProject, r accounts.Receipt) error {
	switch r.Outcome {
	case accounts.Limited:
		in.discards.add(p.ProjectID, in.now(), stats.Discard{Source: stats.ByServer, Category: errorCategory, Reason: stats.DroppedLimited, Count: 1, Detail: r.Why})
		return &sett.Error{Code: sett.TooMany, Message: r.Why, RetryAfter: r.RetryAfter}
	case accounts.InvalidNotice:
		return sett.Errorf(sett.Forbidden, "%s", r.Why)
	default:
		return nil
	}
}

// projectOfBearer returns the project of the key that a request carries, for protocols in which a wrong key is answered with 401.
func (in *Ingest) projectOfBearer(r *http.Request) (accounts.KeyedProject, error) {
	project, err := in.project(r.Context(), bearerKey(r))
	if sett.CodeOf(err) == sett.Forbidden {
		err = sett.Errorf(sett.Unauthenticated, "%s", serve.Explain(r, err).Message)
	}
	return project, err
}

// bearerKey returns the API key that a request carries as clients of other protocols send it: as a bearer token, in the query parameter
// key, or as any other client does.
func bearerKey(r *http.Request) string {
	scheme, key, _ := strings.Cut(strings.TrimSpace(r.Header.Get("Authorization")), " ")
	if strings.EqualFold(scheme, "bearer") {
		return strings.TrimSpace(key)
	}
	if r.URL.RawQuery != "" {
		if key := strings.TrimSpace(r.URL.Query().Get("key")); key != "" {
			return key
		}
	}
	return requestKey(r)
}
