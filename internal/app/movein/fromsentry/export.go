package fromsentry

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/move"
)

// MostExport is how many bytes the file of an export may have.
const MostExport = 1 << 30

// Export is an organization in a file that Sentry's own export has written. It is read as a server is, whose answers are made of the file.
type Export struct {
	*Source
	file *export
}

// OpenExport returns the organization of a file from sentry export. The address is that of the server that wrote it: what came is known by
// it, also when the rest comes from the server itself later. The error is Invalid for a file that is none, NotFound without the organization.
func OpenExport(file io.Reader, address, org string) (*Export, error) {
	e, err := readExport(file)
	if err != nil {
		return nil, err
	}
	s, err := New(Options{URL: address, Org: org, Do: e.do, Now: time.Now, Wait: func(context.Context, time.Duration, string) error { return nil }})
	if err != nil {
		return nil, err
	}
	if e.org = e.find("organization", func(r *object) bool { return r.Slug == org }); e.org == nil {
		var slugs []string
		for _, r := range e.of["organization"] {
			slugs = append(slugs, move.Line(r.Slug, 60))
		}
		return nil, sett.Errorf(sett.NotFound, "The file has no organization %q; it has: %s.", org, cmp.Or(strings.Join(slugs[:min(len(slugs), 20)], ", "), "none"))
	}
	return &Export{s, e}, nil
}

// Builds returns nothing: an export has no source maps.
func (*Export) Builds(context.Context, move.Project) ([]move.Build, []move.Left, error) {
	return nil, nil, nil
}

// Left returns the alert rules by name, and what no export has.
func (e *Export) Left(_ context.Context, projects []move.Project) (left []move.Left, err error) {
	for _, p := range projects {
		for _, r := range e.file.all("rule", func(r *object) bool { return string(r.Project) == p.ID }) {
			if len(left) < mostNamed {
				left = append(left, move.Left{
					Noun: "alert rules", Name: move.Line(p.Slug+": "+r.Label, move.MostName), Why: "Alerts work differently here: say in a channel which events it gets.", Page: move.ChannelsPage,
				})
			}
		}
	}
	return append(left, move.Left{
		Noun: "errors, events, comments, releases, source maps", Why: "Sentry's export has none. Import from the server itself too, with the same --url, as long as it runs.",
	}), nil
}

// object is an object of an export, of the models that matter here.
type object struct {
	pk string

	Slug, Name, Label, Platform, Email, Role, Raw, GUID string

	Organization   text            `json:"organization"`
	OrganizationID text            `json:"organization_id"`
	Project        text            `json:"project"`
	ProjectID      text            `json:"project_id"`
	Team           text            `json:"team"`
	Member         text            `json:"organizationmember"`
	Environment    text            `json:"environment"`
	UserID         text            `json:"user_id"`
	UserEmail      string          `json:"user_email"`
	PublicKey      string          `json:"public_key"`
	Status         text            `json:"status"` // 0: in use
	Active         *bool           `json:"is_active"`
	Hidden         bool            `json:"is_hidden"`
	Muted          bool            `json:"is_muted"`
	Config         json.RawMessage `json:"config"`
}

// usedModels are those that are kept of a file.
var usedModels = []string{
	"organization", "organizationmember", "organizationmemberteam", "team", "project", "projectkey", "projectteam", "projectownership", "environment",
	"environmentproject", "monitor", "rule", "user",
}

// export is what is kept of a file, by model.
type export struct {
	of  map[string][]*object
	org *object
}

func readExport(file io.Reader) (*export, error) {
	e := &export{of: map[string][]*object{}}
	none := func(err error) error {
		return sett.Errorf(sett.Invalid, "--file is no export of Sentry, a JSON list of objects with model, pk and fields: %v", err)
	}
	bounded := &io.LimitedReader{R: file, N: MostExport + 1}
	d := json.NewDecoder(bounded)
	if start, err := d.Token(); err != nil || start != json.Delim('[') {
		return nil, none(fmt.Errorf("it does not begin with ["))
	}
	for d.More() {
		var row struct {
			Model  string          `json:"model"`
			PK     text            `json:"pk"`
			Fields json.RawMessage `json:"fields"`
		}
		if err := d.Decode(&row); err != nil {
			if bounded.N <= 0 {
				return nil, sett.Errorf(sett.TooLarge, "--file has more than %d MiB", MostExport>>20)
			}
			return nil, none(err)
		}
		model, _ := strings.CutPrefix(strings.ToLower(row.Model), "sentry.")
		o := &object{pk: move.Line(string(row.PK), move.MostName)}
		if !slices.Contains(usedModels, model) || json.Unmarshal(row.Fields, o) != nil {
			continue
		}
		e.of[model] = append(e.of[model], o)
	}
	if _, err := d.Token(); err != nil {
		return nil, none(err)
	}
	return e, nil
}

func (e *export) all(model string, is func(*object) bool) (found []*object) {
	for _, r := range e.of[model] {
		if is(r) {
			found = append(found, r)
		}
	}
	return found
}

func (e *export) find(model string, is func(*object) bool) *object {
	if i := slices.IndexFunc(e.of[model], is); i >= 0 {
		return e.of[model][i]
	}
	return nil
}

