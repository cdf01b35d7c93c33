package events

import (
	"net/http"

	"sett/internal/sett/insight"
	"sett/internal/web"
)

// longestTyped is how many bytes of what is typed before the cursor are read.
const longestTyped = 8_000

// suggestions answers with what completes the question before the cursor, for scripts.
func (p *pages) suggestions(w http.ResponseWriter, r *http.Request) error {
	before := r.URL.Query().Get("q")
	if len(before) > longestTyped {
		return web.Suggest(w, "", nil)
	}
	typing := insight.Type(before)
	var fields []insight.Known
	var values []string
	var err error
	if typing.Fields {
		fields, err = p.Insights.Fields(r.Context(), web.Project(r))
	} else if typing.Key != "" {
		values, err = p.Insights.Values(r.Context(), web.Project(r), typing.Key, mostValues)
	}
	if err != nil {
		return err
	}
	var all []web.Suggestion
	for _, h := range typing.Hints(fields, values) {
		all = append(all, web.Suggestion{h.Text, h.About})
	}
	return web.Suggest(w, typing.Typed, all)
}

// mostValues is how many values of a field are looked at.
const mostValues = 1_000
