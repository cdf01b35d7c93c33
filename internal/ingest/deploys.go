package ingest

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"sett/internal/ingest/event"
	"sett/internal/ingest/repair"
	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
)

// deployPatience is how long the database may take to record a deploy.
const deployPatience = 20 * time.Second

// recorded is the answer to a deploy; clients look for this very word (wire.md §2.5).
type recorded struct {
	Status string `json:"status" enum:"OK"`
}

// deployBody documents the JSON of a deploy.
type deployBody struct {
	APIKey string     `json:"api_key,omitempty" doc:"API key of the project, unless it is in the header X-API-Key, the query string or a form field"`
	Deploy deployPart `json:"deploy,omitzero" doc:"Its fields can also be at the top level"`
}

type deployPart struct {
	Environment   string `json:"environment,omitempty" doc:"Environment of the deploy; absent for the whole project. At most 1,024 characters, like the other fields"`
	Revision      string `json:"revision,omitempty" doc:"Commit hash or tag, as in notices"`
	Repository    string `json:"repository,omitempty" doc:"URL of the repository; a password in it is removed"`
	LocalUsername string `json:"local_username,omitempty" doc:"User who deployed"`
	Timestamp     string `json:"timestamp,omitempty" doc:"Time within the last 24 hours, as RFC 3339 or Unix seconds; any other value means now"`
}

// deployQuery documents the query of a deploy, which may say what the body may.
type deployQuery struct {
	APIKey        string `query:"api_key" doc:"API key of the project, unless it is in the header X-API-Key or the body."`
	Environment   string `query:"deploy[environment]" doc:"Environment of the deploy; absent for the whole project."`
	Revision      string `query:"deploy[revision]" doc:"Commit hash or tag, as in notices."`
	Repository    string `query:"deploy[repository]" doc:"URL of the repository."`
	LocalUsername string `query:"deploy[local_username]" doc:"User who deployed."`
}

func (in *Ingest) deployRoutes() []serve.Route {
	const tag = "Reporting"
	return []serve.Route{
		{
			Method: http.MethodPost, Path: "/v1/deploys", Name: "reportDeploy", Tag: tag, Permission: accounts.ReportWithKey,
			Query: deployQuery{}, Body: deployBody{}, Raw: true, Result: recorded{}, Status: http.StatusCreated, Handle: in.postDeploy,
			Doc: "Record a deploy. It resolves the faults that wait for a deploy and, if the project is set so, all open faults of its environment. The body can be compressed with gzip, deflate, br or zstd, and can be a form with fields such as deploy[environment].",
		},
		{
			Method: http.MethodGet, Path: "/v1/deploys", Name: "reportDeployByAddress", Tag: tag, Permission: accounts.ReportWithKey,
			Query: deployQuery{}, Result: recorded{}, Status: http.StatusCreated, NoHead: true, Handle: in.getDeploy,
			Doc: "Record a deploy with only a URL, as in curl -g \"…/v1/deploys?deploy[environment]=production&api_key=…\". Without any deploy parameter, nothing is recorded.",
		},
		{
			Method: http.MethodPost, Path: "/v1/deploys/heroku", Name: "reportHerokuDeploy", Tag: tag, Permission: accounts.ReportWithKey,
			Query: herokuQuery{}, Body: herokuBody{}, Raw: true, Result: recorded{}, Status: http.StatusCreated, Handle: in.postHeroku,
			Doc: "Record a deploy from a webhook or deploy hook of Heroku. A release that has not succeeded is accepted but not recorded.",
		},
		{
			Method: http.MethodOptions, Path: "/v1/deploys", Name: "preflightDeploy", Tag: tag,
			Permission: accounts.Public, Status: http.StatusNoContent,
			Doc: "CORS preflight for reports from browsers.", Quiet: true, Handle: preflight("GET, POST, OPTIONS"),
		},
	}
}

// postDeploy records a deploy. It answers 201 only once the deploy and what it resolved are durably stored.
func (in *Ingest) postDeploy(w http.ResponseWriter, r *http.Request) error {
	project, body, err := in.admitHook(w, r)
	if err != nil {
		return err
	}
	var sent struct {
		Deploy sett.Optional[sentDeploy] `json:"deploy"`
		sentDeploy
	}
	if err := body.decode(w, r, &sent); err != nil {
		return err
	}
	var problems sett.Problems
	sett.Check(&problems, "deploy", sent.Deploy)
	if err := problems.Refusal(); err != nil {
		return err
	}
	said := sent.Deploy.Value.or(sent.sentDeploy).or(deployOfForm(body.fields)).or(deployOfForm(event.ParseQuery(r.URL.RawQuery)))
	return in.recordDeploy(w, r, project, said)
}

