package statusadmin

import (
	"net/http"

	"sett/internal/sett"
	"sett/internal/sett/status"
	"sett/internal/web"
)

// postMortemForm is the post-mortem of an incident, which people write once it is over.
type postMortemForm struct {
	status.PostMortem
	Shown  bool
	Is     web.State
	Fields web.Fields
}

func newPostMortemForm(i status.StatusIncident) postMortemForm {
	f := postMortemForm{PostMortem: i.PostMortem, Shown: i.MayHavePostMortem(), Is: web.State{Mood: web.Muted, Word: "Not written"}}
	f.Fields = web.Fields{{
		Name: "postmortem", Label: "Text", Kind: "area", Lines: 12, Value: i.PostMortem.Message,
		Hint: "Say what happened, whom it affected, and what you do about it. Markdown is supported.",
	}}
	switch {
	case i.PostMortem.Public():
		f.Is = web.State{Mood: web.Fine, Word: "Published"}
		return f
	case i.PostMortem.Message != "":
		f.Is.Word = "Draft"
	}
	f.Fields = append(f.Fields, web.Field{Name: "postmortem_notify", Label: "Notify subscribers when I publish it", Kind: "tick"})
	return f
}

// savePostMortem saves the text as a draft, publishes it, or withdraws it.
func (p *pages) savePostMortem(w http.ResponseWriter, r *http.Request) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	do := form.Get("do")
	c := status.IncidentChange{
		PostMortem: sett.Some(form.Get("postmortem")), PostMortemPublished: sett.Some(sett.LenientBool(do == "publish")),
		PostMortemNotify: sett.Some(sett.LenientBool(form.Get("postmortem_notify") != "")),
	}
	if err := p.Status.UpdateIncident(r.Context(), p.Now(), account(r), r.PathValue("status_page_id"), incidentID(r), c); err != nil {
		return p.refuseUpdate(w, r, err, func(page *incidentPage) {
			fill(page.PostMortem.Fields, form)
			page.PostMortem.Fields.Explain(sett.ProblemsOf(err))
		})
	}
	done := map[string]string{"publish": "published", "withdraw": "withdrawn"}[do]
	switch {
	case form.Get("postmortem") == "":
		done = "postmortem_gone"
	case done == "":
		done = "draft_saved"
	}
	return p.Done(w, to(r, "/incidents/"+formatID(incidentID(r))), done)
}
