package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/api"
	"sett/internal/serve"
	"sett/internal/sett/accounts"
	"sett/internal/setttest"
)

// Everybody in the account may read incidents, but ids of check-ins are secrets.
func TestIncidentsKeepIDsOfCheckIns(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	checkIn := createCheckIn(s, map[string]any{"slug": "backup", "report_period": "1 day"}).ID
	page := createStatusPage(t, s, `"name":"Shop","check_ins":[{"check_in_id":"`+checkIn+`"}]`).ID
	s.Post(incidentsPath(s, page, ""), `{"incident":{"name":"Down","message":"We look.","check_in_ids":["`+checkIn+`"]}}`).Want(http.StatusCreated)
	member, _ := s.AddUser(t, "member@example.test", accounts.Member) // of no team
	for client, want := range map[*setttest.Client]string{s.Client: checkIn, member: ""} {
		var list serve.List[api.Incident]
		client.Get(incidentsPath(s, page, "")).Want(http.StatusOK).Into(&list)
		if diff := cmp.Diff([]string{want}, list.Results[0].CheckInIDs); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

func incidentsPath(s *setttest.Server, page, rest string) string {
	return "/v2/accounts/" + s.Setup.AccountID + "/status_pages/" + page + "/incidents" + rest
}

func TestIncidentsFromCreationToDeletion(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		site, checkIn := createSite(t, s).ID, createCheckIn(s, map[string]any{"slug": "backup", "report_period": "1 day"}).ID
		page := createStatusPage(t, s, `"name":"Shop","sites":[{"site_id":"`+site+`"}],"check_ins":[{"check_in_id":"`+checkIn+`"}]`).ID
		var made api.Incident
		s.Post(incidentsPath(s, page, ""), map[string]any{"incident": map[string]any{
			"name": " Slow checkout ", "message": "We look.\r\nMore soon.", "site_ids": []string{site}, "check_in_ids": []string{checkIn, checkIn},
		}}).Want(http.StatusCreated).Into(&made)
		now := s.Clock.Now()
		want := api.Incident{
			ID: made.ID, Kind: "incident", Name: "Slow checkout", Status: "investigating", SiteIDs: []api.UUID{api.UUID(site)}, CheckInIDs: []string{checkIn}, Gone: []string{},
			StartsAt: now, CreatedAt: now, UpdatedAt: now,
			Updates: []api.IncidentUpdate{{ID: made.Updates[0].ID, Status: "investigating", Message: "We look.\nMore soon.", CreatedAt: now}},
		}
		same := func(what string) {
			t.Helper()
			var got api.Incident
			s.Get(incidentsPath(s, page, fmt.Sprint("/", made.ID))).Into(&got)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", what, diff)
			}
		}
		same("made")
		path := incidentsPath(s, page, fmt.Sprint("/", made.ID))
		s.Clock.Push(time.Minute)
		s.Put(path, `{"incident":{"kind":"maintenance","name":"Down","status":"investigating","check_in_ids":null,"starts_at":"2026-11-18T11:00:00+01:00"}}`).Want(http.StatusNoContent)
		want.Name, want.CheckInIDs, want.StartsAt, want.UpdatedAt = "Down", []string{}, time.Date(2026, 11, 18, 10, 0, 0, 0, time.UTC), s.Clock.Now()
		same("changed")
		s.Clock.Push(time.Minute)
		var read map[string]any
		s.Get(path).Into(&read)
		delete(read, "updates")
		if diff := cmp.Diff([]any{site}, read["site_ids"]); diff != "" {
			t.Errorf("ids of sites (-want +got):\n%s", diff)
		}
		s.Put(path, map[string]any{"incident": read}).Want(http.StatusNoContent)
		want.UpdatedAt = s.Clock.Now()
		same("what was read is sent back")
		s.Clock.Push(time.Minute)
		var said api.IncidentUpdate
		s.Post(path+"/updates", `{"update":{"status":"resolved","message":"Fixed."}}`).Want(http.StatusCreated).Into(&said)
		now = s.Clock.Now()
		if diff := cmp.Diff(api.IncidentUpdate{ID: said.ID, Status: "resolved", Message: "Fixed.", CreatedAt: now}, said); diff != "" {
			t.Errorf("said (-want +got):\n%s", diff)
		}
		want.Status, want.ResolvedAt, want.UpdatedAt, want.Updates = "resolved", &now, now, append([]api.IncidentUpdate{said}, want.Updates...)
		same("resolved")
		s.Put(path+fmt.Sprint("/updates/", said.ID), `{"update":{"message":"It works."}}`).Want(http.StatusNoContent)
		want.Updates[0].Message = "It works."
		same("reworded")
		s.Post(incidentsPath(s, page, ""), `{"incident":{"kind":"maintenance","name":"Disks","message":"Planned.","starts_at":"2026-11-19T10:00:00Z","ends_at":"2026-11-19T12:00:00Z"}}`).Want(http.StatusCreated)
		for query, names := range map[string]string{"": "Disks Down", "?state=open": "Disks", "?state=past": "Down", "?state=": "Disks Down"} {
			var list serve.List[api.Incident]
			s.Get(incidentsPath(s, page, query)).Into(&list)
			var got []string
			for _, i := range list.Results {
				got = append(got, i.Name)
			}
			if strings.Join(got, " ") != names {
				t.Errorf("listed by %q: %v, want %s", query, got, names)
			}
		}
		s.Delete(path + fmt.Sprint("/updates/", said.ID)).Want(http.StatusNoContent)
		want.Status, want.ResolvedAt, want.Updates = "investigating", nil, want.Updates[1:]
		same("taken back")
		if text := s.Delete(path + fmt.Sprint("/updates/", want.Updates[0].ID)).Want(http.StatusUnprocessableEntity).Errors(); text != "An incident has at least one update. Change its message, or delete the incident." {
			t.Error(text)
		}
		s.Delete(path).Want(http.StatusNoContent)
		for _, r := range []*setttest.Response{s.Do("GET", path, nil), s.Put(path, "{"), s.Delete(path), s.Post(path+"/updates", "{"), s.Put(path+"/updates/1", "{"), s.Delete(path + "/updates/1")} {
			if text := r.Want(http.StatusNotFound).Errors(); text != "Incident not found" {
				t.Errorf("deleted: %s", text)
			}
		}
		for _, r := range []*setttest.Response{s.Do("GET", incidentsPath(s, "nowhere", "?state=x"), nil), s.Post(incidentsPath(s, "nowhere", ""), "{"), s.Put(incidentsPath(s, "nowhere", "/1"), "{")} {
			if text := r.Want(http.StatusNotFound).Errors(); text != "Status page not found" {
				t.Errorf("of no page: %s", text)
			}
		}
	})
}

