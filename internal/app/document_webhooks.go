package app

import (
	"net/http"
	"strings"
	"sync"

	"sett/internal/notify"
	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
)

// webhooksPath is where the documentation of webhooks is.
const webhooksPath = "/docs/webhooks"

// webhookVersions are the versions of payloads, with where their documentation is.
var webhookVersions = []webhookVersion{
	{"v2", webhooksPath, "", func(base string) []notify.Payload {
		return append(notify.Payloads(base), notify.StatusPayloads(base)...)
	}},
	{"v3", webhooksPath + "/v3", "V3", notify.PayloadsV3},
}

type webhookVersion struct {
	name     string
	path     string
	suffix   string // of names of routes
	payloads func(baseURL string) []notify.Payload
}

// webhookRoutes serve what webhooks are sent: a page for people, and a JSON Schema of each payload for programs. Both are
// made for the first request that asks for them.
func webhookRoutes(info serve.Info) (routes []serve.Route) {
	for _, v := range webhookVersions {
		webhooks := sync.OnceValue(func() []serve.Webhook { return v.webhooks(info) })
		schemas := sync.OnceValues(func() (map[string][]byte, error) { return v.schemas(info, webhooks()) })
		routes = append(routes,
			serve.Route{
				Method: "GET", Path: v.path, Name: "webhookDocs" + v.suffix, Tag: "System", Permission: accounts.Public, Status: http.StatusOK,
				Doc:    "The payloads of webhooks, version " + v.name + ", as an HTML page.",
				Handle: serve.FromHTTP(serve.WhenAsked(func() http.Handler { return serve.WebhooksHandler(info, v.name == "v3", webhooks()) })),
			},
			serve.Route{
				Method: "GET", Path: v.path + "/{file}", Name: "webhookSchema" + v.suffix, Tag: "System", Permission: accounts.Public, Status: http.StatusOK,
				Doc:    "The payload of a webhook event, version " + v.name + ", as a JSON Schema.",
				Handle: func(w http.ResponseWriter, r *http.Request) error { return v.serveSchema(w, r, schemas) },
			})
	}
	return routes
}

func (v webhookVersion) serveSchema(w http.ResponseWriter, r *http.Request, schemas func() (map[string][]byte, error)) error {
	event, named := strings.CutSuffix(r.PathValue("file"), ".json")
	all, err := schemas()
	if err != nil {
		return err
	}
	schema, ok := all[event]
	if !named || !ok {
		return sett.Errorf(sett.NotFound, "This event does not exist; %s lists all events.", v.path)
	}
	w.Header().Set("Content-Type", "application/schema+json")
	w.Header().Set("Access-Control-Allow-Origin", "*")
	_, err = w.Write(schema)
	return err
}

// webhooks returns the webhooks of all events.
func (v webhookVersion) webhooks(info serve.Info) (webhooks []serve.Webhook) {
	for _, p := range v.payloads(info.Server) {
		webhooks = append(webhooks, serve.Webhook{Event: p.Event, Doc: p.About, Payload: p.Type, Example: p.Example})
	}
	return webhooks
}

// schemas returns the JSON Schema of each webhook, by its event.
func (v webhookVersion) schemas(info serve.Info, webhooks []serve.Webhook) (schemas map[string][]byte, err error) {
	schemas = map[string][]byte{}
	for _, w := range webhooks {
		if schemas[w.Event], err = serve.WebhookSchema(info.Server+v.path+"/"+w.Event+".json", w); err != nil {
			return nil, err
		}
	}
	return schemas, nil
}
