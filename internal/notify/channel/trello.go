package channel

import (
	"context"
	"math"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/triage"
)

// trello creates cards in a list (developer.atlassian.com/cloud/trello/rest/api-group-cards): a description has at most
// 16,384 characters. Key and token are sent in a header instead of the URL
// (developer.atlassian.com/cloud/trello/guides/rest-api/authorization). There is no idempotency key, so the list is searched
// for a card of an earlier attempt.
func trello() Kind {
	return Kind{
		Type: "Trello", Name: "Trello", Tracker: true,
		About: "Creates, closes and reopens cards on a Trello board.",
		Options: []Option{
			{Name: "key", Label: "API key", About: "API key from trello.com/power-ups/admin.", Form: Text, Required: true},
			{Name: "token", Label: "Token", About: "Token with read and write access, created with the key.", Form: Text, Required: true, Secret: true},
			{Name: "list_id", Label: "List", About: "ID of the list for new cards.", Form: Text, Required: true},
			{Name: "done_list_id", Label: "List of closed cards", About: "ID of a list on the same board for closed cards. If empty, closed cards are archived.", Form: Text},
		},
		Check: checkTrello,
		Make: func(t Tools, v Values) Sender {
			return trackerSender{trelloTracker{t, v}, "Trello", "Trello"}
		},
	}
}

var trelloID = regexp.MustCompile(`^[A-Za-z0-9]+$`)

func checkTrello(p *sett.Problems, v Values) {
	for _, name := range []string{"key", "list_id", "done_list_id"} {
		if id := v[name]; id != "" && !trelloID.MatchString(id) {
			p.Add("options."+name, "must be letters and digits")
		}
	}
}

type trelloTracker struct {
	Tools
	values Values
}

func (t trelloTracker) create(ctx context.Context, m Message) (Receipt, error) {
	a, err := t.ask(ctx, http.MethodPost, url.Values{
		"idList": {t.values["list_id"]}, "name": {issueTitle(m, "")}, "desc": {markdownIssue(m)}, "pos": {"top"},
	})
	if err != nil {
		return Receipt{Status: a.status}, err
	}
	var said struct{ ID, ShortURL string }
	err = a.understand("Trello", &said)
	return Receipt{Status: a.status, Link: triage.NewLinkData(map[string]any{"id": said.ID, "shortUrl": said.ShortURL})}, err
}

// list reads the newest cards that are in the list of new ones, archived or not; with since, Trello may leave out older ones.
func (t trelloTracker) list(ctx context.Context, since time.Time) (issueList, error) {
	var all []struct{ ID, ShortURL, Desc string }
	address := withAll(t.below("lists", t.values["list_id"], "cards"), "filter", "all", "fields", "desc,shortUrl", "since", since.Format(time.RFC3339), "limit", strconv.Itoa(mostListed))
	a, err := t.look(ctx, "Trello", address, t.header(), &all)
	found := issueList{status: a.status, whole: len(all) < mostListed}
	for _, card := range all {
		found.whole = found.whole || trelloMade(card.ID).Before(since)
		found.issues = append(found.issues, listedIssue{card.Desc, triage.NewLinkData(map[string]any{"id": card.ID, "shortUrl": card.ShortURL})})
	}
	return found, err
}

// trelloMade is when a card was made: its id begins with that in seconds, as eight hexadecimal digits
// (support.atlassian.com/trello/docs/getting-the-time-a-card-or-board-was-created). Of an id that does not it is far ahead.
func trelloMade(id string) time.Time {
	seconds, err := strconv.ParseInt(id[:min(len(id), 8)], 16, 64)
	if err != nil {
		seconds = math.MaxUint32
	}
	return time.Unix(seconds, 0)
}

// set archives a card or moves it to the list of closed ones, and back.
func (t trelloTracker) set(ctx context.Context, link triage.LinkData, open bool) (Receipt, error) {
	id, done := linkText(link, "id"), t.values["done_list_id"]
	if !trelloID.MatchString(id) {
		return Receipt{}, failure(true, "the link does not identify a card; unlink the error and link it again")
	}
	change := url.Values{"closed": {"true"}}
	switch {
	case open && done != "":
		change = url.Values{"closed": {"false"}, "idList": {t.values["list_id"]}}
	case open:
		change = url.Values{"closed": {"false"}}
	case done != "":
		change = url.Values{"idList": {done}}
	}
	a, err := t.ask(ctx, http.MethodPut, change, id)
	return Receipt{Status: a.status}, acknowledged("Trello", a, err, a.has("id"))
}

// ask sends a form to what is below the cards.
func (t trelloTracker) ask(ctx context.Context, method string, form url.Values, below ...string) (answer, error) {
	return t.sendForm(ctx, method, t.below(append([]string{"cards"}, below...)...), t.header(), form)
}

// below returns the address of what is below the interface.
func (t trelloTracker) below(path ...string) string {
	return under(t.service("https://api.trello.com"), append([]string{"1"}, path...)...)
}

func (t trelloTracker) header() http.Header {
	login := `OAuth oauth_consumer_key="` + t.values["key"] + `", oauth_token="` + t.values["token"] + `"`
	return http.Header{"Authorization": {login}, "Accept": {"application/json"}}
}
