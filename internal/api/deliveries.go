package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"sett/internal/notify/channel"
	"sett/internal/serve"
	"sett/internal/serve/auth"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/alerts"
	"sett/internal/store/deliverydb"
)

const (
	deliveriesPath = integrationPath + "/deliveries"
	deliveryPath   = deliveriesPath + "/{delivery_id}"
)

func (a *API) deliveryRoutes() []serve.Route {
	const tag = "Integrations"
	return []serve.Route{
		{
			Method: "POST", Path: integrationPath + "/test", Name: "testIntegration", Tag: tag, Permission: accounts.ManageProject,
			Result: Delivery{}, Status: http.StatusAccepted, Handle: a.testIntegration,
			Doc: "Send a test message with a sample fault to an integration, even if it is not active. The delivery shows the result.",
		},
		{
			Method: "GET", Path: deliveriesPath, Name: "listDeliveries", Tag: tag, Permission: accounts.ReadProject,
			Result: serve.List[Delivery]{}, Handle: a.listDeliveries,
			Doc: "List the deliveries of an integration, newest first.",
		},
		{
			Method: "GET", Path: deliveryPath, Name: "getDelivery", Tag: tag, Permission: accounts.ReadProject,
			Result: DeliveryDetail{}, Handle: a.getDelivery,
			Doc: "Get a delivery with its attempts and its message.",
		},
		{
			Method: "POST", Path: deliveryPath + "/redeliver", Name: "redeliver", Tag: tag, Permission: accounts.ManageProject,
			Result: Delivery{}, Status: http.StatusAccepted, Handle: a.redeliver,
			Doc: "Retry a delivery now, even if it is sent already, or waits for a retry or for the end of quiet hours. It keeps its id, so that the receiver can recognize it.",
		},
	}
}

// Delivery is one alert for an integration.
type Delivery struct {
	ID         int64                `json:"id" doc:"Sent to webhooks in the header webhook-id, after msg_."`
	Event      alerts.AlertEvent    `json:"event" doc:"An event that integrations can select, flooded, or a request to an issue tracker, such as issue_create."`
	Subject    alerts.AlertSubject  `json:"subject" doc:"The object of the event, such as fault 12."`
	State      alerts.DeliveryState `json:"state" enum:"due,sent,failed,merged,held" doc:"due: not sent yet; failed: all attempts failed; merged: included in a later delivery; held: over the limit of messages."`
	Tries      int                  `json:"tries" doc:"Number of attempts."`
	CreatedAt  time.Time            `json:"created_at"`
	DueAt      *time.Time           `json:"due_at" doc:"Time of the next attempt, in the state due."`
	DoneAt     *time.Time           `json:"done_at" doc:"Null in the state due."`
	Problem    *string              `json:"problem" doc:"Error of the last attempt, or why it was not sent."`
	QuietUntil *time.Time           `json:"quiet_until" doc:"End of the quiet hours that a due delivery waits for; null otherwise."`
	Note       *string              `json:"note" doc:"Additional information, such as that a filter could not be evaluated and was treated as a match; null for none."`
}

func viewDelivery(d alerts.Delivery) Delivery {
	v := Delivery{
		ID: d.ID, Event: d.Event, Subject: d.Subject, State: d.State, Tries: d.Tries, CreatedAt: d.CreatedAt, DoneAt: nullTime(d.DoneAt),
		Problem: nullText(d.Problem), Note: nullText(d.Note),
	}
	if d.State == alerts.DeliveryDue {
		v.DueAt = &d.DueAt
	}
	if d.Quiet() {
		v.QuietUntil = &d.QuietUntil
	}
	return v
}

// DeliveryDetail is a delivery with what is known of it.
type DeliveryDetail struct {
	Delivery
	Attempts []Attempt        `json:"attempts" doc:"The completed attempts, oldest first."`
	Message  *DeliveryMessage `json:"message" doc:"Null before the first attempt."`
	Payload  json.RawMessage  `json:"payload" doc:"Payload for webhooks; null before the first attempt."`
}

// DeliveryMessage is a message in words.
type DeliveryMessage struct {
	Text  string `json:"text" doc:"The message in one line."`
	Title string `json:"title"`
	URL   string `json:"url" doc:"The page with the details."`
}

// Attempt is one try of a delivery.
type Attempt struct {
	Number   int64     `json:"number" doc:"1 is the first attempt."`
	At       time.Time `json:"at"`
	Duration int64     `json:"duration" doc:"In milliseconds."`
	Status   *int      `json:"status" doc:"HTTP status; null without a response, or if the channel does not use HTTP."`
	Problem  *string   `json:"problem" doc:"Null if it succeeded."`
}

