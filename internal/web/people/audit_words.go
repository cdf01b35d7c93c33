package people

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"sett/internal/base/phrase"
	"sett/internal/notify/channel"
	"sett/internal/sett/accounts"
)

// actionWords returns the words of an action without a phrase, such as one of an earlier version: "dropIdea" is "drop idea".
func actionWords(action string) string {
	var words strings.Builder
	for i, r := range action {
		if unicode.IsUpper(r) && i > 0 {
			words.WriteByte(' ')
		}
		words.WriteRune(unicode.ToLower(r))
	}
	return words.String()
}

// sentence says what an entry did, without who did it: "resolved ZeroDivisionError: divided by 0". people are the names of users and, by negative ids, of teams; see sett.Person.IsTeam.
func sentence(e accounts.AuditEntry, people map[int64]string) string {
	sent := sentOf(e.Changes)
	name := e.Object
	if name == "" {
		name = sent.name()
	}
	if label := channelLabel(e, name); label != "" {
		name = label
	}
	said := phrases[e.Action]
	switch e.Action {
	case "updateFault", "changeFaultState", "assignFault", "tagFault":
		said = sent.faultPhrase(people)
	case "updateProjectKey":
		if _, scoped := sent["scope"]; !scoped {
			said = "changed the label of an API key"
		}
	case "switchChannel":
		if sent.text("active") == "true" {
			said = "turned on the channel %"
		}
	case "changeFaults", "changeFaultsPage":
		said, name = sent.faultPhrase(people), sent.errors()
	}
	if said == "" {
		said = actionWords(e.Action) + " %"
	}
	said = strings.ReplaceAll(said, "%", literal(name))
	return strings.ReplaceAll(strings.Join(strings.Fields(said), " "), literalPercent, "%")
}

// literalPercent stands for a percent sign of a name, which is no place for a name.
const literalPercent = "\x00"

func literal(text string) string { return strings.ReplaceAll(text, "%", literalPercent) }

// channelLabel returns the label of the kind of channel that an entry is about; "" for other entries.
func channelLabel(e accounts.AuditEntry, kind string) string {
	if _, of := e.Target["integration_id"]; !of && e.Action != "createIntegration" && e.Action != "addChannel" {
		return ""
	}
	if known, ok := channel.Find(kind); ok {
		return known.Name
	}
	return ""
}

// sentFields are the fields of a form or of the body of a request, whose single object, such as "fault", is taken as the body.
type sentFields map[string]any

func sentOf(changes json.RawMessage) sentFields {
	sent := sentFields{}
	if json.Unmarshal(changes, &sent) != nil || len(sent) != 1 {
		return sent
	}
	for _, value := range sent {
		if inner, ok := value.(map[string]any); ok {
			return inner
		}
	}
	return sent
}

// text returns a field as text; "" if it was not sent, or is empty.
func (s sentFields) text(field string) string {
	switch v := s[field].(type) {
	case nil:
		return ""
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case []any:
		return strings.Join(strings.Fields(strings.Trim(fmt.Sprint(v), "[]")), ", ")
	default:
		return fmt.Sprint(v)
	}
}

// name returns what the new object is called.
func (s sentFields) name() string {
	for _, field := range []string{"name", "title", "email", "reason", "type", "kind", "slug", "revision"} {
		if name := s.text(field); name != "" {
			return name
		}
	}
	return ""
}

// errors says how many errors a bulk action is about.
func (s sentFields) errors() string {
	for _, field := range []string{"fault_ids", "id"} {
		if ids := s.text(field); ids != "" && s.text("all") == "" {
			return phrase.Count(int64(strings.Count(ids, ",")+1), "error")
		}
	}
	if q := s.text("q"); q != "" {
		return "all errors that match " + phrase.Quote(q)
	}
	return "all errors of a search"
}