// do answers a request as the server would. What a file does not have is not found.
func (e *export) do(r *http.Request) (*http.Response, error) {
	answer := &http.Response{StatusCode: http.StatusNotFound, Header: http.Header{}, Request: r, Body: io.NopCloser(strings.NewReader("{}"))}
	_, path, _ := strings.Cut(r.URL.Path, "/api/0/")
	found, ok := e.answer(strings.Split(strings.Trim(path, "/"), "/"))
	if !ok {
		return answer, nil
	}
	if rows, is := found.([]any); is {
		found = pageOf(answer.Header, r.URL.Query().Get("cursor"), rows)
	}
	body, err := json.Marshal(found)
	if err != nil {
		return nil, err
	}
	answer.StatusCode, answer.Body = http.StatusOK, io.NopCloser(bytes.NewReader(body))
	return answer, nil
}

// pageOf cuts a list, and says where the next page is, as a server does.
func pageOf(h http.Header, cursor string, rows []any) []any {
	const size = 100
	from, _ := strconv.Atoi(cursor)
	from = min(max(from, 0), len(rows))
	to := min(from+size, len(rows))
	h.Set("Link", fmt.Sprintf(`<https://sentry.example/>; rel="next"; results="%t"; cursor="%d"`, to < len(rows), to))
	return append([]any{}, rows[from:to]...)
}

func (e *export) answer(path []string) (found any, ok bool) {
	if len(path) < 3 {
		return nil, false
	}
	switch path[0] + " " + path[2] {
	case "organizations projects":
		return e.projects(), true
	case "organizations teams":
		return e.teams(), true
	case "organizations members":
		return e.members(func(*object) bool { return true }), true
	case "organizations monitors":
		return e.monitors(), true
	case "organizations issues":
		return []any{}, len(path) == 3
	}
	if len(path) < 4 {
		return nil, false
	}
	if path[0] == "teams" && path[3] == "members" {
		team := e.find("team", func(r *object) bool { return r.Slug == path[2] && string(r.Organization) == e.org.pk })
		return e.members(func(m *object) bool { return team != nil && e.isIn(m, team) }), team != nil
	}
	p := e.find("project", func(r *object) bool { return r.Slug == path[2] && string(r.Organization) == e.org.pk })
	if path[0] != "projects" || p == nil {
		return nil, false
	}
	return e.ofProject(p, path[3])
}

func (e *export) ofProject(p *object, what string) (found any, ok bool) {
	rows := []any{}
	switch what {
	case "keys":
		for _, k := range e.all("projectkey", func(r *object) bool { return string(r.Project) == p.pk }) {
			rows = append(rows, map[string]any{"public": k.PublicKey, "label": k.Label, "isActive": k.Status == "0"})
		}
	case "environments":
		for _, x := range e.all("environmentproject", func(r *object) bool { return string(r.Project) == p.pk && !r.Hidden }) {
			if named := e.find("environment", func(r *object) bool { return r.pk == string(x.Environment) }); named != nil {
				rows = append(rows, map[string]any{"name": named.Name})
			}
		}
	case "ownership":
		o := e.find("projectownership", func(r *object) bool { return string(r.Project) == p.pk })
		if o == nil {
			return nil, false
		}
		return map[string]any{"raw": o.Raw}, true
	default:
		return nil, false
	}
	return rows, true
}

// used returns the projects of the organization that are not being deleted.
func (e *export) used() []*object {
	return e.all("project", func(r *object) bool { return string(r.Organization) == e.org.pk && r.Status == "0" })
}

func (e *export) projects() []any {
	rows := []any{}
	for _, p := range e.used() {
		rows = append(rows, map[string]any{"id": p.pk, "slug": p.Slug, "name": p.Name, "platform": p.Platform})
	}
	return rows
}

func (e *export) teams() []any {
	rows := []any{}
	for _, team := range e.all("team", func(r *object) bool { return string(r.Organization) == e.org.pk && r.Status == "0" }) {
		has := []any{}
		for _, p := range e.used() {
			if e.find("projectteam", func(r *object) bool { return string(r.Team) == team.pk && string(r.Project) == p.pk }) != nil {
				has = append(has, map[string]any{"slug": p.Slug})
			}
		}
		rows = append(rows, map[string]any{"id": team.pk, "slug": team.Slug, "name": team.Name, "projects": has})
	}
	return rows
}

func (e *export) isIn(member, team *object) bool {
	return e.find("organizationmemberteam", func(r *object) bool {
		return string(r.Team) == team.pk && string(r.Member) == member.pk && (r.Active == nil || *r.Active)
	}) != nil
}

// members returns members of the organization. The address is that of their invitation or of their user.
func (e *export) members(is func(*object) bool) []any {
	rows := []any{}
	for _, m := range e.all("organizationmember", func(r *object) bool { return string(r.Organization) == e.org.pk && is(r) }) {
		user := e.find("user", func(r *object) bool { return m.UserID != "" && r.pk == string(m.UserID) })
		if user == nil {
			user = &object{}
		}
		rows = append(rows, map[string]any{"email": cmp.Or(m.Email, m.UserEmail, user.Email), "name": user.Name, "orgRole": m.Role})
	}
	return rows
}

func (e *export) monitors() []any {
	rows := []any{}
	for _, m := range e.all("monitor", func(r *object) bool { return string(r.OrganizationID) == e.org.pk && r.Config != nil }) {
		status := "active"
		if m.Status != "0" {
			status = "disabled"
		}
		rows = append(rows, map[string]any{
			"id": cmp.Or(m.GUID, m.pk), "slug": m.Slug, "name": m.Name, "status": status, "isMuted": m.Muted, "project": map[string]any{"id": m.ProjectID}, "config": m.Config,
		})
	}
	return rows
}
