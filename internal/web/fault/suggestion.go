package fault

import (
	"net/http"

	"sett/internal/event/query"
	"sett/internal/sett"
	"sett/internal/web"
)

// suggestions answers with the texts that complete the last term of the search box, for scripts. What is no term has none.
func (p *pages) suggestions(w http.ResponseWriter, r *http.Request) error {
	var problems sett.Problems
	term := query.LastTerm(r.URL.Query().Get("q"))
	typed := sett.CheckTyped(&problems, "q", term)
	if len(problems) > 0 {
		return web.Suggest(w, term, nil)
	}
	found, err := p.Search.Suggest(r.Context(), web.Project(r), typed)
	if err != nil {
		return err
	}
	var all []web.Suggestion
	for _, s := range found {
		all = append(all, web.Suggestion{s.Text, ""})
	}
	return web.Suggest(w, term, all)
}
