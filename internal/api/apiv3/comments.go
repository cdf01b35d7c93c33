package apiv3

import (
	"encoding/json"
	"time"
)

func commentOperations() []operation {
	const path, comment = faultPath + "/comments", faultPath + "/comments/{comment_id}"
	return []operation{
		{Name: "listComments", Method: "GET", Path: path, Scope: "faults:read", Route: "listComments", List: reversed, View: as[Comment](), Differs: "The author has no `email`."},
		{Name: "createComment", Method: "POST", Path: path, Scope: "faults:write", Route: "createComment", View: as[Comment](), Person: true},
		{Name: "getComment", Method: "GET", Path: comment, Scope: "faults:read", Route: "getComment", View: as[Comment]()},
		{Name: "updateComment", Method: "PATCH", Path: comment, Scope: "faults:write", Route: "updateComment", Read: "getComment", View: as[Comment](), Person: true},
		{Name: "deleteComment", Method: "DELETE", Path: comment, Scope: "faults:write", Route: "deleteComment", Person: true},
	}
}

// Comment is a comment of a user, or an event of an error.
type Comment struct {
	ID        id             `json:"id"`
	FaultID   id             `json:"fault_id"`
	Author    *commentAuthor `json:"author"`
	Body      string         `json:"body"`
	Source    string         `json:"source"`
	Event     *string        `json:"event"`
	CreatedAt time.Time      `json:"created_at"`
	Links     links          `json:"links"`
}

type commentAuthor struct {
	ID    *id     `json:"id"`
	Name  string  `json:"name"`
	Email *string `json:"email" doc:"Always null."`
}

// UnmarshalJSON reads a comment of /v2, where the author is a name beside an id.
func (v *Comment) UnmarshalJSON(data []byte) error {
	type plain Comment
	read := struct {
		*plain
		Author   string `json:"author"`
		AuthorID *id    `json:"author_id"`
	}{plain: (*plain)(v)}
	if err := json.Unmarshal(data, &read); err != nil {
		return err
	}
	if read.Author != "" || read.AuthorID != nil {
		v.Author = &commentAuthor{ID: read.AuthorID, Name: read.Author}
	}
	return nil
}

func (v *Comment) finish(c *call) {
	v.Links = c.page("/projects/%s/faults/%s#comment-%s", c.r.PathValue("project_id"), v.FaultID, v.ID)
}
