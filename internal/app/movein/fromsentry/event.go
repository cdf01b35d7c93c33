package fromsentry

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"strings"

	"sett/internal/app/movein/remote"
	"sett/internal/sett"
	"sett/internal/sett/move"
)

// event reads one event of an issue: as it was sent, or else made of what the API shows of it. Without a body, left says why.
// With it comes what it may have been too, by which new ones may be known.
func (s *Source) event(ctx context.Context, p move.Project, f move.Fault, of eventID) (events []move.Event, left []move.Left, err error) {
	id, culprit := of.in(), ""
	path := ofProject(s.org, p.Slug, "events/"+id)
	var object map[string]any
	if !s.noRaw {
		if object, err = s.object(ctx, "event json", path+"/json"); err == nil {
			left = append(left, asSent(object, f)...)
		}
	}
	if s.noRaw || remote.IsMissing(err) {
		if object, err = s.object(ctx, "event", path); err == nil {
			id = cmp.Or(idOf(textIn(object, "eventID")), idOf(textIn(object, "eventId")), idOf(of.EventID), id)
			culprit = textIn(object, "culprit")
			object, s.noRaw = fromEntries(object), true
			left = append(left, move.Left{
				Noun: "fingerprints of clients", Page: move.MergePage,
				Why: "This server does not give events as they were sent: errors whose client sets a fingerprint are made anew.",
			})
		}
	}
	if remote.IsMissing(err) {
		return nil, append(left, move.Left{Noun: "events", Name: cmp.Or(f.Short, f.ID), Why: "The source no longer has event " + id + "."}), nil
	}
	if sett.CodeOf(err) == sett.TooLarge {
		return nil, append(left, move.Left{Noun: "events", Name: cmp.Or(f.Short, f.ID), Why: "Event " + id + " is too large."}), nil
	}
	if err != nil {
		return nil, left, err
	}
	delete(object, "culprit") // the server made it
	object["event_id"] = id
	environment := cmp.Or(textIn(object, "environment"), tagIn(object, "environment"))
	e := move.Event{ID: strings.ReplaceAll(id, "-", ""), At: eventTime(object), Environment: move.Line(environment, move.MostName)}
	if e.Body, err = json.Marshal(object); err != nil {
		return nil, left, err
	}
	events = append(events, e)
	if s.ownSet && culprit != "" && object["transaction"] == nil { // GlitchTip has one name for what the client said and for what it made of the stack
		object["transaction"] = culprit
		e.Body, err = json.Marshal(object)
		events = append(events, e)
	}
	return events, left, err
}

// object reads a JSON object. Its numbers stay as they are written: ids and nanoseconds are longer than a float is exact.
func (s *Source) object(ctx context.Context, endpoint, path string) (map[string]any, error) {
	var raw json.RawMessage
	if _, err := s.c.get(ctx, endpoint, path, nil, &raw); err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	object := map[string]any{}
	if err := d.Decode(&object); err != nil || object == nil {
		return nil, remote.Missing(path)
	}
	return object, nil
}

// asSent undoes what the server did with an event after it was sent, as far as the event has both: names of minified
// functions, rules of the project about frames and fingerprints.
func asSent(object map[string]any, f move.Fault) (left []move.Left) {
	for _, key := range []string{"exception", "threads"} {
		for _, value := range valuesIn(object[key]) {
			rawStack(value)
		}
	}
	rawStack(object)
	if info, ok := object["_fingerprint_info"].(map[string]any); ok {
		if sent, ok := info["client_fingerprint"].([]any); ok {
			object["fingerprint"] = sent
		}
		if info["matched_rule"] != nil {
			left = append(left, move.Left{
				Noun: "fingerprint rules", Name: cmp.Or(f.Short, f.ID), Page: move.GroupingPage,
				Why: "A rule of the source put its events together: new ones may make other errors.",
			})
		}
	}
	for _, made := range []string{
		"_meta", "_metrics", "_fingerprint_info", "title", "metadata", "location", "hashes", "grouping_config",
		"key_id", "project", "errors",
	} {
		delete(object, made)
	}
	return left
}

// rawStack puts the frames as they were sent in the place of those that the server made of them.
func rawStack(of map[string]any) {
	if raw, ok := of["raw_stacktrace"].(map[string]any); ok {
		of["stacktrace"] = raw
	}
	delete(of, "raw_stacktrace")
	stack, _ := of["stacktrace"].(map[string]any)
	frames, _ := stack["frames"].([]any)
	for _, f := range frames {
		frame, _ := f.(map[string]any)
		data, _ := frame["data"].(map[string]any)
		switch said, had := data["orig_in_app"]; {
		case !had:
		case said == json.Number("-1"):
			delete(frame, "in_app")
		default:
			frame["in_app"] = said == json.Number("1")
		}
	}
}

// valuesIn returns the objects of a list, or of an object with a list of values.
func valuesIn(v any) (all []map[string]any) {
	if o, ok := v.(map[string]any); ok {
		v = o["values"]
	}
	list, _ := v.([]any)
	for _, item := range list {
		if o, ok := item.(map[string]any); ok {
			all = append(all, o)
		}
	}
	return all
}

func textIn(object map[string]any, key string) string {
	text, _ := object[key].(string)
	return text
}

// tagIn returns a tag of an event, of which there are two forms: pairs, and an object.
func tagIn(object map[string]any, name string) string {
	switch tags := object["tags"].(type) {
	case map[string]any:
		return textIn(tags, name)
	case []any:
		for _, t := range tags {
			if pair, ok := t.([]any); ok && len(pair) == 2 && pair[0] == name {
				text, _ := pair[1].(string)
				return text
			}
		}
	}
	return ""
}
