// Package shape has the objects of the API /v3: a project, an error, a notice, a site and so on, with ids as texts and a link to the page of
// each. It takes what /v2 answers, as JSON, or the nouns of sett, and returns what /v3 answers and what webhooks of payload version 3 are sent.
// Both are made of the same types, so that a receiver and a client read one form. It is pure: it reads no store, and decides nothing about who
// may see what.
package shape

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"sett/internal/sett"
)

// ID is an id as text, whatever it is in /v2.
type ID string

// Number returns the id of a number.
func Number(n int64) ID { return ID(strconv.FormatInt(n, 10)) }

// UnmarshalJSON reads a text or a number.
func (i *ID) UnmarshalJSON(data []byte) error {
	if bytes.HasPrefix(data, []byte(`"`)) {
		return json.Unmarshal(data, (*string)(i))
	}
	if string(data) != "null" {
		*i = ID(data)
	}
	return nil
}

// JSONSchema describes an id.
func (ID) JSONSchema() map[string]any { return map[string]any{"type": "string"} }

// Links lead to the page of something.
type Links struct {
	Web *string `json:"web" doc:"Its page in the browser."`
}

// Place is where an object is, as far as it does not say so itself.
type Place struct {
	BaseURL   string // of pages; no trailing slash
	ProjectID ID
	FaultID   ID
	SiteID    ID
	Sample    bool // it is an example that has no page: its links lead to the project
}

// Page returns links to a page below the base URL.
func (p Place) Page(format string, args ...any) Links {
	address := p.BaseURL + fmt.Sprintf(format, args...)
	if p.Sample {
		address = p.BaseURL + "/projects/" + string(p.ProjectID)
	}
	return Links{&address}
}

// Placed is an object with links, and maybe other members that follow from its place.
type Placed interface{ Put(at Place) }

// Person is a user as others see them.
type Person struct {
	ID    ID     `json:"id"`
	Name  string `json:"name"`
	Email string `json:"email"`
}

// PersonOf returns a user; nil for none, and for a team.
func PersonOf(p *sett.Person) *Person {
	if p == nil || p.IsTeam() {
		return nil
	}
	return &Person{Number(p.ID), p.Name, p.Email}
}

// text returns nil for an empty text.
func text(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// moment returns nil for no time.
func moment(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}
