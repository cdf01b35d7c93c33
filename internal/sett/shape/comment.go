package shape

import (
	"encoding/json"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/alerts"
	"sett/internal/sett/faults"
)

// Comment is a comment of a user, or an event of an error.
type Comment struct {
	ID        ID             `json:"id"`
	FaultID   ID             `json:"fault_id"`
	Author    *CommentAuthor `json:"author"`
	Body      string         `json:"body"`
	Source    string         `json:"source"`
	Event     *string        `json:"event"`
	CreatedAt time.Time      `json:"created_at"`
	Links     Links          `json:"links"`
}

// CommentAuthor is who wrote a comment; the id of a user who is gone is null.
type CommentAuthor struct {
	ID    *ID     `json:"id"`
	Name  string  `json:"name"`
	Email *string `json:"email" doc:"Always null."`
}

// UnmarshalJSON reads a comment of /v2, where the author is a name beside an id.
func (v *Comment) UnmarshalJSON(data []byte) error {
	type plain Comment
	read := struct {
		*plain
		Author   string `json:"author"`
		AuthorID *ID    `json:"author_id"`
	}{plain: (*plain)(v)}
	if err := json.Unmarshal(data, &read); err != nil {
		return err
	}
	v.Author = authorOf(read.AuthorID, read.Author)
	return nil
}

func authorOf(id *ID, name string) *CommentAuthor {
	if id == nil && name == "" {
		return nil
	}
	return &CommentAuthor{ID: id, Name: name}
}

// CommentOf returns a comment that a user wrote now on the error of the place.
func CommentOf(c alerts.CommentFacts, by *sett.Person, at Place) Comment {
	v := Comment{ID: Number(c.ID), FaultID: at.FaultID, Body: c.Body, Source: string(faults.FromWeb), CreatedAt: c.CreatedAt}
	if by != nil {
		id := Number(by.ID)
		v.Author = authorOf(&id, by.Called())
	}
	v.Put(at)
	return v
}

// Put sets the links.
func (v *Comment) Put(at Place) {
	v.Links = at.Page("/projects/%s/faults/%s#comment-%s", at.ProjectID, v.FaultID, v.ID)
}
