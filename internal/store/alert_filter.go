package store

import (
	"context"
	"maps"
	"slices"
	"strings"

	"sett/internal/sett"
)

// projectQuery is the query of a filter of a project's integration.
type projectQuery struct {
	project int64
	query   string
}

// matches reports whether a query finds any fault of the alert. What is no query lets everything through: rather a message
// too many than none.
func (h *hearings) matches(a *sett.Alert, query string) bool {
	found, readable := h.found[projectQuery{a.ProjectID, query}]
	return !readable || slices.ContainsFunc(a.AboutFaults(), func(id int64) bool { return found[id] })
}

// runQueries finds out which faults of the alerts the filters mean that are asked about them.
func (h *hearings) runQueries(ctx context.Context) error {
	asked := map[projectQuery]map[int64]bool{}
	for _, a := range h.alerts {
		for _, i := range h.integrations[a.ProjectID] {
			if i.Wants(a.Event) {
				ask(asked, a, i)
			}
		}
	}
	h.found = map[projectQuery]map[int64]bool{}
	for q, faults := range asked {
		if err := h.runQuery(ctx, q, slices.Sorted(maps.Keys(faults))); err != nil {
			return err
		}
	}
	return nil
}

func ask(asked map[projectQuery]map[int64]bool, a sett.Alert, i sett.Integration) {
	for _, query := range i.Queries(a.Event) {
		q := projectQuery{a.ProjectID, query}
		if asked[q] == nil {
			asked[q] = map[int64]bool{}
		}
		for _, id := range a.AboutFaults() {
			asked[q][id] = true
		}
	}
}

func (h *hearings) runQuery(ctx context.Context, q projectQuery, faults []int64) error {
	search, err := sett.ParseSearch(q.query, h.now)
	if err != nil {
		return nil //nolint:nilerr // see matches
	}
	filter, err := FaultFilter{Search: search}.dated(ctx, h.s, h, q.project)
	if err != nil {
		return err
	}
	h.found[q] = map[int64]bool{}
	for some := range slices.Chunk(faults, rowsAtOnce) {
		if err := h.findFaults(ctx, q, filter, some); err != nil {
			return err
		}
	}
	return nil
}

// findFaults notes which of some faults a filter means.
func (h *hearings) findFaults(ctx context.Context, q projectQuery, filter FaultFilter, faults []int64) error {
	var a assembly
	a.add("-- store.findFaults\nSELECT f.id")
	a.foundFaults(q.project, h.now, filter)
	values := make([]any, len(faults))
	for i, id := range faults {
		values[i] = id
	}
	a.add(" AND f.id IN ("+strings.Repeat("?,", len(values)-1)+"?)", values...)
	rows, err := h.QueryContext(ctx, a.statement(h.s.dialect), a.args...)
	return scanAll(rows, err, scanID(func(id int64) { h.found[q][id] = true }))
}
