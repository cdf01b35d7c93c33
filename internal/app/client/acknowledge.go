package client

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"sett/internal/api"
)

// faultKind is what the API calls errors.
const faultKind = "fault"

// thing is what can have a problem.
type thing struct {
	project  int64
	kind, id string
}

// thingOf returns what a word names: the number of an error, or the address of the page of an error, site, check-in or alarm.
func (s Server) thingOf(ctx context.Context, word string) (t thing, err error) {
	address, is := ParseAddress(word)
	if !is {
		row, err := s.Find(ctx, Errors(), word)
		return thing{s.Project, faultKind, row.ID}, err
	}
	t.project = address.Project
	for kind, n := range map[string]Noun{faultKind: Errors(), "site": sitesNoun(), "check_in": checkInsNoun()} {
		if _, of := address.idOf(n); of {
			row, err := s.findAddress(ctx, n, address)
			return thing{address.Project, kind, row.ID}, err
		}
	}
	_, below, found := strings.Cut(word, "/insights/alarms/")
	if id, _, _ := strings.Cut(below, "/"); found && id != "" {
		err := s.call(ctx, http.MethodGet, projectAt(address.Project)+"/alarms/"+url.PathEscape(id), nil, nil)
		if err == nil {
			err = address.sameServer(s.Address)
		}
		return thing{address.Project, "alarm", id}, err
	}
	return t, fmt.Errorf("%s is no address of an error, site, check-in or alarm; copy that of its page", word)
}

func projectAt(id int64) string { return "/v2/projects/" + strconv.FormatInt(id, 10) }

// Acknowledge says that the user looks at the problem of what a word names.
func (s Server) Acknowledge(ctx context.Context, word string) (made api.Acknowledgement, err error) {
	t, err := s.thingOf(ctx, word)
	if err != nil {
		return made, err
	}
	body := map[string]any{"acknowledgement": map[string]string{"kind": t.kind, "thing_id": t.id, "way": "command"}}
	return made, s.call(ctx, http.MethodPost, projectAt(t.project)+"/acknowledgements", body, &made)
}

// TakeBack takes the acknowledgement of what a word names back.
func (s Server) TakeBack(ctx context.Context, word string) (taken api.Acknowledgement, err error) {
	t, err := s.thingOf(ctx, word)
	if err != nil {
		return taken, err
	}
	all, err := s.Acknowledgements(ctx, t.project)
	if err != nil {
		return taken, err
	}
	for _, a := range all {
		if a.Kind == t.kind && a.ThingID == t.id {
			return a, s.call(ctx, http.MethodDelete, projectAt(t.project)+"/acknowledgements/"+strconv.FormatInt(a.ID, 10), nil, nil)
		}
	}
	return taken, fmt.Errorf("%s is not acknowledged; sett ack lists what is", word)
}

// Acknowledgements returns who looks at which problems of a project.
func (s Server) Acknowledgements(ctx context.Context, project int64) (all []api.Acknowledgement, err error) {
	return all, s.call(ctx, http.MethodGet, projectAt(project)+"/acknowledgements", nil, &all)
}
