package sett

import (
	"time"

	"sett/internal/payload"
)

// Notice is one occurrence of a fault, as somebody reads it.
type Notice struct {
	ID        UUID // public: the client's own token where it sent one
	Key       NoticeID
	ProjectID int64
	FaultID   int64
	payload.Payload
	Readable bool    // false when the stored body is damaged: then Payload is empty
	Deploy   *Deploy // what the notice ran on; nil when unknown
}

// NewNotice reads a stored notice; token is the client's id of it, or zero, and body empty when it could not be unpacked.
// A damaged body makes a notice without content rather than an error, so that it never spoils the list that it is in.
func NewNotice(key NoticeID, token UUID, body payload.Body, searchField string) Notice {
	n := Notice{ID: token, Key: key, Readable: true}
	if token.IsZero() {
		n.ID = key.UUID()
	}
	var err error
	if n.Payload, err = payload.Read(body, searchField); err != nil {
		n.Readable = false
		n.Payload, _ = payload.Read(payload.Body{JSON: []byte("{}")}, "")
	}
	return n
}

// CreatedAt returns when the server accepted the notice.
func (n Notice) CreatedAt() time.Time { return n.Key.Time() }
