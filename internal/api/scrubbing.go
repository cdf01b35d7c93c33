package api

import (
	"net/http"

	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/scrub"
)

const scrubbingPath = "/v2/projects/{project_id}/scrubbing"

func (a *API) scrubbingRoutes() []serve.Route {
	const tag = "Scrubbing"
	return []serve.Route{
		{
			Method: "GET", Path: scrubbingPath, Name: "getScrubbing", Tag: tag, Permission: accounts.ManageProject,
			Result: scrubbingResult{}, Handle: a.getScrubbing,
			Doc: "Get what is removed from the events of a project before they are stored, and how many values were removed in the last 30 days.",
		},
		{
			Method: "PUT", Path: scrubbingPath, Name: "updateScrubbing", Tag: tag, Permission: accounts.ManageProject,
			Body: scrubbingBody{}, Status: http.StatusNoContent, Handle: a.updateScrubbing,
			Doc: "Update what is removed from the events of a project. Only the fields you send change; null resets a field. The change applies to events that arrive a few seconds later.",
		},
	}
}

// scrubbingResult is the body of a response with what is removed.
type scrubbingResult struct {
	Scrubbing Scrubbing `json:"scrubbing"`
}

// Scrubbing is what is removed from the events of a project.
type Scrubbing struct {
	Enabled  bool             `json:"enabled"`
	Defaults bool             `json:"defaults" doc:"Whether what is usually secret is removed."`
	Names    []string         `json:"names"`
	Keep     []string         `json:"keep"`
	Patterns []string         `json:"patterns"`
	Removed  map[string]int64 `json:"removed" doc:"How many values were removed in the last 30 days, by reason: name, card, credential, environment, pattern, or unchecked: the patterns take too much work for the text."`
}

func (a *API) getScrubbing(w http.ResponseWriter, r *http.Request) error {
	project := pathID(r, "project_id")
	s, err := a.Accounts.Scrubbing(r.Context(), project)
	if err != nil {
		return err
	}
	removed, err := a.Intake.Removed(r.Context(), project, a.Now().AddDate(0, 0, -30))
	if err != nil {
		return err
	}
	v := Scrubbing{
		Enabled: !s.Off, Defaults: !s.OwnOnly, Names: append([]string{}, s.Names...), Keep: append([]string{}, s.Keep...),
		Patterns: append([]string{}, s.Patterns...), Removed: map[string]int64{},
	}
	for _, c := range removed {
		v.Removed[c.Kind] = c.Count
	}
	return serve.WriteJSON(w, http.StatusOK, scrubbingResult{v})
}

// scrubbingBody is the body of an update.
type scrubbingBody struct {
	Scrubbing sett.Optional[scrub.ScrubbingChange] `json:"scrubbing" required:"true"`
}

func (a *API) updateScrubbing(w http.ResponseWriter, r *http.Request) error {
	var body scrubbingBody
	change, err := readOwn(w, r, &body, &body.Scrubbing, "scrubbing", `{"names": ["passport_number"]}`, Scrubbing{})
	if err != nil {
		return err
	}
	if err := a.Accounts.UpdateScrubbing(r.Context(), pathID(r, "project_id"), change); err != nil {
		return err
	}
	a.Keys.Forget() // intake reads the settings with the key
	w.WriteHeader(http.StatusNoContent)
	return nil
}