func TestPostMortemsOfIncidents(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	page := createStatusPage(t, s, `"name":"Shop"`).ID
	var made api.Incident
	s.Post(incidentsPath(s, page, ""), `{"incident":{"name":"Down","message":"We look.","status":"resolved"}}`).Want(http.StatusCreated).Into(&made)
	path := incidentsPath(s, page, fmt.Sprint("/", made.ID))
	member, _ := s.AddUser(t, "member@example.test", accounts.Member)
	seen := func(c *setttest.Client) (text string, public bool, at time.Time) {
		t.Helper()
		var i api.Incident
		if c.Get(path).Want(http.StatusOK).Into(&i); i.PostMortem != nil {
			text = *i.PostMortem
		}
		if i.PostMortemPublishedAt != nil {
			at = *i.PostMortemPublishedAt
		}
		return text, i.PostMortemPublished, at
	}
	s.Put(path, `{"incident":{"postmortem":"A disk was full."}}`).Want(http.StatusNoContent)
	if text, public, at := seen(s.Client); text != "A disk was full." || public || !at.IsZero() {
		t.Errorf("a draft: %q, %v, %s", text, public, at)
	}
	if text, _, _ := seen(member); text != "" {
		t.Errorf("a member who may not change it reads the draft %q", text)
	}
	s.Put(path, `{"incident":{"postmortem_published":true}}`).Want(http.StatusNoContent)
	if text, public, at := seen(member); text != "A disk was full." || !public || !at.Equal(s.Clock.Now()) {
		t.Errorf("published: %q, %v, %s", text, public, at)
	}
	var read map[string]any
	s.Get(path).Into(&read)
	delete(read, "updates")
	s.Put(path, map[string]any{"incident": read}).Want(http.StatusNoContent)
	if text, public, _ := seen(member); text != "A disk was full." || !public {
		t.Errorf("sent back as it was read: %q, %v", text, public)
	}
	s.Put(path, `{"incident":{"postmortem":null}}`).Want(http.StatusNoContent)
	if text, public, _ := seen(s.Client); text != "" || public {
		t.Errorf("removed: %q, %v", text, public)
	}
	s.Put(path, `{"incident":{"postmortem_published":true}}`).Want(http.StatusUnprocessableEntity)
}

