package people

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"sett/internal/sett/accounts"
)

// verbs are words of actions that people use others for.
var verbs = map[string]string{"make": "create", "drop": "remove", "renew": "replace"}

// actionWords returns an action, such as makeStatusPage, in words: "Create status page".
func actionWords(action string) string {
	var words []string
	for _, r := range action {
		if len(words) == 0 || unicode.IsUpper(r) {
			words = append(words, "")
		}
		words[len(words)-1] += string(unicode.ToLower(r))
	}
	if len(words) == 0 {
		return ""
	}
	if verb := verbs[words[0]]; verb != "" {
		words[0] = verb
	}
	text := strings.Join(words, " ")
	return strings.ToUpper(text[:1]) + text[1:]
}

// place is an object that an entry names; Path is "" if it has no page.
type place struct{ Text, Path string }

// below are the paths of objects in projects and accounts, by the names of their ids.
var below = map[string]struct{ in, path string }{
	"fault_id": {"project_id", "/projects/%s/faults/%s"}, "site_id": {"project_id", "/projects/%s/sites/%s"},
	"check_in_id": {"project_id", "/projects/%s/check_ins/%s"}, "deploy_id": {"project_id", "/projects/%s/deploys/%s"},
	"status_page_id": {"account_id", "/accounts/%s/status_pages/%s"},
}

// placesOf returns the objects that an entry names, in the order of their names. What was deleted has no page.
func placesOf(e accounts.AuditEntry) (places []place) {
	for _, name := range slices.Sorted(maps.Keys(e.Target)) {
		p, id := place{Text: strings.ReplaceAll(strings.TrimSuffix(name, "_id"), "_", " ") + " " + e.Target[name]}, e.Target[name]
		of, known := below[name]
		within := e.Target[of.in]
		if of.in == "account_id" {
			within = e.AccountID
		}
		switch {
		case strings.HasPrefix(e.Action, "delete"):
		case name == "project_id":
			p.Path = "/projects/" + id
		case name == "team_id":
			p.Path = "/teams/" + id
		case known && within != "":
			p.Path = fmt.Sprintf(of.path, within, id)
		}
		places = append(places, p)
	}
	return places
}
