package web

import (
	"net/http"
	"net/url"

	"sett/internal/sett"
)

// Mood is the color of a state; the sign and the word beside it have the same meaning.
type Mood string

// The moods of states; the style has tokens of the same names.
const (
	Critical Mood = "critical"
	Warning  Mood = "warning"
	Fine     Mood = "ok"
	Info     Mood = "info"
	Muted    Mood = "muted"
	Paused   Mood = "paused"
)

// State is a state as pages show it: sign, word and color.
type State struct {
	Mood Mood
	Word string
}

// Sign returns the shape before the word, which identifies a state without its color.
func (s State) Sign() string {
	switch s.Mood {
	case Critical:
		return "◆"
	case Warning:
		return "▲"
	case Fine, Info:
		return "●"
	case Paused:
		return "‖"
	default:
		return "○"
	}
}

// Pager has the links to the adjacent pages of a list.
type Pager struct {
	Newer, Older string // addresses; "" where there is none
	Swap         string // the element that scripts replace, such as #list
	Note         string
	Export       ExportLinks // the list as a file
}

// NewPager returns the pager of a list from the cursors of its page: its URL with other values of ?page= and ?back=.
func (p *Pages) NewPager(r *http.Request, marks sett.Marks) Pager {
	return Pager{Newer: p.markAddress(r, marks.Prev, true), Older: p.markAddress(r, marks.Next, false), Swap: "#list", Export: p.ExportPath(r, r.URL.Path)}
}

func (p *Pages) markAddress(r *http.Request, mark string, back bool) string {
	if mark == "" {
		return ""
	}
	query := r.URL.Query()
	query.Set("page", mark)
	query.Del("back")
	query.Del("done")
	if back {
		query.Set("back", "1")
	}
	return p.root + (&url.URL{Path: r.URL.Path, RawQuery: query.Encode()}).String()
}

// PageOf returns the part of a list that an address asks for, with so many results.
func PageOf(r *http.Request, size int) sett.Page {
	query := r.URL.Query()
	return sett.Page{Size: size, Mark: query.Get("page"), Back: query.Get("back") != ""}
}

// Empty is what stands in place of a list that has nothing: what the thing is, what to do, and where to read more.
type Empty struct{ Title, Text, Action, Link, Manual string }