// getDeploy records a deploy from the URL alone, as the documentation of the service shows with curl (clients.md). A request
// without deploy parameters is from a user who opens the URL: it records nothing.
func (in *Ingest) getDeploy(w http.ResponseWriter, r *http.Request) error {
	project, err := in.deployer(r.Context(), requestKey(r))
	if err != nil {
		return err
	}
	said := deployOfForm(event.ParseQuery(r.URL.RawQuery))
	if !said.saysAnything() {
		return sett.Errorf(sett.Invalid, "Nothing was recorded: the URL has no deploy parameters. Add deploy[environment], deploy[revision], deploy[repository] or deploy[local_username], or send a POST request.")
	}
	return in.recordDeploy(w, r, project, said)
}

func (in *Ingest) recordDeploy(w http.ResponseWriter, r *http.Request, project accounts.KeyedProject, said sentDeploy) error {
	now := in.now()
	deploy, err := said.deploy(now)
	if err != nil {
		return err
	}
	for _, text := range []*string{&deploy.Environment, &deploy.Revision, &deploy.Repository, &deploy.LocalUsername} {
		*text = in.cleanText(project, *text)
	}
	if err := in.storeDeploy(r.Context(), now, project.ProjectID, deploy); err != nil {
		return err
	}
	in.forwardDeploy(r, project, deploy)
	return serve.WriteJSON(w, http.StatusCreated, recorded{Status: "OK"})
}

// storeDeploy stores a deploy, or keeps it in the spool.
func (in *Ingest) storeDeploy(ctx context.Context, now time.Time, projectID int64, d faults.Deploy) error {
	if !in.spool.Holds() {
		ctx, cancel := context.WithTimeout(ctx, deployPatience)
		defer cancel()
		_, err := in.faults.RecordDeploy(ctx, now, projectID, d)
		if err = in.db.Explain(err); !in.spool.takes(err) {
			return err
		}
	}
	return in.spool.Deploy(now, projectID, d)
}

// hookBody is a body that is either a form or JSON.
type hookBody struct {
	fields url.Values // nil for JSON
	json   []byte
}

// deployer returns the project of an API key with which deploys may be recorded.
func (in *Ingest) deployer(ctx context.Context, key string) (accounts.KeyedProject, error) {
	project, err := in.project(ctx, key)
	if err != nil {
		return project, err
	}
	return project, project.Scope.RefuseMore("record deploys")
}

// admitHook returns the project whose key the request carries, and its body. A wrong key outside the body is refused
// before anything is read.
func (in *Ingest) admitHook(w http.ResponseWriter, r *http.Request) (project accounts.KeyedProject, b hookBody, err error) {
	key := requestKey(r)
	if key != "" {
		if project, err = in.deployer(r.Context(), key); err != nil {
			return project, b, err
		}
		serve.Known(r.Context())
	}
	m := in.memories.take()
	defer in.memories.giveBack(m)
	body, err := in.inflated(w, r, m)
	if err != nil {
		return project, b, err
	}
	fields, isForm := event.FormFields(r.Header.Get("Content-Type"), body)
	if isForm {
		b.fields = fields
	} else {
		b.json = bytes.Clone(bytes.TrimSpace(body)) // m is given back
		if _, err := event.Key(b.json); err != nil || !utf8.Valid(b.json) {
			doc, notes, ok := m.readable(b.json, errUnread)
			if ok && !slices.Contains(notes, repair.Cut) && !slices.Contains(notes, repair.Rest) { // a deploy resolves errors: half of one is none
				b.json = doc
			}
		}
	}
	if key == "" {
		if key, err = b.key(); err == nil {
			project, err = in.deployer(r.Context(), key)
		}
	}
	return project, b, err
}

// key returns the API key in the body, or "".
func (b hookBody) key() (string, error) {
	if len(b.json) == 0 {
		return strings.TrimSpace(b.fields.Get("api_key")), nil
	}
	return event.Key(b.json)
}

// decode reads a body that is JSON into dst, as serve.DecodeJSON does; a form and an empty body leave dst as it is.
func (b hookBody) decode(w http.ResponseWriter, r *http.Request, dst any) error {
	if len(b.json) == 0 {
		return nil
	}
	plain := r.WithContext(r.Context())
	plain.Body = io.NopCloser(bytes.NewReader(b.json))
	return serve.DecodeJSON(w, plain, dst)
}
