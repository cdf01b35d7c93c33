package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/api"
	"sett/internal/app"
	"sett/internal/serve"
	"sett/internal/sett/checks"
	"sett/internal/sett/run"
	"sett/internal/setttest"
	"sett/internal/store/uptimedb"
)

func checkInsPath(s *setttest.Server, rest string) string {
	return projectPath(s.Setup.ProjectID, "/check_ins"+rest)
}

func withCheckIn(fields map[string]any) map[string]any { return map[string]any{"check_in": fields} }

// createCheckIn makes a check-in of the server's project.
func createCheckIn(s *setttest.Server, fields map[string]any) (made api.CheckIn) {
	s.Post(checkInsPath(s, ""), withCheckIn(fields)).Want(http.StatusCreated).Into(&made)
	return made
}

func getCheckIn(s *setttest.Server, id string) (got api.CheckIn) {
	s.Get(checkInsPath(s, "/"+id)).Into(&got)
	return got
}

// historyOf returns the events of a check-in, the newest first, in words.
func historyOf(s *setttest.Server, id string) (events []string) {
	var list serve.List[api.CheckInEvent]
	s.Get(checkInsPath(s, "/"+id+"/events")).Into(&list)
	for _, e := range list.Results {
		text := fmt.Sprint(e.Event, " ", e.CreatedAt.Format("02T15:04"))
		if p := e.Payload; p != nil {
			text += fmt.Sprint(" ", *p.Status, " ", *p.Duration, " ", *p.ExitCode, " ", p.Stdout, " ", p.Stderr)
		}
		events = append(events, text)
	}
	return events
}

func TestACheckInFromCreationToDeletion(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		made := createCheckIn(s, map[string]any{"name": "Backup", "slug": "nightly-backup", "report_period": "1 hours", "grace_period": "5 minutes"})
		want := api.CheckIn{
			ID: made.ID, Name: "Backup", Slug: "nightly-backup", State: "pending", ScheduleType: "simple", ReportPeriod: "1 hours", GracePeriod: "5 minutes",
			URL:        "https://in.example.test/v1/check_in/" + made.ID,
			DetailsURL: fmt.Sprintf("%s/projects/%d/check_ins/%s", s.Base, s.Setup.ProjectID, made.ID),
		}
		same := func(what string) {
			t.Helper()
			if diff := cmp.Diff(want, getCheckIn(s, made.ID)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", what, diff)
			}
		}
		if diff := cmp.Diff(want, made); diff != "" || len(made.ID) < 16 {
			t.Errorf("made (-want +got):\n%s", diff)
		}
		same("read")

		path := checkInsPath(s, "/"+made.ID)
		now := s.Clock.Now()
		s.Post("/v1/check_in/"+made.ID, `{"check_in":{"status":"error","duration":1500,"exit_code":3,"stdout":"o","stderr":"e"}}`).Want(http.StatusOK)
		expected := now.Add(time.Hour)
		want.State, want.ReportedAt, want.ExpectedAt = "failing", &now, &expected
		same("after a failure")

		s.Clock.Push(time.Minute)
		s.Put(path, withCheckIn(map[string]any{"name": nil, "slug": "other", "schedule_type": "cron", "cron_schedule": "", "cron_timezone": nil, "grace_period": "", "reminder_interval": "Never"})).Want(http.StatusNoContent)
		want.Name, want.GracePeriod = made.ID, ""
		want.Reminders = "never"
		same("after a change that leaves the schedule")

		s.Put(path, withCheckIn(map[string]any{"report_period": 90})).Want(http.StatusNoContent)
		want.State, want.ReportPeriod, want.ExpectedAt = "pending", "90", nil
		same("after another schedule")

		s.Clock.Push(time.Minute)
		s.Do("GET", "/v1/check_in/"+s.Setup.APIKey+"/nightly-backup", nil).Want(http.StatusOK)
		s.Clock.Push(time.Minute)
		if answer := s.Post(path+"/pause", `{"time":"day"}`).Want(http.StatusOK); len(answer.Body) > 0 {
			t.Errorf("pause: %s", answer.Body)
		}
		reported := s.Clock.Now().Add(-time.Minute)
		want.State, want.ReportedAt = "paused", &reported
		same("paused")
		s.Clock.Push(time.Minute)
		s.Post(path+"/unpause", nil).Want(http.StatusOK)
		expected = s.Clock.Now().Add(90 * time.Minute)
		want.State, want.ExpectedAt = "pending", &expected
		same("unpaused")
		s.Post(path+"/unpause", nil).Want(http.StatusOK) // again
		events := []string{"resumed 18T10:34", "paused 18T10:33", "reporting 18T10:32", "reported 18T10:32", "changed 18T10:31", "changed 18T10:31", "reported 18T10:30 error 1500 3 o e"}
		if diff := cmp.Diff(events, historyOf(s, made.ID)); diff != "" {
			t.Errorf("history (-want +got):\n%s", diff)
		}

		s.Delete(path).Want(http.StatusNoContent)
		for _, r := range []*setttest.Response{
			s.Do("GET", path, nil), s.Delete(path), s.Put(path, "{"), s.Do("GET", path+"/events", nil), s.Post(path+"/pause", "{"), s.Post(path+"/unpause", nil),
		} {
			if text := r.Want(http.StatusNotFound).Errors(); text != "Check-in not found" {
				t.Errorf("deleted: %s", text)
			}
		}
		s.Do("GET", "/v1/check_in/"+made.ID, nil).Want(http.StatusNotFound)
	}, func(c *app.Config) { c.ReportURL = "https://in.example.test" })
}

