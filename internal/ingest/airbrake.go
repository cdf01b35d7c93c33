package ingest

import (
	"net/http"
	"strconv"

	"sett/internal/ingest/airbrake"
	"sett/internal/ingest/event"
	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/stats"
)

// airbrakeRoutes returns the routes of Airbrake clients: notices, the configuration that they ask for, and the statistics of requests that
// they send unless that configuration turns them off.
func (in *Ingest) airbrakeRoutes() (routes []serve.Route) {
	add := func(method, path, name string, permission accounts.Permission, handle serve.Handler) {
		routes = append(routes, serve.Route{
			Method: method, Path: path, Name: name, Tag: "Reporting", Permission: permission, Raw: method != http.MethodGet && method != http.MethodOptions,
			Doc: "For Airbrake clients.", Quiet: true, Handle: exposeDelay(airbrakeErrors(handle)),
		})
	}
	const (
		notices = "/api/v3/projects/{project_id}/notices"
		created = "/api/v3/projects/{project_id}/create-notice"
		figures = "/api/v5/projects/{project_id}/{statistics}"
		config  = "/2020-06-18/config/{project_id}/config.json"
	)
	add(http.MethodPost, notices, "reportAirbrakeNotice", accounts.ReportWithKey, in.postAirbrake)
	add(http.MethodPost, created, "reportAirbrakeNoticeByForm", accounts.ReportWithKey, in.postAirbrake)
	add(http.MethodGet, config, "airbrakeConfig", accounts.Public, getAirbrakeConfig)
	add(http.MethodPost, figures, "reportAirbrakeStatistics", accounts.Public, in.dropStatistics)
	add(http.MethodPut, figures, "putAirbrakeStatistics", accounts.Public, in.dropStatistics)
	add(http.MethodOptions, notices, "preflightAirbrakeNotice", accounts.Public, preflight("POST, OPTIONS"))
	add(http.MethodOptions, created, "preflightAirbrakeNoticeByForm", accounts.Public, preflight("POST, OPTIONS"))
	add(http.MethodOptions, config, "preflightAirbrakeConfig", accounts.Public, preflight("GET, OPTIONS"))
	add(http.MethodOptions, figures, "preflightAirbrakeStatistics", accounts.Public, preflight("POST, PUT, OPTIONS"))
	return routes
}

// transactionCategory is the category of statistics of requests, which are not stored.
const transactionCategory = "transaction"

// airbrakeNotice is the answer to a notice.
type airbrakeNotice struct {
	ID  string `json:"id"`
	URL string `json:"url"` // of its page
}

// postAirbrake takes one notice, whatever its content type: browsers send text/plain, which needs no preflight.
func (in *Ingest) postAirbrake(w http.ResponseWriter, r *http.Request) error {
	project, err := in.airbrakeProject(r)
	if err != nil {
		return err
	}
	serve.Known(r.Context())
	m := in.memories.take()
	body, err := in.inflated(w, r, m)
	if err != nil {
		return in.refuse(project, err)
	}
	report, repairs, err := readAgain(m, body, airbrake.Read, nil)
	if err != nil {
		return in.refuse(project, err)
	}
	report.Notice.Repairs = repairs
	m.notice = report.Notice.Append(m.notice[:0], event.MaxNotice)
	c := converted{notice: m.notice, hints: event.Hints{Message: report.Pattern}}
	receipt, err := in.submit(project, m, c)
	if err != nil {
		return err
	}
	in.memories.giveBack(m)
	id := receipt.ID.String()
	return serve.WriteJSON(w, http.StatusCreated, airbrakeNotice{ID: id, URL: in.baseURL + "/notice/" + id})
}

// airbrakeProject returns the project of a request: that of its key, whose id the path must name.
func (in *Ingest) airbrakeProject(r *http.Request) (accounts.KeyedProject, error) {
	project, err := in.projectOfBearer(r)
	if err == nil && r.PathValue("project_id") != strconv.FormatInt(project.ProjectID, 10) {
		return project, sett.Errorf(sett.Unauthenticated, "The API key belongs to the project with the id %d, and the URL names another one. Set the project id of the client to %[1]d.", project.ProjectID)
	}
	return project, err
}

// airbrakeConfig is what clients ask for every so often: which of their parts are on.
type airbrakeConfig struct {
	ProjectID int64             `json:"project_id"`
	UpdatedAt int64             `json:"updated_at"`
	Seconds   int               `json:"poll_sec"`     // until they ask again
	Route     string            `json:"config_route"` // where they ask; "": where they have always asked
	Settings  []airbrakeSetting `json:"settings"`
}

type airbrakeSetting struct {
	Name     string  `json:"name"`
	Enabled  bool    `json:"enabled"`
	Endpoint *string `json:"endpoint"` // null: the configured host
}

// getAirbrakeConfig turns statistics off, which sett does not store. It needs no key, and says nothing about the project.
func getAirbrakeConfig(w http.ResponseWriter, r *http.Request) error {
	project, err := strconv.ParseInt(r.PathValue("project_id"), 10, 64)
	if err != nil {
		return sett.Errorf(sett.NotFound, "The id of a project is a number. Copy it from the settings of your project.")
	}
	return serve.WriteJSON(w, http.StatusOK, airbrakeConfig{
		ProjectID: project, UpdatedAt: 1, Seconds: 600,
		Settings: []airbrakeSetting{{Name: "errors", Enabled: true}, {Name: "apm", Enabled: false}},
	})
}

// dropStatistics accepts what clients that do not ask for their configuration send every few seconds, and reads none of it. What comes with the
// key of a project is counted.
func (in *Ingest) dropStatistics(w http.ResponseWriter, r *http.Request) error {
	switch r.PathValue("statistics") {
	case "routes-stats", "routes-breakdowns", "queries-stats", "queues-stats":
		if project, err := in.airbrakeProject(r); err == nil {
			in.drop(project, transactionCategory, stats.DroppedUnsupported, 1)
		}
		w.WriteHeader(http.StatusNoContent)
		return nil
	default:
		return sett.Errorf(sett.NotFound, "Not found. Check the URL.")
	}
}

// airbrakeError is an error as Airbrake clients read it.
type airbrakeError struct {
	Message string `json:"message"`
}

// airbrakeErrors answers errors with statuses that these clients know, and says how long a client that sends too much is to wait.
func airbrakeErrors(next serve.Handler) serve.Handler {
	known := func(w http.ResponseWriter, r *http.Request) error {
		err := next(w, r)
		if err == nil {
			return nil
		}
		e := *serve.Explain(r, err)
		if e.Code == sett.Invalid {
			e.Code = sett.Malformed // 422 is not a status of Airbrake
		}
		if serve.SetRetryAfter(w.Header(), &e); e.Code == sett.TooMany {
			w.Header().Set("X-RateLimit-Delay", w.Header().Get("Retry-After"))
		}
		return &e
	}
	return serve.AnswerErrorsAs(known, func(_ int, message string) any { return airbrakeError{message} })
}

// exposeDelay lets pages of all origins read an answer, with its delay.
func exposeDelay(next serve.Handler) serve.Handler {
	return AllowOrigins(func(w http.ResponseWriter, r *http.Request) error {
		w.Header().Set("Access-Control-Expose-Headers", "X-RateLimit-Delay, Retry-After")
		return next(w, r)
	})
}
