package sentry

import (
	"slices"

	"sett/internal/sett/faults"
	"sett/internal/sett/stats"
)

// kind is what sett makes of the items of one type.
type kind struct {
	category string                                        // what those that are not stored are counted as; "" if none is stored
	limits   []string                                      // what clients are to stop sending while sett drops them; the first is what they are counted as
	most     int                                           // bytes that are read of an item in a large envelope; 0: as many as of an envelope
	read     func(*Reader, Item, Request) (Content, error) // nil: nothing is read of one alone
}

// kinds are the types of items that sett knows. To read another one, add its line, and what it says to Content.
var kinds = map[string]kind{
	"event":         {category: "error", read: (*Reader).readEventItem},
	"feedback":      {category: "feedback", read: (*Reader).readFeedback},
	"user_report":   {category: "user_report_v2", read: (*Reader).readUserReport},
	"check_in":      {category: "monitor", most: mostCheckIn, read: readCheckInItem},
	"session":       {category: "session", read: readSession},
	"sessions":      {category: "session", read: readSessions},
	"client_report": {category: "internal", read: readClientReport},
	"log":           {category: "log_item", limits: logCategories, read: readLogs},
	"attachment":    {category: "attachment", limits: attachmentCategories, most: faults.MostAttachmentBytes},

	"otel_log":         {limits: logCategories},
	"transaction":      {limits: []string{"transaction", "span"}},
	"span":             {limits: []string{"span", "transaction"}},
	"profile":          {limits: []string{"profile"}},
	"profile_chunk":    {limits: []string{"profile_chunk"}},
	"replay_event":     {limits: []string{"replay"}},
	"replay_recording": {limits: []string{"replay"}},
	"replay_video":     {limits: []string{"replay"}},
	"trace_metric":     {limits: []string{"trace_metric"}},
	"statsd":           {limits: []string{"metric_bucket"}},
	"metric_buckets":   {limits: []string{"metric_bucket"}},
}

// Content is what an item says. Only what its type has is set.
type Content struct {
	Event    *Event
	Feedback *Feedback
	CheckIn  *CheckIn // also with an error: its slug, if that could be read
	Sessions []Session
	Discards []stats.Discard // by the client
	Logs     []Log
	LeftOut  int // lines of the log beyond MostLogs
}

// Read reads an item, which has to stay as it is until the next one is read: what it says shares memory with it. Nothing is read of what sett has no
// use for. Errors: Malformed for what is not JSON, Invalid for JSON that is no such item, TooLarge.
func (m *Reader) Read(i Item, r Request) (Content, error) {
	if k := kinds[i.Type]; k.read != nil {
		return k.read(m, i, r)
	}
	return Content{}, nil
}

// Says reports whether an item that was repaired still says something.
func (c Content) Says() bool {
	return c.Event != nil && c.Event.says() || c.Feedback != nil || c.CheckIn != nil || len(c.Discards)+len(c.Logs) > 0 ||
		slices.ContainsFunc(c.Sessions, func(n Session) bool { return n.Version != "" })
}

// Category returns the category of an item that is stored; "" for others.
func (i Item) Category() string { return kinds[i.Type].category }

// Most returns how many bytes are read of an item in a large envelope, of which at most so many are held.
func (i Item) Most(held int) int {
	if most := kinds[i.Type].most; most > 0 {
		return most
	}
	return held
}

// IsFile reports whether an item is an attachment that people can use. Copies of the memory of a crashed process are not: sett does not read
// them, and nothing could be removed from them.
func (i Item) IsFile() bool {
	return i.Type == "attachment" && i.AttachmentType != "event.minidump" && i.AttachmentType != "event.applecrashreport"
}