// What belongs to the other type of schedule is not there at all: clients compare it with what they do not have.
func TestCheckInsByTheirType(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		cron := createCheckIn(s, map[string]any{"schedule_type": "cron", "cron_schedule": "30 2 * * *", "cron_timezone": "", "report_period": ""})
		simple := createCheckIn(s, map[string]any{"schedule_type": "simple", "report_period": "1 day", "grace_period": nil, "cron_schedule": nil})
		keys := func(id string) string {
			var found []string
			all := s.Get(checkInsPath(s, "/"+id)).JSON()
			for _, key := range []string{"report_period", "cron_schedule", "cron_timezone", "grace_period", "reported_at", "expected_at"} {
				if v, there := all[key]; there {
					found = append(found, fmt.Sprintf("%s=%v", key, v))
				}
			}
			return strings.Join(found, " ")
		}
		for id, want := range map[string]string{
			cron.ID:   "cron_schedule=30 2 * * * cron_timezone= grace_period= reported_at=<nil> expected_at=<nil>",
			simple.ID: "report_period=1 day grace_period= reported_at=<nil> expected_at=<nil>",
		} {
			if got := keys(id); got != want {
				t.Errorf("%s, want %s", got, want)
			}
		}
		s.Do("GET", "/v1/check_in/"+cron.ID, nil).Want(http.StatusOK)
		if got := getCheckIn(s, cron.ID).ExpectedAt; !got.Equal(time.Date(2026, 11, 19, 2, 30, 0, 0, time.UTC)) {
			t.Errorf("expected at %v", got)
		}
		ids, _ := idsOf(s, checkInsPath(s, ""))
		if diff := cmp.Diff([]string{`"` + cron.ID + `"`, `"` + simple.ID + `"`}, ids); diff != "" {
			t.Errorf("listed (-want +got):\n%s", diff)
		}
	})
}

