package apiv3

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"sett/internal/serve"
	"sett/internal/sett"
)

// How many entries a page has at most, and by default.
const (
	mostPerPage  = 100
	usualPerPage = 25
)

// v2List is a list as /v2 writes it.
type v2List struct {
	Results  []json.RawMessage `json:"results"`
	Triggers []json.RawMessage `json:"triggers"` // the name of the entries of an alarm's history
	Links    struct {
		Next string `json:"next"`
		Prev string `json:"prev"`
	} `json:"links"`
}

// pageInfo says which page a list is. total_pages is at least so many: some clients stop without it.
type pageInfo struct {
	Page       int `json:"page"`
	PerPage    int `json:"per_page"`
	TotalPages int `json:"total_pages" doc:"The number of pages that are known of: one more than this page, unless it is the last."`
}

type pageLinks struct {
	Self  string  `json:"self"`
	First string  `json:"first"`
	Prev  *string `json:"prev"`
	Next  *string `json:"next"`
}

// cursorInfo says which part of a list by time is shown.
type cursorInfo struct {
	Limit    int    `json:"limit"`
	HasOlder bool   `json:"has_older"`
	HasNewer bool   `json:"has_newer"`
	Oldest   string `json:"oldest_cursor,omitempty"`
	Newest   string `json:"newest_cursor,omitempty"`
}

type cursorLinks struct {
	Self  string  `json:"self"`
	Older *string `json:"older"`
	Newer *string `json:"newer"`
}

// checkPage notes what is wrong with the parameters of pages.
func (c *call) checkPage(problems *sett.Problems) {
	switch c.op.List {
	case pages:
		number(problems, c.query, "page", 1<<31-1)
		number(problems, c.query, "per_page", mostPerPage)
	case cursors, reversed:
		number(problems, c.query, "limit", 1<<31-1)
		if c.query.Has("before") && c.query.Has("after") {
			problems.Add("before", "cannot be sent with after")
		}
	}
}

func number(problems *sett.Problems, query url.Values, name string, most int) {
	if n, err := strconv.Atoi(query.Get(name)); query.Has(name) && (err != nil || n < 1 || n > most) {
		problems.Add(name, "must be a number from 1 to %d", most)
	}
}

func (c *call) number(name string, usual int) int {
	if n, err := strconv.Atoi(c.query.Get(name)); err == nil {
		return n
	}
	return usual
}

// list has a list read, and writes it in its form.
func (c *call) list() error {
	switch {
	case c.op.List == whole:
		return c.listWhole()
	case c.op.List == cursors:
		return c.listByTime()
	case c.op.List == reversed:
		return c.listReversed()
	case c.op.Keep != nil:
		return c.listKept()
	}
	page, size := c.number("page", 1), c.number("per_page", usualPerPage)
	found, err := c.readList(url.Values{"page": {strconv.Itoa(page)}, "limit": {strconv.Itoa(size)}})
	if err != nil {
		return err
	}
	return c.writePage(page, size, found.Results, found.Links.Next != "")
}

// readList asks for a part of the list of the operation.
func (c *call) readList(part url.Values) (list v2List, err error) {
	query, err := c.accountQuery()
	if err != nil {
		return list, err
	}
	for name, values := range c.passed() {
		query[name] = values
	}
	for name, values := range part {
		query[name] = values
	}
	found, err := c.ask(c.op.Route, query, nil)
	if err != nil {
		return list, err
	}
	if strings.HasPrefix(string(found.Body), "[") {
		return list, json.Unmarshal(found.Body, &list.Results)
	}
	if err := json.Unmarshal(found.Body, &list); err != nil {
		return list, err
	}
	list.Results = append(list.Results, list.Triggers...)
	return list, nil
}

func (c *call) writePage(page, size int, results []json.RawMessage, more bool) error {
	data, err := c.shown(results)
	if err != nil {
		return err
	}
	info := pageInfo{page, size, page}
	links := pageLinks{Self: c.pageLink(page, size), First: c.pageLink(1, size)}
	if page > 1 {
		prev := c.pageLink(page-1, size)
		links.Prev = &prev
	}
	if more {
		next := c.pageLink(page+1, size)
		links.Next, info.TotalPages = &next, page+1
	}
	return serve.WriteJSON(c.w, http.StatusOK, many{data, info, links, c.meta()})
}

func (c *call) pageLink(page, size int) string {
	return c.link(map[string]string{"page": strconv.Itoa(page), "per_page": strconv.Itoa(size)})
}

