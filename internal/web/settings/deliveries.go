package settings

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"sett/internal/notify/channel"
	"sett/internal/sett/alerts"
	"sett/internal/store/deliverydb"
	"sett/internal/web"
)

// mostDeliveries is how many deliveries a page lists.
const mostDeliveries = 50

// deliveryList is the message log of a channel.
type deliveryList struct {
	page
	ID         int64
	Name       string
	Silence    web.State // state during quiet hours; else without a word
	Deliveries []deliveryRow
	Pager      web.Pager
}

// deliveryRow is one of them.
type deliveryRow struct {
	alerts.Delivery
	What  string // the headline of the message; before there is one, its event and what it is about
	Kind  string // the event
	Is    web.State
	Waits string // what it waits for besides the next attempt; "" for nothing
}

func newDeliveryRow(d deliverydb.LoggedDelivery, c clock) deliveryRow {
	row := deliveryRow{Delivery: d.Delivery, What: d.Title, Kind: eventLabel(d.Event), Is: deliveryState(d.Delivery, c)}
	if row.What == "" {
		row.What = strings.TrimSuffix(row.Kind+": "+d.About, ": ")
	}
	if d.Quiet() {
		row.Waits = "the end of the quiet hours, " + c.says(d.QuietUntil)
	}
	return row
}

func (p *pages) deliveriesPage(w http.ResponseWriter, r *http.Request) error {
	i, _, err := p.found(r)
	if err != nil {
		return err
	}
	found, marks, err := p.Deliveries.ListDeliveries(r.Context(), i.ProjectID, i.ID, web.PageOf(r, mostDeliveries))
	if err != nil {
		return err
	}
	list := deliveryList{page: p.newPage(r, "Log", "channels"), ID: i.ID, Name: newChannelCard(i).Name, Pager: p.NewPager(r, marks)}
	list.Silence = quietState(i.QuietHours, p.Now())
	for _, d := range found {
		list.Deliveries = append(list.Deliveries, newDeliveryRow(d, clockOf(i.QuietHours, p.Now())))
	}
	return p.Show(w, r, http.StatusOK, "settings_deliveries", list)
}

// deliveryPage is the page of one delivery.
type deliveryPage struct {
	page
	ID       int64
	Name     string
	Delivery deliveryRow
	Attempts []alerts.Attempt
	Text     string // of the message; "" before the first attempt
	Payload  string // webhook payload
}

func (p *pages) deliveryPage(w http.ResponseWriter, r *http.Request) error {
	i, _, err := p.found(r)
	if err != nil {
		return err
	}
	d, attempts, message, err := p.Deliveries.DeliveryByID(r.Context(), i.ProjectID, i.ID, web.PathID(r, "delivery_id"))
	if err != nil {
		return err
	}
	shown := deliveryPage{page: p.newPage(r, "Message", "channels"), ID: i.ID, Name: newChannelCard(i).Name, Attempts: attempts}
	shown.Delivery = newDeliveryRow(d, clockOf(i.QuietHours, p.Now()))
	shown.sayTried(d.Delivery)
	if err := shown.read(message, d.BodyV3, channel.WantsV3(i.Type, i.Options)); err != nil {
		return fmt.Errorf("read message of delivery %d: %w", d.ID, err)
	}
	return p.Show(w, r, http.StatusOK, "settings_delivery", shown)
}

// sayTried replaces the message of a message that was sent by hand with what has become of it.
func (d *deliveryPage) sayTried(sent alerts.Delivery) {
	switch problem := d.Delivery.Problem; {
	case d.Done == "" || sent.State == alerts.DeliverySent:
	case sent.State == alerts.DeliveryFailed:
		d.Problem = "The message was not delivered: " + problem
	case sent.State != alerts.DeliveryDue:
		d.Done = "" // the state below says it
	case problem != "":
		d.Problem = "The first attempt failed and will be repeated: " + problem
	default:
		d.Done, d.Doing = "The message is queued. Refresh this page to see the response.", true
	}
}

// read parses the stored message: channel.Message as JSON. A channel that wants version 3 was sent body instead of that in the message.
func (d *deliveryPage) read(message, bodyV3 []byte, v3 bool) error {
	if message == nil {
		return nil
	}
	var said struct {
		Text string          `json:"text"`
		Body json.RawMessage `json:"body"`
	}
	if err := json.Unmarshal(message, &said); err != nil {
		return err
	}
	if v3 && bodyV3 != nil {
		said.Body = bodyV3
	}
	var body bytes.Buffer
	if json.Indent(&body, said.Body, "", "  ") != nil {
		body.Reset()
	}
	d.Text, d.Payload = said.Text, body.String()
	return nil
}

// tryChannel sends a test and redirects to its delivery.
func (p *pages) tryChannel(w http.ResponseWriter, r *http.Request) error {
	d, err := p.Deliveries.TestIntegration(r.Context(), p.Now(), web.Project(r), web.PathID(r, "integration_id"))
	return p.toDelivery(w, r, d, err, "channel_tried")
}

func (p *pages) sendAgain(w http.ResponseWriter, r *http.Request) error {
	d, err := p.Deliveries.Redeliver(r.Context(), p.Now(), web.Project(r), web.PathID(r, "integration_id"), web.PathID(r, "delivery_id"))
	return p.toDelivery(w, r, d, err, "sent_again")
}

// toDelivery redirects to a delivery after its first attempt, or after a short wait.
func (p *pages) toDelivery(w http.ResponseWriter, r *http.Request, d alerts.Delivery, err error, done string) error {
	if err != nil {
		return err
	}
	if err := p.awaitTry(r.Context(), web.Project(r), d); err != nil {
		return err
	}
	return p.Done(w, to(r, "/channels/%d/deliveries/%d", d.IntegrationID, d.ID), done)
}

const (
	awaitTries = 2 * time.Second
	betweenAsk = 50 * time.Millisecond
)

func (p *pages) awaitTry(ctx context.Context, project int64, d alerts.Delivery) error {
	ctx, cancel := context.WithTimeout(ctx, awaitTries)
	defer cancel()
	ask := time.NewTicker(betweenAsk)
	defer ask.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ask.C:
		}
		now, attempts, _, err := p.Deliveries.DeliveryByID(ctx, project, d.IntegrationID, d.ID)
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			return err
		case now.State != alerts.DeliveryDue || len(attempts) > 0 && now.Problem != "":
			return nil
		}
	}
}