func TestCheckInBodiesThatAreRefused(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	createCheckIn(s, map[string]any{"name": "Taken", "slug": "taken", "report_period": "1 day"})
	simple := createCheckIn(s, map[string]any{"slug": "simple", "report_period": "1 day"})
	cron := createCheckIn(s, map[string]any{"slug": "cron", "schedule_type": "cron", "cron_schedule": "0 2 * * *"})
	long := strings.Repeat("ö", 256)
	const wrap = `check_in must be an object that contains the fields, as in {"check_in": {"name": "Backup", "report_period": "1 day"}}`
	const period = `%s is not a duration; write a number of minutes, hours, days, weeks or months, such as "30 minutes"`
	create, toSimple, toCron := "POST "+checkInsPath(s, ""), "PUT "+checkInsPath(s, "/"+simple.ID), "PUT "+checkInsPath(s, "/"+cron.ID)
	for _, c := range []struct{ at, fields, errors string }{
		{create, `{}`, "report_period can't be blank"},
		{create, `{"report_period":""}`, "report_period can't be blank"},
		{create, `{"schedule_type":"cron"}`, "cron_schedule can't be blank"},
		{create, `{"schedule_type":"weekly","report_period":"x"}`, "schedule_type must be simple or cron"},
		{create, `{"schedule_type":[7],"report_period":"1 day"}`, "schedule_type must be a string"},
		{create, `{"slug":"Büro","report_period":"1 day"}`, "slug must be of lower-case letters, digits, - and _"},
		{create, `{"slug":"` + strings.Repeat("a", 256) + `","report_period":"1 day"}`, "slug is too long (maximum is 255 characters)"},
		{create, `{"slug":"taken","name":"Taken","report_period":"1 day"}`, "name has already been taken by another check-in of this project; slug has already been taken by another check-in of this project"},
		{create, `{"report_period":"1 day","cron_schedule":"0 2 * * *","cron_timezone":"UTC"}`, "cron_schedule is only for check-ins whose schedule_type is cron; cron_timezone is only for check-ins whose schedule_type is cron"},
		{create, `{"schedule_type":"cron","cron_schedule":"0 2 * * *","report_period":"1 day"}`, "report_period is only for check-ins whose schedule_type is simple"},
		{create, `{"name":[7],"slug":[7],"report_period":true,"grace_period":[]}`, "slug must be a string; name must be a string; grace_period must be a string; report_period must be a string"},
		{create, `{"schedule_type":"cron","cron_schedule":[7],"cron_timezone":[7]}`, "cron_schedule must be a string; cron_timezone must be a string"},
		{toSimple, `{"name":"Taken"}`, "name has already been taken by another check-in of this project"},
		{toSimple, `{"name":"` + long + `"}`, "name is too long (maximum is 255 characters)"},
		{toSimple, `{"name":"a\tb"}`, "name must not contain control characters"},
		{toSimple, `{"report_period":null}`, "report_period can't be blank"},
		{toSimple, `{"report_period":"0 minutes"}`, "report_period must be at least 1 minute"},
		{toSimple, `{"report_period":"often","grace_period":"soon"}`, fmt.Sprintf("grace_period "+period+"; report_period "+period, `"soon"`, `"often"`)},
		{toSimple, `{"report_period":"13 months","grace_period":-1}`, "grace_period " + fmt.Sprintf(period, `"-1"`) + `; report_period "13 months" is too long (maximum is 12 months or 366 days)`},
		{toCron, `{"cron_schedule":""}`, "cron_schedule can't be blank"},
		{toCron, `{"cron_schedule":"0 0 30 2 *"}`, `cron_schedule "0 0 30 2 *": it never happens: no month that it names has a day 30`},
		{toCron, `{"cron_timezone":"Berlin/Europe"}`, `cron_timezone "Berlin/Europe" is no time zone; write a name of IANA's such as Europe/Berlin or America/New_York`},
	} {
		method, path, _ := strings.Cut(c.at, " ")
		got := s.Do(method, path, `{"check_in":`+c.fields+`}`).Want(http.StatusUnprocessableEntity).Errors()
		if want := "Please correct: " + c.errors + "."; got != want {
			t.Errorf("%s %s:\ngot  %s\nwant %s", method, c.fields, got, want)
		}
	}
	for _, c := range []struct {
		body   string
		status int
		errors string
	}{
		{`{"name":"x"}`, 422, "Please correct: " + wrap + "."},
		{`{"check_in":null}`, 422, "Please correct: " + wrap + "."},
		{`{"check_in":"x"}`, 422, "Please correct: check_in must be an object."},
		{`{"check_in":`, 400, "The request body is not valid JSON: it ends too early."},
	} {
		for _, r := range []*setttest.Response{s.Post(checkInsPath(s, ""), c.body), s.Put(checkInsPath(s, "/"+simple.ID), c.body)} {
			if text := r.Want(c.status).Errors(); text != c.errors {
				t.Errorf("%s:\ngot  %s\nwant %s", c.body, text, c.errors)
			}
		}
	}
	for _, body := range []string{`{}`, `{"time":null}`, `{"time":"year"}`, `{"time":7}`} {
		if text := s.Post(checkInsPath(s, "/"+simple.ID+"/pause"), body).Want(http.StatusUnprocessableEntity).Errors(); text != `Send {"time": "hour"}, "day" or "week".` {
			t.Errorf("pause %s: %s", body, text)
		}
	}
	if text := s.Post(checkInsPath(s, "/"+simple.ID+"/pause"), `{"count":10}`).Want(http.StatusUnprocessableEntity).Errors(); text != `Please correct: "count" is unknown.` {
		t.Errorf("a pause for a number of pings: %s", text)
	}
	const list = `Please correct: check_ins must be an array of objects, as in {"check_ins": [{"slug": "backup", "report_period": "1 day"}]}.`
	for _, body := range []string{`{}`, `{"check_ins":null}`, `{"check_ins":{}}`, `{"check_ins":[7]}`, `{"check_in":{}}`} {
		if text := s.Put(checkInsPath(s, ""), body).Want(http.StatusUnprocessableEntity).Errors(); text != list {
			t.Errorf("sync %s: %s", body, text)
		}
	}
	for _, query := range []string{"?page=0", "?limit=x", "?cursor=x", "/" + simple.ID + "/events?page=0", "/" + simple.ID + "/events?cursor=after.x"} {
		s.Do("GET", checkInsPath(s, query), nil).Want(http.StatusUnprocessableEntity)
	}
	if diff := cmp.Diff(simple, getCheckIn(s, simple.ID)); diff != "" {
		t.Errorf("a refused body left its mark (-before +after):\n%s", diff)
	}
	if ids, _ := idsOf(s, checkInsPath(s, "")); len(ids) != 3 {
		t.Errorf("a refused body left its mark: %v", ids)
	}
}

