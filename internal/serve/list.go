package serve

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"

	"sett/internal/sett"
)

// Links lead to the pages around a list, as absolute addresses. Next and Prev are left out when there is no such page:
// an empty string would break clients that follow next until it is null (wire.md §1.2).
type Links struct {
	Self string `json:"self" doc:"This page."`
	Next string `json:"next,omitempty" doc:"The page after this one; absent on the last."`
	Prev string `json:"prev,omitempty" doc:"The page before this one; absent on the first."`
}

// List is one page of results.
type List[T any] struct {
	Links   Links `json:"links" doc:"Where the neighbouring pages are."`
	Results []T   `json:"results" doc:"The entries of this page."`
}

func (List[T]) paged() {}

// paged is implemented by Lists alone: a route whose Result is one takes the parameters of pageQuery.
type paged interface{ paged() }

// pageQuery documents what PageOf reads.
type pageQuery struct {
	Page   int    `query:"page" doc:"Number of the page, from 1."`
	Limit  int    `query:"limit" doc:"Most results on one page; more than the maximum counts as the maximum."`
	Cursor string `query:"cursor" doc:"Where the page begins, taken from a next link; keeps pages steady while new entries arrive."`
}

// Page says which part of a list is asked for.
type Page struct {
	Number int    // from 1
	Size   int    // most results on the page
	Cursor string // from the next link of the page before; "" for none, or when the client counts pages only
}

// Offset is the number of results on all pages before.
func (p Page) Offset() int { return (p.Number - 1) * p.Size }

// PageOf reads the parameters page, limit and cursor. A limit that is absent or over maxSize is maxSize. A page or limit
// that is no positive integer is Invalid.
func PageOf(r *http.Request, maxSize int) (Page, error) {
	var problems sett.Problems
	query := r.URL.Query()
	p := Page{
		Number: positive(&problems, query, "page", 1),
		Size:   min(maxSize, positive(&problems, query, "limit", maxSize)),
		Cursor: query.Get("cursor"),
	}
	if !storable(p.Cursor) {
		problems.Add("cursor", "must be taken from a next link")
	}
	if err := problems.Err(); err != nil {
		return Page{}, err
	}
	return p, nil
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

// NewList makes the answer to r from the results of page p. The links are base, an address without trailing slash, and
// the path and query of r; more says whether there is a next page, and nextCursor where it begins, or "" when pages are
// only counted.
func NewList[T any](base string, r *http.Request, p Page, results []T, more bool, nextCursor string) List[T] {
	if results == nil {
		results = []T{} // null would break clients that take its length
	}
	address := base + r.URL.EscapedPath()
	l := List[T]{Links: Links{Self: address}, Results: results}
	if r.URL.RawQuery != "" {
		l.Links.Self += "?" + r.URL.RawQuery
	}
	if more {
		l.Links.Next = pageAddress(address, r, p.Number+1, nextCursor)
	}
	if p.Number > 1 {
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
