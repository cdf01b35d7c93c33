package fault

import (
	"net/http"

	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/web"
)

// suggestions answers with the texts that complete a term of the search box, for scripts. What is no term has none.
func (p *pages) suggestions(w http.ResponseWriter, r *http.Request) error {
	var problems sett.Problems
	typed := sett.CheckTyped(&problems, "q", r.URL.Query().Get("q"))
	texts := []string{}
	if len(problems) > 0 {
		return serve.WriteJSON(w, http.StatusOK, texts)
	}
	found, err := p.Search.Suggest(r.Context(), web.Project(r), typed)
	if err != nil {
		return err
	}
	for _, s := range found {
		texts = append(texts, s.Text)
	}
	return serve.WriteJSON(w, http.StatusOK, texts)
}