func TestSyncCheckIns(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		kept := createCheckIn(s, map[string]any{"slug": "kept", "report_period": "1 day"})
		createCheckIn(s, map[string]any{"slug": "gone", "name": "Name", "report_period": "1 day"})
		sync := func(list ...map[string]any) string {
			t.Helper()
			var answer struct{ Results []api.CheckInSync }
			if list == nil {
				list = []map[string]any{}
			}
			s.Put(checkInsPath(s, ""), map[string]any{"check_ins": list}).Want(http.StatusOK).Into(&answer)
			var lines []string
			for _, r := range answer.Results {
				text := fmt.Sprint(r.Operation, " ", r.Slug, " ", r.Success)
				lines = append(lines, strings.TrimSpace(text+" "+strings.Join(r.Errors, "|")))
			}
			return strings.Join(lines, "\n")
		}
		got := sync(
			map[string]any{"slug": "kept", "schedule_type": "simple", "report_period": "2 days", "grace_period": "", "cron_schedule": "", "cron_timezone": ""},
			map[string]any{"slug": "new", "name": "Name", "schedule_type": "cron", "cron_schedule": "0 2 * * *", "cron_timezone": "Berlin"},
			map[string]any{"slug": "bad", "report_period": "0"},
			map[string]any{"slug": "new", "report_period": "1 day"},
		)
		want := strings.Join([]string{
			"update kept true", "create new true", "create bad false Please correct: report_period must be at least 1 minute.",
			"create new false Please correct: slug is used by an earlier check-in of this list.",
			"delete gone true",
		}, "\n")
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("sync (-want +got):\n%s", diff)
		}
		var list serve.List[api.CheckIn]
		s.Get(checkInsPath(s, "")).Into(&list)
		if l := list.Results; len(l) != 2 || l[0].ID != kept.ID || l[0].ReportPeriod != "2 days" || l[1].Name != "Name" || *l[1].CronTimezone != "Berlin" {
			t.Errorf("then there are %+v", l)
		}
		const spared = " false Nothing is deleted while an entry of the list has no valid slug. Correct it and send the list again."
		for slug, problem := range map[string]string{
			"": "can't be blank: it identifies the check-in", "KEPT": "must be of lower-case letters, digits, - and _",
		} { // the entry may mean any check-in, so none may go
			want := "create " + slug + " false Please correct: slug " + problem + ".\ndelete kept" + spared + "\ndelete new" + spared
			if got := sync(map[string]any{"slug": slug, "report_period": "1 day"}); got != want {
				t.Errorf("sync of %q: %s", slug, got)
			}
		}
		if ids, _ := idsOf(s, checkInsPath(s, "")); len(ids) != 2 {
			t.Errorf("after a slug that was misspelt there are %v", ids)
		}
		if got := sync(); got != "delete kept true\ndelete new true" {
			t.Errorf("sync of nothing: %s", got)
		}
	})
}

