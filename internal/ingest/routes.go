// Package ingest accepts the reports of clients. Requests under /v1 carry the API key of a project and a body that may be compressed and
// may have any shape. The package hands reports to the store through a buffer, and answers as clients expect once the report is durable.
// Every notice is either stored or counted, and reading one never costs more than sending it. The package never decides who is notified of
// an error, and never reads what it has stored.
package ingest

import (
	"context"
	"net/http"
	"slices"
	"time"

	"sett/internal/base/turn"
	"sett/internal/ingest/event"
	"sett/internal/ingest/unminify"
	"sett/internal/ingest/upload"
	"sett/internal/serve"
	"sett/internal/serve/auth"
	"sett/internal/sett/accounts"
	"sett/internal/sett/alerts"
	"sett/internal/sett/forward"
	"sett/internal/sett/regroup"
	"sett/internal/sett/repo"
	"sett/internal/store/attachmentdb"
	"sett/internal/store/db"
	"sett/internal/store/faultdb"
	"sett/internal/store/repodb"
	"sett/internal/store/uptimedb"
)

// Options is what intake needs.
type Options struct {
	Keys   *auth.Keys
	Buffer *Buffer
	Pings  *Pings
	Events *Events
	Spool  *Spool // nil: there is none
	DB     *db.DB
	Faults *faultdb.Store  // records deploys; notices go through the buffer, pings through theirs
	Uptime *uptimedb.Store // creates the check-ins of jobs that say when they run
	Now    func() time.Time

	Uploads   *upload.Desk
	Maps      *unminify.Maps
	Scrubbing *Scrubbing

	Attachments *attachmentdb.Store
	Discards    *Discards
	Sessions    *Sessions

	Repositories   *repodb.Store
	Tracker        func(ctx context.Context, id int64) (alerts.Integration, error)                                 // finds the integration of an issue tracker
	RecordDelivery func(ctx context.Context, now time.Time, r repo.Repository, d repo.Delivery, base string) error // stores what a webhook of a repository says

	Forward func(projectID int64, r forward.Report) // sends a report to the service that its project moves from; it never waits

	Proxies serve.Proxies // whose word on where a ping came from is believed
	BaseURL string        // where people reach the server; no trailing slash
}

// Ingest serves the routes under /v1. It is safe for concurrent use.
type Ingest struct {
	keys     *auth.Keys
	buffer   *Buffer
	pings    *Pings
	events   *Events
	spool    *Spool
	db       *db.DB
	faults   *faultdb.Store
	now      func() time.Time
	proxies  serve.Proxies
	baseURL  string
	inflater event.Inflater
	memories memories

	scrubbing     *Scrubbing
	grouping      compiled[regroup.Compiled]
	sessions      *Sessions
	forward       func(int64, forward.Report)
	feedbackRates feedbackRates

	attachments *attachmentdb.Store
	discards    *Discards
	large       *turn.Places // to read large envelopes

	uptime    *uptimedb.Store
	schedules schedules
	maps      *unminify.Maps
	uploads   *upload.Desk

	repositories   *repodb.Store
	tracker        func(context.Context, int64) (alerts.Integration, error)
	recordDelivery func(context.Context, time.Time, repo.Repository, repo.Delivery, string) error
}

// New returns an Ingest; the buffer, the pings and the events stay the caller's to close.
func New(o Options) *Ingest {
	return &Ingest{
		keys: o.Keys, buffer: o.Buffer, pings: o.Pings, events: o.Events, spool: o.Spool, db: o.DB, faults: o.Faults, uptime: o.Uptime, now: o.Now, proxies: o.Proxies, baseURL: o.BaseURL,
		scrubbing: o.Scrubbing, sessions: o.Sessions, forward: o.Forward, maps: o.Maps, uploads: o.Uploads,
		attachments: o.Attachments, discards: o.Discards, large: turn.New(mostLarge, mostLargeOwn),
		repositories: o.Repositories, recordDelivery: o.RecordDelivery, tracker: o.Tracker,
	}
}

