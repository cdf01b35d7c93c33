package app

import (
	"fmt"
	"net/http"
	"net/url"
	"runtime/debug"
	"strings"
	"sync"

	"sett/internal/serve"
	"sett/internal/sett"
)

// Version returns the version that the binary was built as.
func Version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(unknown)"
}

// documentRoutes serve what is said of the other routes, for programs and for people. They are not in the document
// themselves.
func (a *App) documentRoutes(routes []serve.Route) ([]serve.Route, error) {
	base, err := url.Parse(a.cfg.BaseURL)
	if err != nil {
		return nil, fmt.Errorf("read base URL: %w", err)
	}
	root := strings.TrimSuffix(base.Path, "/") // a proxy may serve sett below a path
	info := serve.Info{
		Title: "sett", Version: Version(), Server: a.cfg.BaseURL, Document: root + "/openapi.json", Webhooks: root + webhooksPath, Params: pathParams,
		Description: "The API of sett: /v2 manages projects, errors, channels, uptime checks, check-ins and status pages; clients report to /v1. " +
			"The API uses the names of the Honeybadger API: a fault is an error, a notice is an event, an integration is a channel, and a site is an uptime check.",
	}
	document := sync.OnceValues(func() ([]byte, error) { return serve.OpenAPI(info, routes) }) // 1 MB that most servers are never asked for
	return append([]serve.Route{
		{
			Method: "GET", Path: "/openapi.json", Name: "openapi", Tag: "System", Permission: sett.Public, Status: http.StatusOK,
			Doc: "This API as an OpenAPI 3.1 document.",
			Handle: func(w http.ResponseWriter, _ *http.Request) error {
				text, err := document()
				if err != nil {
					return err
				}
				w.Header().Set("Content-Type", "application/json")
				w.Header().Set("Access-Control-Allow-Origin", "*")
				_, err = w.Write(text)
				return err
			},
		},
		{
			Method: "GET", Path: "/docs/api", Name: "apiDocs", Tag: "System", Permission: sett.Public, Status: http.StatusOK,
			Doc: "This API as an HTML page.", Handle: serve.FromHTTP(serve.WhenAsked(func() http.Handler { return serve.DocsHandler(info, routes) })),
		},
	}, webhookRoutes(info)...), nil
}

// pathParams describes the names in braces of all paths.
var pathParams = map[string]serve.PathParam{
	"account_id":     {Type: "string", Doc: "The id of the account, a short string."},
	"project_id":     {Type: "integer", Doc: "The id of the project."},
	"fault_id":       {Type: "integer", Doc: "The id of the fault."},
	"site_id":        {Type: "string", Doc: "The id of the site."},
	"status_page_id": {Type: "string", Doc: "The id of the status page."},
	"key":            {Type: "string", Doc: "The API key of a project."},
	"check_in_id":    {Type: "string", Doc: "The id of the check-in; a secret that its job reports with."},
	"slug":           {Type: "string", Doc: "The slug of the check-in."},
	"environment_id": {Type: "integer", Doc: "The id of the environment."},
	"comment_id":     {Type: "integer", Doc: "The id of the comment."},
	"source_map_id":  {Type: "integer", Doc: "The id of the source map."},
	"erasure_id":     {Type: "integer", Doc: "The id of the erasure."},
	"deploy_id":      {Type: "integer", Doc: "The id of the deploy."},
	"integration_id": {Type: "integer", Doc: "The id of the integration."},
	"delivery_id":    {Type: "integer", Doc: "The id of the delivery."},
	"team_id":        {Type: "integer", Doc: "The id of the team."},
	"member_id":      {Type: "integer", Doc: "The user id of the member."},
	"user_id":        {Type: "integer", Doc: "The id of the user."},
	"invitation_id":  {Type: "integer", Doc: "The id of the invitation."},
	"incident_id":    {Type: "integer", Doc: "The id of the incident."},
	"subscriber_id":  {Type: "integer", Doc: "The id of the subscriber."},
	"search_id":      {Type: "integer", Doc: "The id of the saved search."},
	"update_id":      {Type: "integer", Doc: "The id of the update."},
}