func viewAttempt(a alerts.Attempt) Attempt {
	v := Attempt{Number: a.Number, At: a.At, Duration: a.Duration.Milliseconds(), Problem: nullText(a.Problem)}
	if a.Status > 0 {
		v.Status = &a.Status
	}
	return v
}

// viewDetail shows a delivery. The message is what notify has stored of it: channel.Message as JSON.
func viewDetail(d alerts.Delivery, attempts []alerts.Attempt, message []byte) (DeliveryDetail, error) {
	v := DeliveryDetail{Delivery: viewDelivery(d), Attempts: viewAll(attempts, viewAttempt)}
	if message == nil {
		return v, nil
	}
	var said struct {
		DeliveryMessage
		Body json.RawMessage `json:"body"`
	}
	if err := json.Unmarshal(message, &said); err != nil {
		return v, fmt.Errorf("read message of delivery %d: %w", d.ID, err)
	}
	v.Message, v.Payload = &said.DeliveryMessage, said.Body
	return v, nil
}

func (a *API) testIntegration(w http.ResponseWriter, r *http.Request) error {
	d, err := a.Deliveries.TestIntegration(r.Context(), a.Now(), pathID(r, "project_id"), pathID(r, "integration_id"))
	return writeDelivery(w, d, err)
}

// writeDelivery answers what has a delivery sent, unless that failed.
func writeDelivery(w http.ResponseWriter, d alerts.Delivery, err error) error {
	if err != nil {
		return err
	}
	return serve.WriteJSON(w, http.StatusAccepted, viewDelivery(d))
}

func (a *API) listDeliveries(w http.ResponseWriter, r *http.Request) error {
	i, err := a.integration(r)
	if err != nil {
		return err
	}
	var problems sett.Problems
	page := serve.PageOf(&problems, r)
	if err := problems.Refusal(); err != nil {
		return err
	}
	found, marks, err := a.Deliveries.ListDeliveries(r.Context(), i.ProjectID, i.ID, page.Page)
	if err != nil {
		return err
	}
	return serve.WriteJSON(w, http.StatusOK, serve.NewList(a.BaseURL, r, page, viewAll(found, func(d deliverydb.LoggedDelivery) Delivery { return viewDelivery(d.Delivery) }), marks))
}

func (a *API) getDelivery(w http.ResponseWriter, r *http.Request) error {
	d, attempts, message, err := a.Deliveries.DeliveryByID(r.Context(), pathID(r, "project_id"), pathID(r, "integration_id"), pathID(r, "delivery_id"))
	if err != nil {
		return err
	}
	v, err := viewDetail(d.Delivery, attempts, message)
	if err == nil && d.BodyV3 != nil {
		err = a.showV3(r, &v, d.BodyV3)
	}
	if err == nil && v.Payload != nil && !auth.PrincipalOf(r.Context()).MayChange(accounts.WatchProject) {
		v.Payload, err = withoutEvidence(v.Payload)
	}
	if err != nil {
		return err
	}
	return serve.WriteJSON(w, http.StatusOK, v)
}

// showV3 shows the payload of version 3 if the integration is sent that.
func (a *API) showV3(r *http.Request, v *DeliveryDetail, body []byte) error {
	i, err := a.integration(r)
	if err == nil && channel.WantsV3(i.Type, i.Options) {
		v.Payload = body
	}
	return err
}

// withoutEvidence returns the payload of an alert without the response headers of a site, which only users who may edit the
// site can see.
func withoutEvidence(payload json.RawMessage) (json.RawMessage, error) {
	var members map[string]json.RawMessage
	if json.Unmarshal(payload, &members) != nil {
		return payload, nil //nolint:nilerr // what is not an object has no headers
	}
	for name, empty := range map[string][2]string{"site": {"response_headers", "{}"}, "outage": {"headers", "null"}} {
		var inside map[string]json.RawMessage
		if json.Unmarshal(members[name], &inside) != nil || inside[empty[0]] == nil {
			continue
		}
		inside[empty[0]] = json.RawMessage(empty[1])
		block, err := json.Marshal(inside)
		if err != nil {
			return nil, fmt.Errorf("write payload: %w", err)
		}
		members[name] = block
	}
	return json.Marshal(members)
}

func (a *API) redeliver(w http.ResponseWriter, r *http.Request) error {
	d, err := a.Deliveries.Redeliver(r.Context(), a.Now(), pathID(r, "project_id"), pathID(r, "integration_id"), pathID(r, "delivery_id"))
	return writeDelivery(w, d, err)
}