// faultPhrases are phrases of changes of errors, by a button or a bulk action.
var faultPhrases = map[string]string{
	"resolve": "resolved %", "reopen": "reopened %", "unresolve": "reopened %", "ignore": "ignored %", "unignore": "stopped ignoring %",
	"on_deploy": "set % to be resolved by the next deploy", "not_on_deploy": "kept the next deploy from resolving %",
	"pause": "paused notifications of %", "unpause": "resumed notifications of %", "delete": "deleted %",
	"follow": "followed %", "unfollow": "unfollowed %",
	"tag": "tagged %", "untag": "removed tags from %", "resolved true": "resolved %", "resolved false": "reopened %",
	"ignored true": "ignored %", "ignored false": "stopped ignoring %", "resolve_on_deploy true": "set % to be resolved by the next deploy",
	"resolve_on_deploy false": "kept the next deploy from resolving %",
}

// faultPhrase returns the phrase of a change of one or more errors.
func (s sentFields) faultPhrase(people map[int64]string) string {
	var said []string
	in := s.text("resolved_in")
	if in != "" {
		said = append(said, "resolved % in "+literal(in))
	}
	for _, field := range []string{"do", "action"} {
		if known := faultPhrases[s.text(field)]; known != "" && (in == "" || known != faultPhrases["resolve"]) {
			said = append(said, known)
		}
	}
	for _, field := range []string{"resolved", "ignored", "resolve_on_deploy"} {
		if known := faultPhrases[field+" "+s.text(field)]; known != "" && (in == "" || known != faultPhrases["resolve"]) {
			said = append(said, known)
		}
	}
	if _, sent := s["assignee_id"]; sent && (s.text("action") == "" || s.text("action") == "assign") {
		said = append(said, s.assignedTo(people))
	}
	switch {
	case s.text("remove") != "":
		said = append(said, "removed the tag "+literal(phrase.Quote(s.text("remove")))+" from %")
	case s.text("add") != "":
		said = append(said, "tagged % with "+literal(phrase.Quote(s.text("add"))))
	case s.text("tags") != "" && s.text("action") == "":
		said = append(said, "changed the tags of %")
	}
	if len(said) == 0 {
		return "changed %"
	}
	for i := range said[1:] {
		said[i+1] = strings.Replace(said[i+1], "%", "it", 1)
	}
	return phrase.And(slices.Compact(said))
}

func (s sentFields) assignedTo(people map[int64]string) string {
	id, err := strconv.ParseInt(s.text("assignee_id"), 10, 64)
	if err != nil {
		return "unassigned %"
	}
	switch name := literal(people[id]); {
	case name == "" && id < 0:
		return "assigned % to a team"
	case name == "":
		return "assigned %"
	case id < 0:
		return "assigned % to the team " + name
	default:
		return "assigned % to " + name
	}
}

// place is an object that an entry names; Path is "" if it has no page.
type place struct {
	Text, Path string
	inner      bool // it is below a project or an account
}

// placeNames turn the name of an id into words of the pages.
var placeNames = strings.NewReplacer("fault", "error", "integration", "channel", "_", " ")

// below are the paths of objects in projects and accounts, by the names of their ids.
var below = map[string]struct{ in, path string }{
	"fault_id": {"project_id", "/projects/%s/faults/%s"}, "site_id": {"project_id", "/projects/%s/sites/%s"},
	"check_in_id": {"project_id", "/projects/%s/check_ins/%s"}, "deploy_id": {"project_id", "/projects/%s/deploys/%s"},
	"status_page_id": {"account_id", "/accounts/%s/status_pages/%s"},
}

// placesOf returns the objects that an entry names, in the order of their names. What was deleted has no page.
func placesOf(e accounts.AuditEntry) (places []place) {
	for _, name := range slices.Sorted(maps.Keys(e.Target)) {
		p, id := place{Text: placeNames.Replace(strings.TrimSuffix(name, "_id")) + " " + e.Target[name]}, e.Target[name]
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
			p.Path, p.inner = fmt.Sprintf(of.path, within, id), true
		}
		places = append(places, p)
	}
	return places
}