// What may be named in a path belongs to the project before it.
func TestCheckInsOfAnotherProject(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		other := createProject(t, s.Client, "Other")
		c := createCheckIn(s, map[string]any{"name": "Backup", "slug": "backup", "report_period": "1 day"})
		stranger := s.AddStranger(t, "stranger@example.test")
		for _, at := range []struct {
			method, rest string
			body         any
		}{
			{"GET", "", nil},
			{"PUT", "", withCheckIn(map[string]any{"name": "x"})},
			{"DELETE", "", nil},
			{"GET", "/events", nil},
			{"POST", "/pause", map[string]any{"time": "day"}},
			{"POST", "/unpause", nil},
		} {
			s.Do(at.method, projectPath(other.ID, "/check_ins/"+c.ID+at.rest), at.body).Want(http.StatusNotFound)
			stranger.Do(at.method, checkInsPath(s, "/"+c.ID+at.rest), at.body).Want(http.StatusNotFound)
		}
		s.Post(projectPath(other.ID, "/check_ins"), withCheckIn(map[string]any{"name": "Backup", "slug": "backup", "report_period": "1 day"})).Want(http.StatusCreated)
		s.Put(projectPath(other.ID, "/check_ins"), `{"check_ins":[]}`).Want(http.StatusOK)
		s.Do("GET", "/v1/check_in/"+other.Token+"/backup", nil).Want(http.StatusNotFound)
		if diff := cmp.Diff(c, getCheckIn(s, c.ID)); diff != "" {
			t.Errorf("it has changed (-before +after):\n%s", diff)
		}
	})
}

func TestPagesOfCheckIns(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		first := createCheckIn(s, map[string]any{"report_period": "1 day"})
		for range 4 {
			createCheckIn(s, map[string]any{"report_period": "1 day"})
		}
		for range 5 {
			s.Do("GET", "/v1/check_in/"+first.ID, nil).Want(http.StatusOK)
			s.Clock.Push(time.Minute)
		}
		for _, path := range []string{checkInsPath(s, "?"), checkInsPath(s, "/"+first.ID+"/events?")} {
			all, _ := idsOf(s, path)
			forward, back := walk(t, s, path+"limit=2", func() {})
			if len(all) != 5 || !cmp.Equal(all, forward) || !cmp.Equal(all, back) {
				t.Errorf("%s: %v forward, %v back, want %v", path, forward, back, all)
			}
		}
	})
}

// The history says of a run what the job sent with its end, and why it was missed.
func TestRunsInTheHistory(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		c := createCheckIn(s, map[string]any{"report_period": "1 day", "slug": "job"})
		_, err := s.App.Store().Uptime.RecordPings(t.Context(), []uptimedb.PingReport{
			{ID: c.ID, Ping: checks.Ping{At: s.Clock.Now(), Payload: &checks.PingPayload{Status: "success", Environment: "staging"}}},
			{ID: c.ID, Ping: checks.Ping{At: s.Clock.Now(), Run: run.Report{Started: true, Longest: time.Minute}}},
		})
		if err != nil {
			t.Fatal(err)
		}
		s.Clock.Push(2 * time.Minute)
		if _, _, err := s.App.Store().Uptime.SweepCheckIns(t.Context(), s.Clock.Now(), 10); err != nil {
			t.Fatal(err)
		}
		var list struct {
			Results []struct {
				Event   string
				Reason  *string
				Payload *struct{ Environment, Release *string }
			}
		}
		s.Get(checkInsPath(s, "/"+c.ID+"/events")).Into(&list)
		if len(list.Results) != 2 {
			t.Fatalf("the history is %+v", list)
		}
		missed, ran := list.Results[0], list.Results[1]
		if missed.Event != "missing" || missed.Payload != nil || missed.Reason == nil || !strings.HasSuffix(*missed.Reason, "has not ended within 1 minute.") {
			t.Errorf("the miss is %+v", missed)
		}
		if ran.Reason != nil || ran.Payload == nil || *ran.Payload.Environment != "staging" || ran.Payload.Release != nil {
			t.Errorf("the run is %+v", ran)
		}
	})
}
