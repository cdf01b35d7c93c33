package app

import (
	"errors"

	"sett/internal/serve"
	"sett/internal/store/db"
)

// fromReplica lets a route that only reads use the read replica, and the primary if the replica does not finish a query.
func (a *App) fromReplica(route serve.Route, next serve.Handler) serve.Handler {
	if !a.store.HasReplica() || !route.ReadsWhole() {
		return next
	}
	return serve.Again(next, db.FromReplica, func(err error) bool { return errors.Is(err, db.ErrReplica) })
}
