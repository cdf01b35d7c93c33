package frombugsink

import (
	"cmp"
	"context"
	"encoding/json"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"sett/internal/app/movein/remote"
	"sett/internal/sett"
	"sett/internal/sett/move"
)

// Bugsink puts all errors of a class and a message into one issue, from wherever they are, and does not say what shapes they
// have. So events are read, far apart from each other, until several in a row have no new shape.
const (
	mostRead   = 60 // events of one error, beside the newest
	nothingNew = 9  // events in a row without a new shape: the rest is as these
)

type eventRow struct {
	ID       string `json:"id"` // Bugsink's own
	EventID  string `json:"event_id"`
	Grouping int64  `json:"grouping"`
	At       string `json:"timestamp"`
	Ingested string `json:"ingested_at"`
}

// events reads the newest events of an error, and more of them that stand for its shapes.
func (s *Source) events(ctx context.Context, f move.Fault, newest int, d *move.Detail) error {
	var rows page[eventRow]
	err := s.get(ctx, "events", of("issue", f.ID, ""), &rows)
	if err != nil && !remote.IsMissing(err) {
		return err
	}
	list := slices.DeleteFunc(rows.Results, func(r eventRow) bool { return idOf(r.ID) == "" || idOf(r.EventID) == "" })
	newest = min(newest, len(list))
	wanted, must := reading(list, newest)
	shapes, same := map[string]bool{}, 0
	for n, r := range wanted {
		if n >= must && (same >= nothingNew || n >= newest+mostRead) {
			break
		}
		e, shape, left, err := s.event(ctx, f, r)
		if err != nil {
			return err
		}
		d.Left = append(d.Left, left...)
		if e.Body == nil {
			continue
		}
		if same++; !shapes[shape] {
			shapes[shape], same = true, 0
		}
		e.KeyOnly = n >= newest
		d.Events = append(d.Events, e)
	}
	return nil
}

// reading returns in which order events are read: the newest, one of each grouping, and then the others, far apart from each
// other. The first must be read.
func reading(list []eventRow, newest int) (order []eventRow, must int) {
	order = slices.Clone(list[:newest])
	groupings := map[int64]bool{}
	for _, r := range order {
		groupings[r.Grouping] = true
	}
	var rest []eventRow
	for _, r := range list[newest:] {
		if !groupings[r.Grouping] && len(order) < newest+mostRead {
			groupings[r.Grouping], order = true, append(order, r)
		} else {
			rest = append(rest, r)
		}
	}
	must = len(order)
	places := make([]int, len(rest))
	for i := range places {
		places[i] = i
	}
	slices.SortFunc(places, func(a, b int) int { return cmp.Compare(bits.Reverse16(uint16(a)), bits.Reverse16(uint16(b))) })
	for _, i := range places {
		order = append(order, rest[i])
	}
	return order, must
}

// event reads one event, as its client sent it, and what shape it has. Without a body, left says why.
func (s *Source) event(ctx context.Context, f move.Fault, r eventRow) (e move.Event, shape string, left []move.Left, err error) {
	var whole struct {
		Data json.RawMessage `json:"data"`
	}
	err = s.get(ctx, "events/"+idOf(r.ID), nil, &whole)
	why := ""
	switch {
	case remote.IsMissing(err):
		why = "The source no longer has event " + r.EventID + "."
	case sett.CodeOf(err) == sett.TooLarge:
		why = "Event " + r.EventID + " is too large."
	case err != nil:
		return e, "", nil, err
	}
	var sent sentEvent
	if why == "" && json.Unmarshal(whole.Data, &sent) != nil {
		why = "Event " + r.EventID + " is not in the form of Sentry's SDKs."
	}
	if why != "" {
		return e, "", []move.Left{{Noun: "events", Name: cmp.Or(f.Short, f.ID), Why: why}}, nil
	}
	at := timeOf(r.At)
	if at.IsZero() {
		at = timeOf(r.Ingested)
	}
	e = move.Event{ID: strings.ReplaceAll(r.EventID, "-", ""), At: at, Environment: move.Line(sent.Environment, move.MostName), Body: whole.Data, Shape: true}
	return e, sent.shape(), nil, nil
}

// sentEvent is what matters for the shape of an event.
type sentEvent struct {
	Environment string          `json:"environment"`
	Transaction string          `json:"transaction"`
	Fingerprint json.RawMessage `json:"fingerprint"`
	Exception   json.RawMessage `json:"exception"`
	Stacktrace  json.RawMessage `json:"stacktrace"`
	Message     any             `json:"message"`
	Entry       struct {
		Message string `json:"message"`
	} `json:"logentry"`
}

type thrown struct {
	Type       string `json:"type"`
	Stacktrace struct {
		Frames []struct {
			Filename string `json:"filename"`
			Module   string `json:"module"`
			Function string `json:"function"`
		} `json:"frames"`
	} `json:"stacktrace"`
}

// shape names the classes and the places of an event. Events of one shape may have several keys in sett, but seldom do.
func (e *sentEvent) shape() string {
	var values []thrown
	var wrapped struct {
		Values []thrown `json:"values"`
	}
	if json.Unmarshal(e.Exception, &wrapped) == nil {
		values = wrapped.Values
	} else if json.Unmarshal(e.Exception, &values) != nil {
		values = nil
	}
	all := []string{e.Transaction, string(e.Fingerprint), string(e.Stacktrace)}
	if len(values) == 0 {
		text, _ := e.Message.(string)
		all = append(all, withoutNumbers(cmp.Or(e.Entry.Message, text)))
	}
	for _, v := range values {
		all = append(all, v.Type)
		for _, f := range v.Stacktrace.Frames {
			all = append(all, f.Filename, f.Module, f.Function)
		}
	}
	return strings.Join(all, "\n")
}

// withoutNumbers leaves digits out of a message: those with other numbers are of one shape.
func withoutNumbers(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return -1
		}
		return r
	}, text)
}

func idText(id int64) string { return strconv.FormatInt(id, 10) }
