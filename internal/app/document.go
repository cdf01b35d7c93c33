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
		Description: "Error tracking: the management interface (/v2) and the reporting interface (/v1).",
	}
	document := sync.OnceValues(func() ([]byte, error) { return serve.OpenAPI(info, routes) }) // 1 MB that most servers are never asked for
	webhooks, err := webhookRoutes(info)
	if err != nil {
		return nil, err
	}
	return append([]serve.Route{
		{
			Method: "GET", Path: "/openapi.json", Name: "openapi", Tag: "System", Permission: sett.Public, Status: http.StatusOK,
			Doc: "This interface as an OpenAPI 3.1 document.",
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
			Doc: "This interface as a page for people.", Handle: serve.FromHTTP(serve.WhenAsked(func() http.Handler { return serve.DocsHandler(info, routes) })),
		},
	}, webhooks...), nil
}

// pathParams describes the names in braces of all paths.
var pathParams = map[string]serve.PathParam{
	"account_id":     {Type: "string", Doc: "The account's id, a short text."},
	"project_id":     {Type: "integer", Doc: "The project's id."},
	"fault_id":       {Type: "integer", Doc: "The fault's id."},
	"key":            {Type: "string", Doc: "A project's API key."},
	"check_in_id":    {Type: "string", Doc: "The check-in's id, a secret with which its job reports."},
	"slug":           {Type: "string", Doc: "The check-in's slug."},
	"environment_id": {Type: "integer", Doc: "The environment's id."},
	"comment_id":     {Type: "integer", Doc: "The comment's id."},
	"deploy_id":      {Type: "integer", Doc: "The deploy's id."},
	"integration_id": {Type: "integer", Doc: "The integration's id."},
	"delivery_id":    {Type: "integer", Doc: "The delivery's id."},
	"team_id":        {Type: "integer", Doc: "The team's id."},
	"member_id":      {Type: "integer", Doc: "The id of the member's user."},
	"user_id":        {Type: "integer", Doc: "The user's id."},
	"invitation_id":  {Type: "integer", Doc: "The invitation's id."},
	"incident_id":    {Type: "integer", Doc: "The incident's id."},
	"subscriber_id":  {Type: "integer", Doc: "The subscriber's id."},
	"search_id":      {Type: "integer", Doc: "The saved search's id."},
	"update_id":      {Type: "integer", Doc: "The id of the incident's update."},
}
