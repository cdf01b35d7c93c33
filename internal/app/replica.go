package app

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/store/db"
)

// fromReplica lets a route that only reads use the read replica. If the replica does not finish a query, and nothing was written yet, the
// request is handled again with the primary alone. Streams and files, which begin before all is read, and everything that clients report
// use the primary.
func (a *App) fromReplica(route serve.Route, next serve.Handler) serve.Handler {
	whole := route.Media == "" || route.Media == "text/html"
	if !a.store.HasReplica() || route.Method != http.MethodGet || route.NoHead || !whole || strings.HasPrefix(route.Path, "/v1/") {
		return next
	}
	return func(w http.ResponseWriter, r *http.Request) error {
		begun := &beginning{ResponseWriter: w}
		err := next(begun, r.WithContext(db.FromReplica(r.Context())))
		if errors.Is(err, db.ErrReplica) && !begun.has {
			a.log.Debug("a read replica did not finish a query", "error", err)
			return next(w, r)
		}
		return err
	}
}

// beginning notes whether a response has begun.
type beginning struct {
	http.ResponseWriter
	has bool
}

// WriteHeader implements http.ResponseWriter.
func (b *beginning) WriteHeader(status int) {
	b.has = true
	b.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (b *beginning) Write(p []byte) (int, error) {
	b.has = true
	return b.ResponseWriter.Write(p)
}

// Unwrap lets http.ResponseController reach the response.
func (b *beginning) Unwrap() http.ResponseWriter { return b.ResponseWriter }

// farBehind is when a replica is of little use.
const farBehind = 10 * time.Second

// replica is the finding of doctor about the read replica.
func (d *doctor) replica(ctx context.Context) {
	if !d.store.HasReplica() {
		return
	}
	switch u := d.store.Replica(ctx); {
	case sett.CodeOf(u.Err) == sett.Conflict:
		d.found("read replica", Fails, "%v, so all reads go to the primary; correct --database-read (SETT_DATABASE_READ)", u.Err)
	case u.Err != nil:
		d.found("read replica", Warn, "it cannot be used (%v), so all reads go to the primary; start it, or correct --database-read (SETT_DATABASE_READ)", u.Err)
	case u.Delay > farBehind:
		d.found("read replica", Warn, "it is %s (%s of log) behind the primary, so most reads go to the primary; look at what delays it", u.Delay.Round(farBehind/10), Size(u.Behind))
	default:
		d.found("read replica", Fine, "it follows the primary, %s of log behind", Size(u.Behind))
	}
}
