package checks

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"sett/internal/sett"
)

func checkInChange(t *testing.T, body string) (c CheckInChange) {
	t.Helper()
	if err := json.Unmarshal([]byte(body), &c); err != nil {
		t.Fatal(err)
	}
	return c
}

func TestCheckInsThatAreMade(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]CheckInSettings{
		`{"report_period":"1 day"}`: every("1 day", ""),
		`{"name":null,"slug":null,"schedule_type":null,"report_period":"1 day","grace_period":null,"cron_schedule":null,"cron_timezone":null}`: every("1 day", ""),
		`{"name":"","slug":"","schedule_type":"","report_period":"1 day","grace_period":"","cron_schedule":"","cron_timezone":""}`:             every("1 day", ""),
		`{"report_period":60,"grace_period":5}`:                      every("60", "5"),
		`{"report_period":" 2  HOURS ","grace_period":"5 minutes "}`: every(" 2  HOURS ", "5 minutes "),
		`{"report_period":"1 day","grace_period":"0"}`:               every("1 day", "0"),
		`{"name":" Nightly backup ","slug":"night_backup-2","schedule_type":"simple","report_period":"1 day"}`: {
			Name: "Nightly backup", Slug: "night_backup-2", ScheduleType: SimpleSchedule, ReportPeriod: "1 day",
		},
		`{"schedule_type":"cron","cron_schedule":"30 2 * * *","cron_timezone":"Eastern Time (US & Canada)","report_period":"","grace_period":"1 hour"}`: {
			ScheduleType: CronSchedule, CronSchedule: "30 2 * * *", CronTimezone: "Eastern Time (US & Canada)", GracePeriod: "1 hour",
		},
		`{"schedule_type":"cron","cron_schedule":"@daily","cron_timezone":"Europe/Berlin"}`: {
			ScheduleType: CronSchedule, CronSchedule: "@daily", CronTimezone: "Europe/Berlin",
		},
	} {
		got, err := checkInChange(t, body).Create()
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", body, err, diff)
		}
	}
}

func TestCheckInsThatAreRefused(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("1", 256)
	for body, want := range map[string]string{
		`{}`:                          "report_period can't be blank",
		`{"report_period":null}`:      "report_period can't be blank",
		`{"report_period":""}`:        "report_period can't be blank",
		`{"report_period":"0"}`:       "report_period must be at least 1 minute",
		`{"report_period":"0 days"}`:  "report_period must be at least 1 minute",
		`{"report_period":true}`:      "report_period must be a string",
		`{"report_period":["1"]}`:     "report_period must be a string",
		`{"report_period":-5}`:        `report_period "-5" is not a duration; write a number of minutes, hours, days, weeks or months, such as "30 minutes"`,
		`{"report_period":1.5}`:       `report_period "1.5" is not a duration; write a number of minutes, hours, days, weeks or months, such as "30 minutes"`,
		`{"report_period":"2 years"}`: `report_period "2 years" is not a duration; write a number of minutes, hours, days, weeks or months, such as "30 minutes"`,
		`{"report_period":"13 months","grace_period":"5 minuts"}`: `grace_period "5 minuts" is not a duration; write a number of minutes, hours, days, weeks or months, such as "30 minutes"; ` +
			`report_period "13 months" is too long (maximum is 12 months or 366 days)`,
		`{"report_period":"1 hour","grace_period":{}}`:                               "grace_period must be a string",
		`{"report_period":"1 hour","name":[7]}`:                                      "name must be a string",
		`{"report_period":"1 hour","name":"a\nb"}`:                                   "name must not contain control characters",
		`{"report_period":"1 hour","name":"` + long + `"}`:                           "name is too long (maximum is 255 characters)",
		`{"report_period":"1 hour","slug":"` + long + `"}`:                           "slug is too long (maximum is 255 characters)",
		`{"report_period":"1 hour","slug":"Nightly"}`:                                "slug must be of lower-case letters, digits, - and _",
		`{"report_period":"1 hour","slug":"a/b"}`:                                    "slug must be of lower-case letters, digits, - and _",
		`{"report_period":"1 hour","slug":[7]}`:                                      "slug must be a string",
		`{"report_period":"1 hour","schedule_type":"daily"}`:                         "schedule_type must be simple or cron",
		`{"report_period":"1 hour","schedule_type":[1]}`:                             "schedule_type must be a string",
		`{"report_period":"1 hour","cron_schedule":"* * * * *"}`:                     "cron_schedule is only for check-ins whose schedule_type is cron",
		`{"report_period":"1 hour","cron_timezone":"UTC"}`:                           "cron_timezone is only for check-ins whose schedule_type is cron",
		`{"schedule_type":"cron"}`:                                                   "cron_schedule can't be blank",
		`{"schedule_type":"cron","cron_schedule":" "}`:                               "cron_schedule can't be blank",
		`{"schedule_type":"cron","cron_schedule":[5]}`:                               "cron_schedule must be a string",
		`{"schedule_type":"cron","cron_schedule":"61 * * * *"}`:                      `cron_schedule "61 * * * *": minute 61 is not between 0 and 59`,
		`{"schedule_type":"cron","cron_schedule":"` + long + `"}`:                    "cron_schedule is too long (maximum is 255 bytes)",
		`{"schedule_type":"cron","cron_schedule":"@daily","cron_timezone":"Berln"}`:  `cron_timezone "Berln" is no time zone; did you mean Berlin?`,
		`{"schedule_type":"cron","cron_schedule":"@daily","report_period":"1 hour"}`: "report_period is only for check-ins whose schedule_type is simple",
	} {
		_, err := checkInChange(t, body).Create()
		if want := "Please correct: " + want + "."; err == nil || err.Error() != want || sett.CodeOf(err) != sett.Invalid {
			t.Errorf("%s: %v, want %s", body, err, want)
		}
	}
}

