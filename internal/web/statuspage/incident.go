package statuspage

import (
	"html/template"
	"net/http"
	"slices"
	"strconv"

	"sett/internal/base/markdown"
	"sett/internal/sett"
	"sett/internal/sett/status"
)

// incidentPage is one incident with all its updates.
type incidentPage struct {
	Shell
	Incident   incidentBlock
	PostMortem template.HTML // "" for none
}

// mostDescribed is how many characters of an update the preview of a link has.
const mostDescribed = 200

func incidentPart(v visit, r *http.Request) (*document, error) {
	id, err := strconv.ParseInt(r.PathValue("incident"), 10, 64)
	at := slices.IndexFunc(v.rendered.history, func(i status.StatusIncident) bool { return i.ID == id })
	if err != nil || at < 0 {
		return nil, sett.Errorf(sett.NotFound, "There is no such incident on this page.")
	}
	return v.inLanguage(incidentPath(id), func(f *variant) (*document, error) {
		incident := f.block(v.rendered.history[at])
		shell := f.shell(incident.Name+" – "+v.rendered.view.Page.Name, incidentPath(id))
		shell.Description = f.lang.Text(string(incident.Status))
		if len(incident.Updates) > 0 && incident.Updates[0].Message != "" {
			shell.Description = beginning(incident.Updates[0].Message, mostDescribed)
		}
		shell.Picture = f.picture(incidentStem(id), f.cardOf(v.rendered.history[at]))
		page := incidentPage{Shell: shell, Incident: incident}
		if m := incident.PostMortem; m.Public() {
			page.PostMortem = markdown.Article(m.Message)
		}
		return f.page(nil, "incident", page)
	})
}