func TestIncidentBodiesThatAreRefused(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	site := createSite(t, s).ID
	page := createStatusPage(t, s, `"name":"Shop","sites":[{"site_id":"`+site+`"}]`).ID
	hidden := createSite(t, s).ID
	var made, planned api.Incident
	s.Post(incidentsPath(s, page, ""), `{"incident":{"name":"Down","message":"We look.","site_ids":["`+site+`"]}}`).Want(http.StatusCreated).Into(&made)
	s.Post(incidentsPath(s, page, ""), `{"incident":{"kind":"maintenance","name":"Disks","message":"x","starts_at":"2026-11-18T11:00:00Z","ends_at":"2026-11-18T12:00:00Z"}}`).Want(http.StatusCreated).Into(&planned)
	create, one := "POST "+incidentsPath(s, page, ""), "PUT "+incidentsPath(s, page, fmt.Sprint("/", made.ID))
	work := "PUT " + incidentsPath(s, page, fmt.Sprint("/", planned.ID))
	say := "POST " + incidentsPath(s, page, fmt.Sprint("/", made.ID, "/updates"))
	saying := "POST " + incidentsPath(s, page, fmt.Sprint("/", planned.ID, "/updates"))
	reword := "PUT " + incidentsPath(s, page, fmt.Sprint("/", made.ID, "/updates/", made.Updates[0].ID))
	const blank = "can't be blank: maintenance has a start and an end"
	for _, c := range []struct{ at, fields, errors string }{
		{create, `{}`, "name can't be blank; message can't be blank"},
		{create, `{"kind":"party","name":"x"}`, "kind must be incident or maintenance"},
		{create, `{"name":"x","message":"x","status":"scheduled"}`, "status must be one of investigating, identified, monitoring, resolved"},
		{create, `{"name":"x","message":"x","starts_at":"2026-11-18T10:31:00Z"}`, "starts_at must not be in the future; what is planned is of the kind maintenance"},
		{create, `{"name":"x","message":"x","ends_at":"2026-11-18T10:31:00Z"}`, "ends_at is only for maintenance; an incident ends with an update whose status is resolved"},
		{create, `{"name":"x","message":"` + strings.Repeat("ö", 5001) + `"}`, "message is too long (maximum is 5000 characters)"},
		{create, `{"name":"x","message":"a\u0007"}`, "message must not contain control characters"},
		{create, `{"name":"x","message":" \n","site_ids":["` + hidden + `"]}`, `site_ids must be of this status page; it does not show "` + hidden + `"; message can't be blank`},
		{create, `{"name":[7],"message":[7],"site_ids":7,"check_in_ids":[[7]],"starts_at":[7],"status":[7]}`, "name must be a string; site_ids must be an array of strings; check_in_ids must be an array of strings; starts_at must be a string; status must be a string; message must be a string"},
		{create, `{"kind":"maintenance","name":"x","message":"x"}`, "starts_at " + blank + "; ends_at " + blank},
		{create, `{"kind":"maintenance","name":"x","message":"x","status":"resolved","starts_at":"2026-11-18T11:00:00Z","ends_at":"2026-11-18T11:00:00Z"}`, "ends_at must be after starts_at; status must be one of scheduled, in_progress, completed"},
		{create, `{"kind":"maintenance","name":"x","message":"x","starts_at":"2026-11-18T11:00:00Z","ends_at":"2026-12-18T11:00:01Z"}`, "ends_at must be at most 30 days after starts_at"},
		{create, `{"kind":"maintenance","name":"x","message":"x","starts_at":"tomorrow","ends_at":"9999-11-18T11:00:00Z"}`, "starts_at must be a time such as 2026-11-22T14:00:00Z; ends_at must be a time such as 2026-11-22T14:00:00Z"},
		{one, `{"name":null}`, "name can't be blank"},
		{one, `{"status":"resolved","message":"Done."}`, "status is changed by an update: post one to the updates of the incident; message is the message of an update: change that update, or post another"},
		{one, `{"check_in_ids":["` + site + `",""]}`, `check_in_ids must be of this status page; it does not show "` + site + `", ""`},
		{work, `{"ends_at":null}`, "ends_at " + blank},
		{work, `{"starts_at":"2026-11-18T13:00:00Z"}`, "ends_at must be after starts_at"},
		{say, `{}`, "message can't be blank"},
		{say, `{"status":"in_progress","message":"x"}`, "status must be one of investigating, identified, monitoring, resolved"},
		{saying, `{"status":"resolved","message":"x"}`, "status must be one of scheduled, in_progress, completed"},
		{reword, `{"status":"resolved","message":null}`, "status of an update stays; post another update to change that of the incident; message can't be blank"},
	} {
		method, path, _ := strings.Cut(c.at, " ")
		member := "incident"
		if strings.Contains(path, "/updates") {
			member = "update"
		}
		got := s.Do(method, path, `{"`+member+`":`+c.fields+`}`).Want(http.StatusUnprocessableEntity).Errors()
		if want := "Please correct: " + c.errors + "."; got != want {
			t.Errorf("%s %s:\ngot  %s\nwant %s", method, c.fields, got, want)
		}
		for _, body := range []string{`{}`, `{"` + member + `":null}`, `{"` + member + `":7}`} {
			s.Do(method, path, body).Want(http.StatusUnprocessableEntity)
		}
		s.Do(method, path, `{`).Want(http.StatusBadRequest)
	}
	s.Do("GET", incidentsPath(s, page, "?state=closed"), nil).Want(http.StatusUnprocessableEntity)
	var list serve.List[api.Incident]
	s.Get(incidentsPath(s, page, "")).Into(&list)
	if diff := cmp.Diff([]api.Incident{planned, made}, list.Results); diff != "" {
		t.Errorf("a refused body left its mark (-before +after):\n%s", diff)
	}
}

func TestPagesOfIncidents(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		page := createStatusPage(t, s, `"name":"Shop"`).ID
		for i := range 5 {
			s.Post(incidentsPath(s, page, ""), `{"incident":{"name":"Down","message":"We look."}}`).Want(http.StatusCreated)
			s.Clock.Push(time.Duration(i%2) * time.Minute)
		}
		path := incidentsPath(s, page, "?state=open&")
		all, _ := idsOf(s, path)
		forward, back := walk(t, s, path+"limit=2", func() {})
		if len(all) != 5 || !cmp.Equal(all, forward) || !cmp.Equal(all, back) {
			t.Errorf("%v forward, %v back, want %v", forward, back, all)
		}
	})
}
