package app

import (
	"net/http"
	"strings"

	"sett/internal/notify"
	"sett/internal/serve"
	"sett/internal/sett"
)

// webhooksPath is where the documentation of webhooks is.
const webhooksPath = "/docs/webhooks"

// webhookRoutes serve what webhooks are sent: a page for people, and a JSON Schema of each payload for programs.
func webhookRoutes(info serve.Info) ([]serve.Route, error) {
	var webhooks []serve.Webhook
	schemas := map[string][]byte{}
	for _, p := range append(notify.Payloads(info.Server), notify.StatusPayloads(info.Server)...) {
		w := serve.Webhook{Event: p.Event, Doc: p.About, Payload: p.Type, Example: p.Example}
		schema, err := serve.WebhookSchema(info.Server+webhooksPath+"/"+w.Event+".json", w)
		if err != nil {
			return nil, err
		}
		webhooks, schemas[w.Event] = append(webhooks, w), schema
	}
	return []serve.Route{
		{
			Method: "GET", Path: webhooksPath, Name: "webhookDocs", Tag: "System", Permission: sett.Public, Status: http.StatusOK,
			Doc: "The payloads of webhooks, as an HTML page.", Handle: serve.FromHTTP(serve.WebhooksHandler(info, webhooks)),
		},
		{
			Method: "GET", Path: webhooksPath + "/{file}", Name: "webhookSchema", Tag: "System", Permission: sett.Public, Status: http.StatusOK,
			Doc: "The payload of a webhook event, as a JSON Schema.",
			Handle: func(w http.ResponseWriter, r *http.Request) error {
				event, named := strings.CutSuffix(r.PathValue("file"), ".json")
				schema, ok := schemas[event]
				if !named || !ok {
					return sett.Errorf(sett.NotFound, "This event does not exist; %s lists all events.", webhooksPath)
				}
				w.Header().Set("Content-Type", "application/schema+json")
				w.Header().Set("Access-Control-Allow-Origin", "*")
				_, err := w.Write(schema)
				return err
			},
		},
	}, nil
}
