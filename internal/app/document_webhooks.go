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

// webhookRoutes serve what webhooks are sent: a page for people, and a JSON Schema of each payload for programs. Both are
// made for the first request that asks for them.
func webhookRoutes(info serve.Info) []serve.Route {
	webhooks := sync.OnceValue(func() []serve.Webhook { return webhooksOf(info) })
	schemas := sync.OnceValues(func() (map[string][]byte, error) { return webhookSchemas(info, webhooks()) })
	return []serve.Route{
		{
			Method: "GET", Path: webhooksPath, Name: "webhookDocs", Tag: "System", Permission: accounts.Public, Status: http.StatusOK,
			Doc: "The payloads of webhooks, as an HTML page.", Handle: serve.FromHTTP(serve.WhenAsked(func() http.Handler { return serve.WebhooksHandler(info, webhooks()) })),
		},
		{
			Method: "GET", Path: webhooksPath + "/{file}", Name: "webhookSchema", Tag: "System", Permission: accounts.Public, Status: http.StatusOK,
			Doc: "The payload of a webhook event, as a JSON Schema.",
			Handle: func(w http.ResponseWriter, r *http.Request) error {
				event, named := strings.CutSuffix(r.PathValue("file"), ".json")
				all, err := schemas()
				if err != nil {
					return err
				}
				schema, ok := all[event]
				if !named || !ok {
					return sett.Errorf(sett.NotFound, "This event does not exist; %s lists all events.", webhooksPath)
				}
				w.Header().Set("Content-Type", "application/schema+json")
				w.Header().Set("Access-Control-Allow-Origin", "*")
				_, err = w.Write(schema)
				return err
			},
		},
	}
}

// webhooksOf returns the webhooks of all events.
func webhooksOf(info serve.Info) (webhooks []serve.Webhook) {
	for _, p := range append(notify.Payloads(info.Server), notify.StatusPayloads(info.Server)...) {
		webhooks = append(webhooks, serve.Webhook{Event: p.Event, Doc: p.About, Payload: p.Type, Example: p.Example})
	}
	return webhooks
}

// webhookSchemas returns the JSON Schema of each webhook, by its event.
func webhookSchemas(info serve.Info, webhooks []serve.Webhook) (schemas map[string][]byte, err error) {
	schemas = map[string][]byte{}
	for _, w := range webhooks {
		if schemas[w.Event], err = serve.WebhookSchema(info.Server+webhooksPath+"/"+w.Event+".json", w); err != nil {
			return nil, err
		}
	}
	return schemas, nil
}
