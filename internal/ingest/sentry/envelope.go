// Package sentry reads what Sentry's clients send. It takes the uncompressed bodies of their requests, and returns notices, check-ins,
// counts of sessions and feedback in sett's terms, and the texts that those clients expect in answers. It accepts what released clients
// send, even where the documentation says otherwise. The package never stores anything, and never answers a request.
package sentry

import (
	"bytes"
	"strings"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/scan"
)

// maxItems is how many items of an envelope are read; the rest is ignored.
const maxItems = 1000

// Envelope is what one request carries.
type Envelope struct {
	EventID string // of the event in it, as it was sent; "" if there is none
	DSN     string // "" if only the request has the key
	SentAt  time.Time
	Items   []Item
	LeftOut int // items that could not be read, or are too many
}

// Item is one of the parts of an envelope. Payload shares memory with the body.
type Item struct {
	Type           string // such as "event"
	Filename       string // of an attachment
	ContentType    string
	AttachmentType string
	Count          int // of what is in a container; 1 for others
	Payload        []byte
	Large          bool // the payload was longer than may be kept, and is missing
	Repairs        []string
}

// wrongLength is the note on an item whose header says another length than its payload has.
const wrongLength = "The length of the item was not that of its payload: the payload ends with its line."

// ReadEnvelope reads a body that is a header, and items that are a header and a payload each, one a line. A payload with a length
// is exactly as long; any other ends with its line. An item whose header cannot be read ends the envelope: what comes before it counts. The
// error is Malformed, if the header of the envelope is not an object.
func ReadEnvelope(body []byte) (Envelope, error) {
	line, rest := cutLine(body)
	var e Envelope
	s := scan.New(textOf(line))
	isObject := s.Peek() == '{'
	for key := range s.Members {
		switch key {
		case "event_id":
			e.EventID = s.Text()
		case "dsn":
			e.DSN = s.Text()
		case "sent_at":
			e.SentAt = readTime(&s)
		default:
			s.Value()
		}
	}
	if err := s.End(); err != nil {
		return e, err
	}
	if !isObject {
		return e, sett.Errorf(sett.Malformed, "The envelope must begin with a line that is a JSON object.")
	}
	e.readItems(rest)
	return e, nil
}

func (e *Envelope) readItems(rest []byte) {
	var line []byte
	for len(rest) > 0 {
		if line, rest = cutLine(rest); len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		item, length, ok := readItemHeader(line)
		if !ok {
			e.LeftOut++
			return
		}
		if length >= 0 {
			length = min(length, len(rest)) // a body that is cut off may still have all that matters
			if item.longer(rest, length) {
				item.Payload, rest = cutLine(rest)
				item.Repairs = []string{wrongLength}
			} else {
				item.Payload, rest = rest[:length], rest[length:]
			}
		} else {
			item.Payload, rest = cutLine(rest)
		}
		if len(e.Items) == maxItems {
			e.LeftOut++
			continue
		}
		e.Items = append(e.Items, item)
	}
}

// longer reports whether the payload at the start of rest is longer than its header says: it is JSON, and goes on behind its end.
func (i *Item) longer(rest []byte, length int) bool {
	return i.Type != "attachment" && length < len(rest) && rest[0] == '{' && rest[length] != '\n' && rest[length] != '\r' &&
		(length == 0 || rest[length-1] != '\n') && bytes.IndexByte(rest[:length], '\n') < 0
}

// readItemHeader returns an item without its payload, and how long that is; -1 if the header does not say.
func readItemHeader(line []byte) (item Item, length int, ok bool) {
	item.Count, length = 1, -1
	s := scan.New(textOf(line))
	ok = s.Peek() == '{'
	for key := range s.Members {
		switch key {
		case "type":
			item.Type = s.Text()
		case "filename":
			item.Filename = s.Text()
		case "content_type":
			item.ContentType = s.Text()
		case "attachment_type":
			item.AttachmentType = s.Text()
		case "length":
			if n, ok := wholeNumber(s.Text()); ok && n >= 0 {
				length = n
			}
		case "item_count":
			if n, ok := wholeNumber(s.Text()); ok && n > 0 {
				item.Count = n
			}
		default:
			s.Value()
		}
	}
	return item, length, ok && s.End() == nil
}

// cutLine returns the first line of text without its end, and what follows it.
func cutLine(text []byte) (line, rest []byte) {
	line, rest, _ = bytes.Cut(text, []byte("\n"))
	return bytes.TrimSuffix(line, []byte("\r")), rest
}

// ID returns an event's id as UUIDs are written, whether it was sent with dashes or without; "" if it is not one.
func ID(text string) string {
	text = strings.TrimSpace(text)
	if len(text) == 32 {
		text = strings.Join([]string{text[:8], text[8:12], text[12:16], text[16:20], text[20:]}, "-")
	}
	id, err := sett.ParseUUID(text)
	if err != nil {
		return ""
	}
	return id.String()
}
