package api

import (
	"net/http"
	"strconv"

	"sett/internal/serve"
	"sett/internal/sett"
)

// pageSize is how many results a list has at most, and by default (contract, Limits).
const pageSize = 25

// readList reads the parameters of a list: which page of it, and into q, a pointer to a query, whatever else it takes.
func readList(r *http.Request, q any) (serve.Page, error) {
	if err := serve.DecodeQuery(r, q); err != nil {
		return serve.Page{}, err
	}
	return serve.PageOf(r, pageSize)
}

// viewAll is how the interface shows each of the results; never null.
func viewAll[T, V any](results []T, view func(T) V) []V {
	views := make([]V, len(results))
	for i, result := range results {
		views[i] = view(result)
	}
	return views
}

// lastCursor is the cursor of a list that is sorted by an integer id: that of the last result.
func lastCursor[T any](results []T, id func(T) int64) string {
	if len(results) == 0 {
		return ""
	}
	return strconv.FormatInt(id(results[len(results)-1]), 10)
}

// cursorID returns the id in a cursor that lastCursor made; 0 when there is none.
func cursorID(p serve.Page) (int64, error) {
	if p.Cursor == "" {
		return 0, nil
	}
	id, err := strconv.ParseInt(p.Cursor, 10, 64)
	if err != nil || id < 1 {
		return 0, sett.Errorf(sett.Invalid, "cursor must be taken from a next link")
	}
	return id, nil
}
