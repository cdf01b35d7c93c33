package client

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
)

// Address is that of a page of a server, which people copy from a browser or a message.
type Address struct {
	Text    string
	Project int64
	Part    string // of the project: faults, sites and so on; "" for the project itself
	ID      string // of one thing there; "" for the list
	host    string
}

// ParseAddress reads the address of a page of a project, or of a status page for its owners. Other texts are none.
func ParseAddress(text string) (a Address, ok bool) {
	u, err := url.Parse(text)
	if err != nil || (u.Scheme != "https" && u.Scheme != "http") || u.Host == "" {
		return a, false
	}
	a.Text, a.host = text, strings.ToLower(u.Host)
	if _, page, found := strings.Cut(u.EscapedPath(), "/status_pages/"); found {
		a.Part = "status_pages"
		a.ID, _, _ = strings.Cut(page, "/")
		return a, true
	}
	_, below, _ := strings.Cut(u.EscapedPath(), "/projects/")
	parts := strings.Split(below, "/")
	if a.Project, err = strconv.ParseInt(parts[0], 10, 64); err != nil {
		return a, false
	}
	if len(parts) > 1 {
		a.Part = parts[1]
	}
	if len(parts) > 2 {
		a.ID, _ = url.PathUnescape(parts[2]) // it was read as an address before
	}
	return a, true
}

// idOf returns the id of a thing of a noun that has the address.
func (a Address) idOf(n Noun) (id string, ok bool) {
	if n.where == inServer {
		return strconv.FormatInt(a.Project, 10), a.Project > 0
	}
	return a.ID, a.ID != "" && "/"+a.Part == n.path
}

// sameServer is an error if the page of what was found is on another host: then it only has the same id.
func (a Address) sameServer(page string) error {
	u, err := url.Parse(page)
	if err == nil && strings.EqualFold(u.Host, a.host) {
		return nil
	}
	return fmt.Errorf("%s is of another server than this one, which is %s://%s; name it with --profile or --server", a.Text, u.Scheme, u.Host)
}
