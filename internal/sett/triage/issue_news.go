package triage

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"sett/internal/sett/faults"
)

// IssueState is whether an issue is open, as far as its tracker said it or sett set it.
type IssueState string

// The states. One that is not known is "".
const (
	IssueOpen   IssueState = "open"
	IssueClosed IssueState = "closed"
)

// IssueNews is what the webhook of a tracker says about an issue. Its texts are those of the tracker, on one line and bounded.
type IssueNews struct {
	Number string   // in its project; "" for trackers that name issues otherwise
	IDs    []string // other names by which a link may identify it
	Places []string // the project that it is in, by all its names; nil: the names of issues are enough
	Name   string   // such as acme/shop#12
	By     string   // who did this; "" if the tracker does not say
	At     time.Time

	State   IssueState // "": this is not about its state
	Reason  string     // of a state that is not just done: "as not planned"
	Comment *IssueComment
}

// IssueComment is a comment on an issue.
type IssueComment struct {
	ID   string // in its tracker
	Body string
}

// Empty reports whether the news is of no use to sett.
func (n IssueNews) Empty() bool { return n.State == "" && n.Comment == nil }

// CommentMark is what the first line of a comment says that sett wrote, before the address of the error.
const CommentMark = "Comment in sett"

// Own reports whether the comment is one that the sett at that address wrote, and so an echo.
func (c IssueComment) Own(base string) bool {
	first, _, _ := strings.Cut(strings.ReplaceAll(c.Body, `\`, ""), "\n") // Linear escapes texts
	return strings.HasPrefix(first, "["+CommentMark+"]("+base) || strings.HasPrefix(first, "["+CommentMark+"|"+base)
}

// In reports whether the issue is in the project that a channel with those options has.
func (n IssueNews) In(options map[string]any) bool {
	if n.Places == nil {
		return true
	}
	of := cmp.Or(textOf(options, "repo"), textOf(options, "project"))
	return slices.ContainsFunc(n.Places, func(place string) bool { return strings.EqualFold(place, of) })
}

func textOf(options map[string]any, name string) string {
	text, _ := options[name].(string)
	return text
}

// Names returns everything that a link with the issue may contain.
func (n IssueNews) Names() []string {
	names := slices.Clone(n.IDs)
	if n.Number != "" {
		names = append(names, n.Number)
	}
	return names
}

// LinksTo reports whether a link identifies the issue.
func (d LinkData) LinksTo(n IssueNews) bool {
	if n.Number != "" {
		return string(d["number"]) == n.Number
	}
	for _, field := range []string{"id", "key", "identifier"} {
		var number json.Number
		var text string
		if json.Unmarshal(d[field], &text) != nil && json.Unmarshal(d[field], &number) == nil {
			text = number.String()
		}
		if text != "" && slices.ContainsFunc(n.IDs, func(id string) bool { return strings.EqualFold(id, text) }) {
			return true
		}
	}
	return false
}

// Author is who wrote a comment, and where.
func (n IssueNews) Author() string { return cmp.Or(n.By, "Someone") + " (" + n.Name + ")" }

// Entry records in the history of a fault that its issue was closed or reopened.
func (n IssueNews) Entry() faults.Entry {
	e, did := faults.Entry{Event: faults.ResolvedEvent}, "Resolved: issue "+n.Name+" was closed"
	if n.State == IssueOpen {
		e.Event, did = faults.ReopenedEvent, "Reopened: issue "+n.Name+" was reopened"
	}
	if n.Reason != "" {
		did += " " + n.Reason
	}
	if n.By != "" {
		did += " by " + n.By
	}
	e.Body = did + "."
	return e
}
