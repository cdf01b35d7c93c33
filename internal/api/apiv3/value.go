package apiv3

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// id is an id as text, whatever it is in /v2.
type id string

// UnmarshalJSON reads a text or a number.
func (i *id) UnmarshalJSON(data []byte) error {
	if bytes.HasPrefix(data, []byte(`"`)) {
		return json.Unmarshal(data, (*string)(i))
	}
	if string(data) != "null" {
		*i = id(data)
	}
	return nil
}

// links lead to the page of something.
type links struct {
	Web *string `json:"web" doc:"Its page in the browser."`
}

// page returns links to a page of this server.
func (c *call) page(format string, args ...any) links {
	address := c.door.BaseURL + fmt.Sprintf(format, args...)
	return links{&address}
}

// person is a user as others see them.
type person struct {
	ID    id     `json:"id"`
	Name  string `json:"name"`
	Email string `json:"email"`
}