// link is the address of this list with other parameters, without the host; "" removes one.
func (c *call) link(set map[string]string) string {
	query := c.r.URL.Query()
	for name, value := range set {
		if query.Del(name); value != "" {
			query.Set(name, value)
		}
	}
	address := serve.Prefix(c.door.BaseURL) + c.r.URL.EscapedPath()
	if len(query) == 0 {
		return address
	}
	return address + "?" + query.Encode()
}

// listKept is a list that is only a part of that of /v2: it is read whole, and cut here.
func (c *call) listKept() error {
	all, err := c.readAll()
	if err != nil {
		return err
	}
	var kept []json.RawMessage
	for _, raw := range all {
		shown, err := c.op.View.of(c, raw)
		if err != nil {
			return err
		}
		if c.op.Keep(c, shown) {
			kept = append(kept, raw)
		}
	}
	page, size := c.number("page", 1), c.number("per_page", usualPerPage)
	from := min(len(kept), (page-1)*size)
	to := min(len(kept), from+size)
	return c.writePage(page, size, kept[from:to], to < len(kept))
}

func (c *call) listWhole() error {
	found, err := c.readList(nil)
	if err != nil {
		return err
	}
	data, err := c.shown(found.Results)
	if err != nil {
		return err
	}
	return serve.WriteJSON(c.w, http.StatusOK, many{Data: data, Meta: c.meta()})
}

// listByTime has the cursors of /v2 between the pages: what is older is behind.
func (c *call) listByTime() error {
	limit := min(mostPerPage, c.number("limit", usualPerPage))
	part := url.Values{"limit": {strconv.Itoa(limit)}}
	switch {
	case c.query.Get("before") != "":
		part.Set("cursor", "after."+c.query.Get("before"))
	case c.query.Get("after") != "":
		part.Set("cursor", "until."+c.query.Get("after"))
	}
	found, err := c.readList(part)
	if err != nil {
		return err
	}
	data, err := c.shown(found.Results)
	if err != nil {
		return err
	}
	return c.writeByTime(data, cursorInfo{Limit: limit, Oldest: markOf(found.Links.Next), Newest: markOf(found.Links.Prev)})
}

// writeByTime writes a part of a list by time, with links to those beside it.
func (c *call) writeByTime(data []any, info cursorInfo) error {
	info.HasOlder, info.HasNewer = info.Oldest != "", info.Newest != ""
	links := cursorLinks{Self: c.link(nil)}
	if info.HasOlder {
		older := c.link(map[string]string{"before": info.Oldest, "after": ""})
		links.Older = &older
	}
	if info.HasNewer {
		newer := c.link(map[string]string{"after": info.Newest, "before": ""})
		links.Newer = &newer
	}
	return serve.WriteJSON(c.w, http.StatusOK, many{data, info, links, c.meta()})
}

// listReversed reads a list that has the oldest first, and shows the newest first. Its cursors are ids.
func (c *call) listReversed() error {
	all, err := c.readAll()
	if err != nil {
		return err
	}
	slices.Reverse(all)
	ids := make([]id, len(all))
	for i, raw := range all {
		var entry struct{ ID id }
		if err := json.Unmarshal(raw, &entry); err != nil {
			return err
		}
		ids[i] = entry.ID
	}
	info := cursorInfo{Limit: min(mostPerPage, c.number("limit", usualPerPage))}
	from := 0
	if at := c.query.Get("before"); at != "" {
		from = slices.Index(ids, id(at)) + 1
	}
	to := min(len(ids), from+info.Limit)
	if at := c.query.Get("after"); at != "" {
		to = max(0, slices.Index(ids, id(at)))
		from = max(0, to-info.Limit)
	}
	if to < len(ids) && to > 0 {
		info.Oldest = string(ids[to-1])
	}
	if from > 0 && from < len(ids) {
		info.Newest = string(ids[from])
	}
	data, err := c.shown(all[from:to])
	if err != nil {
		return err
	}
	return c.writeByTime(data, info)
}

// readAll reads every page of the list of the operation.
func (c *call) readAll() (all []json.RawMessage, err error) {
	for page := 1; ; page++ {
		found, err := c.readList(url.Values{"page": {strconv.Itoa(page)}, "limit": {strconv.Itoa(mostPerPage)}})
		if err != nil {
			return nil, err
		}
		if all = append(all, found.Results...); found.Links.Next == "" {
			return all, nil
		}
	}
}

// markOf returns the mark in a link of /v2.
func markOf(link string) string {
	there, err := url.Parse(link)
	if err != nil {
		return ""
	}
	_, mark, _ := strings.Cut(there.Query().Get("cursor"), ".")
	return mark
}

func (c *call) shown(results []json.RawMessage) ([]any, error) {
	all := make([]any, 0, len(results))
	for _, raw := range results {
		v, err := c.op.View.of(c, raw)
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, nil
}