// Routes returns the route table of /v1. Pages of all origins may read every response; the caller wraps serve.NotFound under
// /v1 in AllowOrigins as well.
func (in *Ingest) Routes() []serve.Route {
	routes := []serve.Route{
		{
			Method: http.MethodPost, Path: "/v1/notices", Name: "reportNotice", Tag: "Reporting",
			Permission: accounts.ReportWithKey, Body: noticeBody{}, Raw: true, Result: accepted{}, Status: http.StatusCreated,
			Doc: "Report an error. The body can be compressed with gzip, deflate, br or zstd, and can be a form with the notice in the field payload. At most 256 KiB of JSON.", Quiet: true, Handle: in.postNotice,
		},
		{
			Method: http.MethodPost, Path: "/v1/notices/js", Name: "reportJavaScriptNotice", Tag: "Reporting",
			Permission: accounts.ReportWithKey, Body: noticeBody{}, Raw: true, Result: accepted{}, Status: http.StatusCreated,
			Doc: "Report an error from JavaScript or Cocoa.", Quiet: true, Handle: in.postNotice,
		},
		{
			Method: http.MethodOptions, Path: "/v1/notices", Name: "preflightNotice", Tag: "Reporting",
			Permission: accounts.Public, Status: http.StatusNoContent,
			Doc: "CORS preflight for reports from browsers.", Quiet: true, Handle: preflight("POST, OPTIONS"),
		},
		{
			Method: http.MethodOptions, Path: "/v1/notices/js", Name: "preflightJavaScriptNotice", Tag: "Reporting",
			Permission: accounts.Public, Status: http.StatusNoContent,
			Doc: "CORS preflight for reports from browsers.", Quiet: true, Handle: preflight("POST, OPTIONS"),
		},
	}
	routes = slices.Concat(routes, in.deployRoutes(), in.pingRoutes(), in.eventRoutes(), in.sourceMapRoutes(), in.alertmanagerRoutes())
	for i := range routes {
		routes[i].Handle = AllowOrigins(routes[i].Handle)
	}
	return append(routes, in.webhookRoutes()...)
}

// noticeBody documents the payload of a notice (wire.md §2.3). Nothing is decoded into it: clients leave fields out and
// send others with types of their own.
type noticeBody struct {
	APIKey             string         `json:"api_key,omitempty" doc:"API key of the project, unless it is in the header X-API-Key, the query string or a form field"`
	Notifier           map[string]any `json:"notifier,omitempty" doc:"The client: name, url, version and language"`
	Error              failureBody    `json:"error"`
	Request            requestBody    `json:"request,omitzero"`
	Server             serverBody     `json:"server,omitzero"`
	Breadcrumbs        map[string]any `json:"breadcrumbs,omitempty" doc:"Breadcrumbs before the error: enabled, and trail, an array of {category, message, timestamp, metadata}"`
	Details            map[string]any `json:"details,omitempty" doc:"Additional sections, each an object"`
	CorrelationContext map[string]any `json:"correlation_context,omitempty" doc:"request_id"`
}

type failureBody struct {
	Token       string           `json:"token,omitempty" doc:"Id of the notice by the client; notices with the same token are the same notice"`
	Class       string           `json:"class,omitempty"`
	Message     string           `json:"message,omitempty"`
	Fingerprint string           `json:"fingerprint,omitempty" doc:"Used for grouping instead of the rule"`
	Tags        []string         `json:"tags,omitempty" doc:"Tags; also a string with tags separated by commas"`
	Backtrace   []frameBody      `json:"backtrace,omitempty" doc:"Innermost frame first"`
	Causes      []map[string]any `json:"causes,omitempty" doc:"Causes of the error: class, message and backtrace"`
}

type frameBody struct {
	File    string         `json:"file,omitempty" doc:"Path; with the prefix [PROJECT_ROOT]/ for files of the project"`
	Number  int            `json:"number,omitempty" doc:"Line number; also as a string"`
	Column  int            `json:"column,omitempty"`
	Method  string         `json:"method,omitempty"`
	Context string         `json:"context,omitempty" enum:"app,all" doc:"app marks frames of the application"`
	Source  map[string]any `json:"source,omitempty" doc:"Surrounding lines by line number"`
}

type requestBody struct {
	URL       string         `json:"url,omitempty"`
	Component string         `json:"component,omitempty" doc:"Such as a controller"`
	Action    string         `json:"action,omitempty"`
	Context   map[string]any `json:"context,omitempty" doc:"Any data; user_id and user_email identify the affected user"`
	Params    map[string]any `json:"params,omitempty"`
	Session   map[string]any `json:"session,omitempty"`
	CGIData   map[string]any `json:"cgi_data,omitempty" doc:"Variables such as REQUEST_METHOD and HTTP_USER_AGENT"`
}

type serverBody struct {
	EnvironmentName string         `json:"environment_name,omitempty" doc:"Default production"`
	Hostname        string         `json:"hostname,omitempty"`
	Revision        string         `json:"revision,omitempty"`
	ProjectRoot     string         `json:"project_root,omitempty"`
	Time            string         `json:"time,omitempty"`
	PID             int            `json:"pid,omitempty"`
	Stats           map[string]any `json:"stats,omitempty"`
}