func TestCheckInsThatAreChanged(t *testing.T) {
	t.Parallel()
	simple := CheckInSettings{Name: "A", Slug: "a", ScheduleType: SimpleSchedule, ReportPeriod: "1 day", GracePeriod: "5 minutes"}
	cron := CheckInSettings{Slug: "b", ScheduleType: CronSchedule, CronSchedule: "0 2 * * *", CronTimezone: "Europe/Berlin"}
	edit := func(s CheckInSettings, change func(*CheckInSettings)) CheckInSettings {
		change(&s)
		return s
	}
	for _, c := range []struct {
		body       string
		have, want CheckInSettings
	}{
		{`{}`, simple, simple},
		{`{}`, cron, cron},
		{`{"name":"B"}`, simple, edit(simple, func(s *CheckInSettings) { s.Name = "B" })},
		{`{"name":null,"grace_period":null}`, simple, edit(simple, func(s *CheckInSettings) { s.Name, s.GracePeriod = "", "" })},
		{`{"report_period":"24 hours"}`, simple, edit(simple, func(s *CheckInSettings) { s.ReportPeriod = "24 hours" })},
		{`{"cron_timezone":""}`, cron, edit(cron, func(s *CheckInSettings) { s.CronTimezone = "" })},
		// what never changes, and what is of the other type, whatever it says
		{`{"slug":"x","schedule_type":"cron","cron_schedule":"","cron_timezone":""}`, simple, simple},
		{`{"slug":null,"schedule_type":null,"cron_schedule":"* * * * *","cron_timezone":"Atlantis"}`, simple, simple},
		{`{"slug":7,"schedule_type":7,"cron_schedule":7}`, simple, simple},
		{`{"schedule_type":"simple","report_period":"1 hour"}`, cron, cron},
		{`{"report_period":""}`, cron, cron},
	} {
		got, err := checkInChange(t, c.body).Update(c.have)
		if diff := cmp.Diff(c.want, got); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", c.body, err, diff)
		}
	}
	for body, have := range map[string]CheckInSettings{
		`{"report_period":""}`: simple, `{"report_period":"0"}`: simple, `{"grace_period":"soon"}`: simple,
		`{"cron_schedule":null}`: cron, `{"cron_schedule":"0 0 30 2 *"}`: cron, `{"cron_timezone":"Atlantis"}`: cron,
	} {
		if _, err := checkInChange(t, body).Update(have); sett.CodeOf(err) != sett.Invalid {
			t.Errorf("%s: %v", body, err)
		}
	}
}

func TestRenamesThatAreRefused(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		renames []CheckInRename
		refused []int
	}{
		"nothing":                    {nil, nil},
		"a swap":                     {[]CheckInRename{{"A", "B", false}, {"B", "A", false}}, nil},
		"a ring":                     {[]CheckInRename{{"A", "B", false}, {"B", "C", false}, {"C", "A", false}}, nil},
		"no names":                   {[]CheckInRename{{"", "", false}, {"A", "", false}, {"", "", true}, {"B", "", false}}, nil},
		"a name that is given up":    {[]CheckInRename{{"", "A", false}, {"A", "", false}}, nil},
		"the first of two":           {[]CheckInRename{{"", "A", false}, {"", "A", false}}, []int{1}},
		"after one that keeps it":    {[]CheckInRename{{"", "A", false}, {"A", "A", false}}, []int{0}},
		"of one that stays":          {[]CheckInRename{{"", "A", false}, {"A", "", true}}, []int{0}},
		"one refused, another too":   {[]CheckInRename{{"A", "B", false}, {"B", "C", false}, {"C", "", true}}, []int{0, 1}},
		"an earlier one in line":     {[]CheckInRename{{"B", "C", false}, {"A", "B", false}, {"D", "A", false}, {"C", "C", false}}, []int{0, 1, 2}},
		"a new one is refused later": {[]CheckInRename{{"", "B", false}, {"B", "C", false}, {"C", "C", false}}, []int{0, 1}},
	} {
		for i, refused := range RefuseRenames(tt.renames) {
			if refused != slices.Contains(tt.refused, i) {
				t.Errorf("%s: %d is refused: %t", name, i, refused)
			}
		}
	}
}

// In the end all names differ, unchanged names are kept, and no rename to a free name is refused.
func TestRenamesEndWithNamesThatDiffer(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SampledFrom([]string{"", "A", "B", "C", "D", "E", "F"})
		var renames []CheckInRename
		has := map[string]bool{}
		for range rapid.IntRange(0, 8).Draw(t, "check-ins") {
			r := CheckInRename{names.Draw(t, "has"), names.Draw(t, "wants"), rapid.IntRange(0, 4).Draw(t, "stays") == 0}
			if has[r.Has] {
				r.Has = ""
			}
			has[r.Has] = true
			renames = append(renames, r)
		}
		end := map[string]bool{}
		refused := RefuseRenames(renames)
		for i, r := range renames {
			name := r.Wants
			if r.Stays || refused[i] {
				name = r.Has
			}
			if name != "" && end[name] {
				t.Fatalf("%v, refused %v: two are named %s", renames, refused, name)
			}
			end[name] = true
		}
		for i, r := range renames {
			if refused[i] && (r.Stays || !end[r.Wants]) {
				t.Fatalf("%v: %d was refused a name that is free", renames, i)
			}
		}
	})
}
