package status

import (
	"encoding/json"
	"strings"
	"time"

	"sett/internal/sett/status/locale"
)

// Facts are what sett wrote on a status page, as JSON, before it is in a language; "" for what a user wrote.
type Facts string

// fact is one sentence.
type fact struct {
	Key   string        `json:"key"`             // of the catalogue
	Names []string      `json:"names,omitempty"` // of components
	More  int           `json:"more,omitempty"`  // components, or sentences, that are not named
	At    time.Time     `json:"at,omitzero"`
	Today bool          `json:"today,omitempty"` // At is of the day on which it was written
	For   time.Duration `json:"for,omitempty"`
}

// factsOf returns facts, and their text in English.
func factsOf(all ...fact) (f Facts, english string) {
	body, err := json.Marshal(all)
	if err != nil { // of what has no such values
		return "", sentences(locale.English, all)
	}
	return Facts(body), sentences(locale.English, all)
}

// in returns a text in a language: that of the facts, unless a user has changed the text since.
func (f Facts) in(l locale.Language, written string) string {
	var all []fact
	if l == locale.English || f == "" || json.Unmarshal([]byte(f), &all) != nil || sentences(locale.English, all) != written {
		return written
	}
	return sentences(l, all)
}

func sentences(l locale.Language, all []fact) string {
	lines := make([]string, len(all))
	for i, f := range all {
		lines[i] = f.in(l)
	}
	return strings.Join(lines, "\n")
}

// in returns the sentence in a language. The texts of the catalogue have the values in this order.
func (f fact) in(l locale.Language) string {
	var values []any
	switch {
	case len(f.Names) == 2:
		values = append(values, l.Text("two_components", f.Names[0], f.Names[1]))
	case len(f.Names) == 1 && f.More > 0:
		values = append(values, l.Text("more_components", f.Names[0], f.More))
	case len(f.Names) == 1:
		values = append(values, f.Names[0])
	case f.More > 0:
		values = append(values, f.More)
	}
	switch {
	case f.Today:
		values = append(values, l.Time(f.At))
	case !f.At.IsZero():
		values = append(values, l.Moment(f.At))
	}
	if f.Key == lastedKey {
		values = append(values, lasted(l, f.For))
	}
	return l.Text(f.Key, values...)
}

// In returns the incident with what sett wrote about it in a language.
func (i StatusIncident) In(l locale.Language) StatusIncident {
	i.Name = i.NameFacts.in(l, i.Name)
	updates := make([]IncidentUpdate, len(i.Updates))
	for n, u := range i.Updates {
		updates[n] = u.In(l)
	}
	i.Updates = updates
	return i
}

// In returns the update in a language, if sett wrote it.
func (u IncidentUpdate) In(l locale.Language) IncidentUpdate {
	u.Message = u.Facts.in(l, u.Message)
	return u
}
