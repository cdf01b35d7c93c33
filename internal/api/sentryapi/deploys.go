package sentryapi

import (
	"net/http"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"sett/internal/ingest/event"
	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/sett/faults"
	"sett/internal/store/faultdb"
)

// longestDeployText is how many characters the name and the URL of a deploy have at most; they are checked and not stored.
const longestDeployText = 1024

// deployBody is a deploy of a release.
type deployBody struct {
	Environment  string                   `json:"environment"`
	Name         *string                  `json:"name"`
	URL          *string                  `json:"url"`
	DateStarted  sett.Optional[time.Time] `json:"dateStarted"`
	DateFinished sett.Optional[time.Time] `json:"dateFinished"`
	Projects     []projectName            `json:"projects"`
}

// deployAnswer is a deploy as clients decode it.
type deployAnswer struct {
	ID           string     `json:"id"`
	Environment  string     `json:"environment"`
	Name         *string    `json:"name"`
	URL          *string    `json:"url"`
	DateStarted  *time.Time `json:"dateStarted"`
	DateFinished time.Time  `json:"dateFinished"`
}

func (b deployBody) check() error {
	var p sett.Problems
	switch {
	case event.Name(b.Environment) == "":
		p.Add("environment", "is missing: the environment of the deploy, such as production")
	case utf8.RuneCountInString(b.Environment) > longestDeployText:
		p.Add("environment", "is too long (maximum is %d characters)", longestDeployText)
	}
	for field, text := range map[string]*string{"name": b.Name, "url": b.URL} {
		if text != nil && utf8.RuneCountInString(*text) > longestDeployText {
			p.Add(field, "is too long (maximum is %d characters)", longestDeployText)
		}
	}
	return p.Refusal()
}

// createDeploy records a deploy in each project of the release, as POST /v1/deploys does.
func (a *API) createDeploy(w http.ResponseWriter, r *http.Request, c caller) error {
	var body deployBody
	if err := serve.DecodeJSON(w, r, &body); err != nil {
		return err
	}
	if err := body.check(); err != nil {
		return err
	}
	version := r.PathValue("version")
	projects, err := a.projectsOfRelease(r, c, body.Projects, version)
	if err != nil {
		return err
	}
	now := a.Now()
	deploy := faults.Deploy{Environment: event.Name(body.Environment), Revision: event.Name(version), CreatedAt: now}
	if finished := body.DateFinished; finished.Sent && !finished.Null {
		deploy.CreatedAt = faults.DeployedAt(finished.Value.UTC(), now)
	}
	for _, p := range projects {
		if deploy.ID, err = a.Faults.RecordDeploy(r.Context(), now, p.ID, deploy); err != nil {
			return err
		}
	}
	answer := viewDeploy(deploy)
	answer.Name, answer.URL = body.Name, body.URL
	if started := body.DateStarted; started.Sent && !started.Null {
		answer.DateStarted = &started.Value
	}
	return serve.WriteJSON(w, http.StatusCreated, answer)
}

func viewDeploy(d faults.Deploy) deployAnswer {
	return deployAnswer{ID: strconv.FormatInt(d.ID, 10), Environment: d.Environment, DateFinished: d.CreatedAt}
}

// listDeploys lists the deploys of a release, the newest first.
func (a *API) listDeploys(w http.ResponseWriter, r *http.Request, c caller) error {
	version := r.PathValue("version")
	projects, err := a.projectsOfRelease(r, c, nil, version)
	if err != nil {
		return err
	}
	var all []faults.Deploy
	for _, p := range projects {
		found, _, err := a.Faults.ListDeploys(r.Context(), p.ID, faultdb.DeployFilter{Revision: event.Name(version), Page: sett.Page{Size: listedReleases}})
		if err != nil {
			return err
		}
		all = append(all, found...)
	}
	slices.SortStableFunc(all, func(a, b faults.Deploy) int { return b.CreatedAt.Compare(a.CreatedAt) })
	answer := []deployAnswer{}
	for _, d := range all {
		answer = append(answer, viewDeploy(d))
	}
	return serve.WriteJSON(w, http.StatusOK, answer)
}
