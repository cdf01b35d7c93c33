package app

import (
	"net/http"
	"sync"

	"sett/docs"
	"sett/internal/app/client"
	"sett/internal/base/about"
	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/ascode"
)

// documentRoutes serve what is said of the other routes, for programs and for people. They are not in the document
// themselves.
func (a *App) documentRoutes(routes []serve.Route) []serve.Route {
	root := serve.Prefix(a.cfg.BaseURL)
	info := serve.Info{
		Title: "sett", Version: about.Current().Version, Server: a.cfg.BaseURL, Document: root + "/openapi.json", Docs: root + "/docs/api", Webhooks: root + webhooksPath, Params: pathParams,
		Description: "The API of sett: /v2 manages projects, errors, channels, uptime checks, check-ins and status pages; clients report to /v1. " +
			"The API uses the names of the Honeybadger API: a fault is an error, a notice is an event, an integration is a channel, and a site is an uptime check.",
	}
	var packed []byte
	document := sync.OnceValues(func() (text []byte, err error) { // 1 MB that most servers are never asked for
		text, err = serve.OpenAPI(info, routes)
		packed = serve.Gzip(text)
		return text, err
	})
	docs := sync.OnceValue(func() map[string]http.Handler { return serve.DocsHandlers(info, routes) })
	showDocs := func(w http.ResponseWriter, r *http.Request) error {
		page := docs()[r.PathValue("resource")]
		if page == nil {
			return sett.Errorf(sett.NotFound, "The API has no such resource. /docs/api lists all resources.")
		}
		page.ServeHTTP(w, r)
		return nil
	}
	return append([]serve.Route{
		{
			Method: "GET", Path: "/openapi.json", Name: "openapi", Tag: "System", Permission: accounts.Public, Status: http.StatusOK,
			Doc: "This API as an OpenAPI 3.1 document.",
			Handle: func(w http.ResponseWriter, r *http.Request) error {
				text, err := document()
				if err != nil {
					return err
				}
				w.Header().Set("Content-Type", "application/json")
				w.Header().Set("Access-Control-Allow-Origin", "*")
				serve.ServePacked(w, r, text, packed)
				return nil
			},
		},
		{
			Method: "GET", Path: "/docs/api", Name: "apiDocs", Tag: "System", Permission: accounts.Public, Status: http.StatusOK,
			Doc: "This API as an HTML page: the basics, and a list of all requests.", Handle: showDocs,
		},
		{
			Method: "GET", Path: "/docs/api/{resource}", Name: "apiDocsOfResource", Tag: "System", Permission: accounts.Public, Status: http.StatusOK,
			Doc: "The requests of one resource as an HTML page.", Handle: showDocs,
		},
		schemaRoute(client.SchemaPath, "asCodeSchema", "The JSON Schema of the files of sett apply.", sync.OnceValue(func() []byte { return ascode.Schema(root + client.SchemaPath) })),
		schemaRoute("/docs/export/schema.json", "exportSchema", "The JSON Schema of the records of sett export.", sync.OnceValue(exportSchema)),
	}, webhookRoutes(info)...)
}

// schemaRoute serves the JSON Schema of files that people have, for editors and programs.
func schemaRoute(path, name, doc string, schema func() []byte) serve.Route {
	return serve.Route{
		Method: "GET", Path: path, Name: name, Tag: "System", Permission: accounts.Public, Status: http.StatusOK, Doc: doc,
		Handle: func(w http.ResponseWriter, _ *http.Request) error {
			w.Header().Set("Content-Type", "application/schema+json")
			w.Header().Set("Access-Control-Allow-Origin", "*")
			_, err := w.Write(schema())
			return err
		},
	}
}

func exportSchema() []byte {
	schema, err := docs.Files.ReadFile("export.schema.json")
	if err != nil {
		panic(err) // it is in the program
	}
	return schema
}

// pathParams describes the names in braces of all paths.
var pathParams = map[string]serve.PathParam{
	"account_id":          {Type: "string", Doc: "The id of the account, a short string."},
	"project_id":          {Type: "integer", Doc: "The id of the project."},
	"fault_id":            {Type: "integer", Doc: "The id of the fault."},
	"site_id":             {Type: "string", Doc: "The id of the site."},
	"status_page_id":      {Type: "string", Doc: "The id of the status page."},
	"key_id":              {Type: "string", Doc: "The id of an API key, which is not the key."},
	"key":                 {Type: "string", Doc: "The API key of a project."},
	"check_in_id":         {Type: "string", Doc: "The id of the check-in; a secret that its job reports with."},
	"group_id":            {Type: "string", Doc: "The id of the group in the directory."},
	"acknowledgement_id":  {Type: "integer", Doc: "The id of the acknowledgement."},
	"repository_id":       {Type: "integer", Doc: "The id of the repository."},
	"change_number":       {Type: "integer", Doc: "The number of the pull or merge request at its host."},
	"alarm_id":            {Type: "string", Doc: "The id of the alarm."},
	"slug":                {Type: "string", Doc: "The slug of the check-in."},
	"environment_id":      {Type: "integer", Doc: "The id of the environment."},
	"import_id":           {Type: "integer", Doc: "The id of the import."},
	"comment_id":          {Type: "integer", Doc: "The id of the comment."},
	"notice_id":           {Type: "string", Doc: "The id of the notice, a UUID."},
	"attachment_id":       {Type: "integer", Doc: "The id of the attachment."},
	"version":             {Type: "string", Doc: "The version of the release: the revision of its notices and deploys."},
	"source_map_id":       {Type: "integer", Doc: "The id of the source map."},
	"erasure_id":          {Type: "integer", Doc: "The id of the erasure."},
	"deploy_id":           {Type: "integer", Doc: "The id of the deploy."},
	"integration_id":      {Type: "integer", Doc: "The id of the integration."},
	"delivery_id":         {Type: "integer", Doc: "The id of the delivery."},
	"team_id":             {Type: "integer", Doc: "The id of the team."},
	"member_id":           {Type: "integer", Doc: "The user id of the member."},
	"user_id":             {Type: "integer", Doc: "The id of the user."},
	"invitation_id":       {Type: "integer", Doc: "The id of the invitation."},
	"status_component_id": {Type: "integer", Doc: "The id of the component of a status page."},
	"template_id":         {Type: "integer", Doc: "The id of the template."},
	"incident_id":         {Type: "integer", Doc: "The id of the incident."},
	"subscriber_id":       {Type: "integer", Doc: "The id of the subscriber."},
	"window_id":           {Type: "integer", Doc: "The id of the maintenance window."},
	"dashboard_id":        {Type: "string", Doc: "The id of the dashboard."},
	"search_id":           {Type: "integer", Doc: "The id of the saved search."},
	"update_id":           {Type: "integer", Doc: "The id of the update."},
}
