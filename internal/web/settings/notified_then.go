package settings

import (
	"cmp"
	"net/http"
	"strconv"

	"sett/internal/sett/alerts"
	"sett/internal/store/deliverydb"
	"sett/internal/web"
)

// pastKind is the kind of notifiedWords for a message of the past: it is about one subject.
const pastKind = "message"

// notifiedThen shows who got a message of the past. The log knows who did; why others did not is said by the settings of now.
func (p *pages) notifiedThen(w http.ResponseWriter, r *http.Request) error {
	id, _ := strconv.ParseInt(r.URL.Query().Get("message"), 10, 64)
	past, err := p.Deliveries.WhoReceived(r.Context(), p.Mail, web.Project(r), id)
	if err != nil {
		return err
	}
	shown := &notifiedPage{page: p.newPage(r, "Who is notified", "notified"), AboutPath: notifiedPath(web.Project(r), past.Subject), Past: past.At}
	shown.About = cmp.Or(past.Facts.Watched(), eventLabel(past.Event))
	for _, e := range notifiedEvents {
		if e.event == past.Event {
			shown.column(e.about, e.label)
		}
	}
	if len(shown.Events) == 0 { // a message of sett itself
		shown.Groups, shown.Events = []notifiedGroup{{"Message", 1}}, []string{eventLabel(past.Event)}
	}
	shown.Rows, err = p.notifiedRows(r, pastKind, []alerts.Alert{past.Alert}, past.Received)
	if err != nil {
		return err
	}
	return p.Show(w, r, http.StatusOK, "settings_notified", shown)
}

// receivedWords says whether a receiver got a message, or would get one now, and why or why not.
func receivedWords(kind string, f deliverydb.Received, i alerts.Integration, c clock) (web.State, string) {
	is, why := notifiedWords(kind, f.Receiving, i, c)
	switch {
	case kind != pastKind || f.Held && f.Delivery == nil:
		return is, why
	case f.Delivery != nil:
		return deliveryState(*f.Delivery, c), "So the log says."
	case f.Why == alerts.Routed:
		return web.State{Mood: web.Muted, Word: "not sent"}, "The settings were different then. Today it would be sent."
	}
	return web.State{Mood: web.Muted, Word: "not sent"}, "By today’s settings: " + why
}
