package fault

import (
	"fmt"
	"strings"

	"sett/internal/event/query"
	"sett/internal/sett/faults"
	"sett/internal/web"
)

// textOf returns a message of a fault, with its class if that is another.
func textOf(s faults.Said, class string) string {
	if s.Class == class || s.Class == "" {
		return orWord(s.Message, "No message")
	}
	return s.Title()
}

// othersOf says how many other messages a fault has.
func othersOf(n faults.Newest) string {
	switch {
	case n.More:
		return fmt.Sprintf("+ more than %d other messages", n.Others)
	case n.Others == 1:
		return "+ 1 other message"
	}
	return fmt.Sprintf("+ %d other messages", n.Others)
}

// found is the message that a search has found where a row shows another, in pieces around what was searched for.
type found struct {
	Word                 string
	Before, Match, After string
}

// foundOf returns what a row shows of the match of a fault; nil if it shows it already.
func foundOf(m faults.Match, shown faults.Said, class string, s query.Search) *found {
	if m.Said == (faults.Said{}) || m.Said.Kept() == shown.Kept() {
		return nil
	}
	f := found{Word: "Another message:"}
	if m.Cause {
		f.Word, class = "Cause or wrapper:", ""
	}
	f.split(textOf(m.Said, class), s)
	return &f
}

// How much of a message stands before and behind what was searched for.
const (
	mostBefore = 60
	mostBehind = 180
)

// split splits a message at what was searched for, if it contains that as it was typed.
func (f *found) split(text string, s query.Search) {
	f.Before = cut(text, mostBefore+mostBehind)
	lower := strings.ToLower(text)
	for _, word := range wordsOf(s) {
		at := strings.Index(lower, word)
		if at < 0 || len(lower) != len(text) { // other letters would be marked
			continue
		}
		end := at + len(word)
		f.Before, f.Match, f.After = text[:at], text[at:end], cut(text[end:], mostBehind)
		if runes := []rune(f.Before); len(runes) > mostBefore {
			f.Before = "…" + string(runes[len(runes)-mostBefore:])
		}
		return
	}
}

// wordsOf returns the texts between the stars of what a search looks for in messages, in lower case.
func wordsOf(s query.Search) (words []string) {
	for _, t := range s.Terms {
		if t.Negated || !t.AsksForMessages() {
			continue
		}
		for _, v := range t.Values {
			for _, word := range strings.Split(strings.ToLower(v.Text), "*") {
				if word != "" {
					words = append(words, word)
				}
			}
		}
	}
	return words
}

// messages are the different messages of a fault, as its page lists them; none if they are all the same.
type messages struct {
	Newest string // with its class, if that is another
	Others string
	Rows   []messageRow
	Fewer  int   // messages that are not listed
	Rest   int64 // events whose messages are not kept
}

// messageRow is one of them.
type messageRow struct {
	Text, Path string
	Count      int64
	Last       *web.Moment // nil: not since others came
}

// mostListed is how many messages a page lists.
const mostListed = 15

// showMessages lists the messages of the fault, if they differ.
func (v *faultView) showMessages(said []faults.Message) {
	newest, differ := faults.NewestOf(said)
	if !differ {
		return
	}
	v.Messages.Newest, v.Messages.Others = textOf(newest.Said, v.Fault.Class), othersOf(newest)
	for _, m := range said {
		switch {
		case m.Rest:
			v.Messages.Rest += m.Count
		case len(v.Messages.Rows) == mostListed:
			v.Messages.Fewer++
		default:
			row := messageRow{Text: cut(textOf(m.Said, v.Fault.Class), 240), Count: m.Count, Path: v.Path() + "/notices?message=" + m.Key().String()}
			if !m.Last.IsZero() {
				at := v.Moment(m.Last)
				row.Last = &at
			}
			v.Messages.Rows = append(v.Messages.Rows, row)
		}
	}
}
