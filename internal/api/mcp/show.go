package mcp

import (
	"encoding/json"
	"net/url"
	"strconv"
	"time"

	"sett/internal/base/fence"
	"sett/internal/serve"
)

// object is something that a route of /v2 answered. Every text in it is shown between marks, whatever it is; only numbers, times, UUIDs and the
// names of states are not.
type object map[string]any

// results is what a route of /v2 answered with a list.
type results struct {
	Results       []object   `json:"results"`
	SearchedSince *time.Time `json:"searched_since"` // of a search that did not read all; nil: it did
	UnreadBlocks  int64      `json:"unread_blocks"`
	Links         serve.Links
}

// mostBytes is after how many bytes an answer with a list ends.
const mostBytes = 14_000

// list shows what a route answers with a list, each result by its members of these names.
func (c *call) list(route string, query url.Values, title fence.Words, by fence.Origin, names ...fence.Words) error {
	var found results
	if err := c.ask(route, query, nil, &found); err != nil {
		return err
	}
	c.showAll(title, found.Results, by, 160, names...)
	c.more(found.Links, len(found.Results))
	if found.SearchedSince != nil {
		c.Say("The search ran out of time. Of older events than those since %, some were not searched: errors may be missing.\n", fence.At(*found.SearchedSince))
	}
	if found.UnreadBlocks > 0 {
		c.Say("The search could not read % blocks of events: errors may be missing.\n", fence.Count(found.UnreadBlocks))
	}
	return nil
}

// more says that there is more than a page of so many results.
func (c *call) more(links serve.Links, shown int) {
	if links.Next != "" {
		c.Say("There are more than these %. Ask for more with limit, or narrow what you ask for.\n", fence.Count(int64(shown)))
	}
}

// left says that the answer is too long for the last so many results.
func (c *call) left(results int) {
	c.Say("Another % results are left out. Ask for less.\n", fence.Count(int64(results)))
}

// showAll shows objects below a title, with at most so many bytes of each text.
func (c *call) showAll(title fence.Words, all []object, by fence.Origin, most int, names ...fence.Words) {
	c.Say("# %\n\n", fence.Known(title))
	if len(all) == 0 {
		c.Say("None.\n\n")
	}
	for i, o := range all {
		if c.Size() > mostBytes {
			c.left(len(all) - i)
			break
		}
		c.show(o, by, most, names...)
	}
	c.Say("\n")
}

// show shows members of an object in one line, first the facts and then the texts, each of at most so many bytes. What is missing or empty is left out.
func (c *call) show(o object, by fence.Origin, most int, names ...fence.Words) {
	c.Say("-")
	texts := ""
	for _, name := range names {
		fact, said := valueOf(o[string(name)])
		switch {
		case said != "":
			texts += " " + string(name) + "=" + fence.Clean(said, most)
		case fact != fence.Fact{}:
			c.Say(" %=%", fence.Known(name), fact)
		}
	}
	if texts != "" {
		c.Say(" ")
		c.Quote(by, texts, 2*len(texts))
	}
	c.Say("\n")
}

// states are the words by which sett calls states; a text that is one of them says nothing else.
var states = map[string]fence.Words{
	"pending": "pending", "up": "up", "down": "down", "reporting": "reporting", "missing": "missing", "failing": "failing", "paused": "paused", "reported": "reported",
	"initial": "initial", "ok": "ok", "alarm": "alarm", "error": "error", "planned": "planned", "active": "active", "ended": "ended", "incident": "incident",
	"maintenance": "maintenance", "investigating": "investigating", "identified": "identified", "monitoring": "monitoring", "resolved": "resolved", "scheduled": "scheduled",
	"in_progress": "in_progress", "completed": "completed",
}

// valueOf returns a value as a fact, or as a text that others may have written; neither for nothing.
func valueOf(v any) (fact fence.Fact, said string) {
	switch v := v.(type) {
	case nil:
		return fact, ""
	case bool:
		return fence.Is(v), ""
	case float64:
		if v == float64(int64(v)) {
			return fence.Count(int64(v)), ""
		}
		return fence.Number(v), ""
	case string:
		if at, err := time.Parse(time.RFC3339Nano, v); err == nil {
			return fence.At(at), ""
		}
		if id, ok := fence.ID(v); ok {
			return id, ""
		}
		if state, ok := states[v]; ok {
			return fence.Known(state), ""
		}
		return fact, v
	}
	text, err := json.Marshal(v)
	if err != nil || len(text) <= len("{}") {
		return fact, ""
	}
	return fact, string(text)
}

// word returns a member that is a text or a whole number; "" for none.
func (o object) word(name string) string {
	switch v := o[name].(type) {
	case string:
		return v
	case float64:
		return decimal(int64(v))
	}
	return ""
}

// number returns a member that is a number; 0 for none.
func (o object) number(name string) int64 {
	n, _ := o[name].(float64)
	return int64(n)
}

// inside returns a member that is an object.
func (o object) inside(name string) object {
	inside, _ := o[name].(map[string]any)
	return inside
}

// many returns a member that is a list of objects.
func (o object) many(name string) (all []object) {
	found, _ := o[name].([]any)
	for _, v := range found {
		if one, ok := v.(map[string]any); ok {
			all = append(all, one)
		}
	}
	return all
}

func decimal(n int64) string { return strconv.FormatInt(n, 10) }
