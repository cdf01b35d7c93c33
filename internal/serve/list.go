package serve

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"sett/internal/sett"
)

// How many results a page has at most, and by default. Released clients read the first page of most lists alone, so that
// only those that the contract limits, and those that grow without end, have short pages.
const (
	ShortPage = 25 // contract, Limits
	longPage  = 1000
)

// Links lead to the neighboring pages of a list, as absolute URLs. Next and Prev are left out if there is no such page: an
// empty string would break clients that follow next until it is null (wire.md §1.2).
type Links struct {
	Self string `json:"self" doc:"This page."`
	Next string `json:"next,omitempty" doc:"The page after this one; absent on the last."`
	Prev string `json:"prev,omitempty" doc:"The page before this one; absent on the first."`
}

// List is one page of results.
type List[T any] struct {
	Links   Links `json:"links" doc:"Links to neighboring pages."`
	Results []T   `json:"results" doc:"The entries of this page."`
}

func (List[T]) paged() {}

// Paged is embedded in a page whose results have another name.
type Paged struct{}

func (Paged) paged() {}

// paged is implemented by Lists alone: a route whose Result is one takes the parameters of pageQuery.
type paged interface{ paged() }

// pageQuery documents what PageOf reads, but for the most that limit may be.
type pageQuery struct {
	Page   pageNumber `query:"page" doc:"Page number; 1 by default. Counted from the current entries, unless cursor is set."`
	Limit  int        `query:"limit"`
	Cursor pageCursor `query:"cursor" doc:"Start or end of the page, from a next or prev link; keeps pages stable while new entries arrive."`
}

// pageNumber is any positive number: a page that is far past the end is empty.
type pageNumber int

// JSONSchema says so.
func (pageNumber) JSONSchema() map[string]any {
	return object{"type": "integer", "format": "int64", "minimum": 1}
}

// pageCursor is what a link holds.
type pageCursor string

// JSONSchema describes one; empty counts as none.
func (pageCursor) JSONSchema() map[string]any {
	return object{"type": "string", "pattern": `^((after|until)\..+)?$`}
}

// limitOf documents the parameter limit of a list whose pages have so many results.
func limitOf(size int) remarks {
	text := strconv.Itoa(size)
	return remarks{Span: &span{1, size}, Doc: "Maximum number of results per page; " + text + " by default; larger values count as " + text + "."}
}

// Page says which part of a list is asked for, and which number that page has.
type Page struct {
	Number int // from 1
	sett.Page
}

// A cursor is a mark of the list behind one of these words: the page stands behind the mark, or ends there.
const (
	cursorAfter = "after"
	cursorUntil = "until"
)

// PageOf reads the parameters page, limit and cursor. A limit that is absent or too large is the maximum of the route. An
// invalid page or cursor is added to the problems.
func PageOf(problems *sett.Problems, r *http.Request) Page {
	query, most := r.URL.Query(), longPage
	if f := factsOf(r.Context()); f.pageSize > 0 {
		most = f.pageSize
	}
	number := positive(problems, query, "page", 1)
	size := min(most, positive(problems, query, "limit", most))
	p := Page{Number: number, Page: sett.Page{Size: size}}
	cursor := query.Get("cursor")
	if cursor == "" {
		p.Offset = (number - 1) * size
		return p
	}
	way, mark, _ := strings.Cut(cursor, ".")
	if (way != cursorAfter && way != cursorUntil) || mark == "" || !storable(mark) {
		problems.Add("cursor", "must be from a next or prev link")
	}
	p.Mark, p.Back = mark, way == cursorUntil
	return p
}

// positive reads a parameter; one that is too large to count with is the largest 32-bit number, so that no offset
// overflows.
func positive(problems *sett.Problems, query url.Values, name string, absent int) int {
	if !query.Has(name) {
		return absent
	}
	n, err := strconv.ParseInt(query.Get(name), 10, 32)
	if err != nil && !errors.Is(err, strconv.ErrRange) || n < 1 {
		problems.Add(name, "must be a positive integer")
	}
	return int(n)
}

// NewList makes the answer to r from the results of page p and its marks. The links are base, an address without
// trailing slash, and the path and query of r.
func NewList[T any](base string, r *http.Request, p Page, results []T, marks sett.Marks) List[T] {
	if results == nil {
		results = []T{} // null would break clients that take its length
	}
	address := base + r.URL.EscapedPath()
	l := List[T]{Links: Links{Self: address}, Results: results}
	if r.URL.RawQuery != "" {
		l.Links.Self += "?" + r.URL.RawQuery
	}
	if marks.Next != "" {
		l.Links.Next = pageAddress(address, r, p.Number+1, cursorAfter+"."+marks.Next)
	}
	switch {
	case marks.Prev != "":
		l.Links.Prev = pageAddress(address, r, max(1, p.Number-1), cursorUntil+"."+marks.Prev)
	case p.Mark == "" && p.Number > 1: // far past the end, where no result is near
		l.Links.Prev = pageAddress(address, r, p.Number-1, "")
	}
	return l
}

func pageAddress(address string, r *http.Request, number int, cursor string) string {
	query := r.URL.Query()
	query.Set("page", strconv.Itoa(number))
	query.Del("cursor")
	if cursor != "" {
		query.Set("cursor", cursor)
	}
	return address + "?" + query.Encode()
}
