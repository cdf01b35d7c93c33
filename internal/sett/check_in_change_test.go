package sett

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"sett/internal/cron"
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
		`{"report_period":"1 hour","name":7}`:                                        "name must be a string",
		`{"report_period":"1 hour","name":"a\nb"}`:                                   "name must not contain control characters",
		`{"report_period":"1 hour","name":"` + long + `"}`:                           "name is too long (maximum is 255 characters)",
		`{"report_period":"1 hour","slug":"` + long + `"}`:                           "slug is too long (maximum is 255 characters)",
		`{"report_period":"1 hour","slug":"Nightly"}`:                                "slug must be of lower-case letters, digits, - and _",
		`{"report_period":"1 hour","slug":"a/b"}`:                                    "slug must be of lower-case letters, digits, - and _",
		`{"report_period":"1 hour","slug":7}`:                                        "slug must be a string",
		`{"report_period":"1 hour","schedule_type":"daily"}`:                         "schedule_type must be simple or cron",
		`{"report_period":"1 hour","schedule_type":1}`:                               "schedule_type must be a string",
		`{"report_period":"1 hour","cron_schedule":"* * * * *"}`:                     "cron_schedule is only for check-ins whose schedule_type is cron",
		`{"report_period":"1 hour","cron_timezone":"UTC"}`:                           "cron_timezone is only for check-ins whose schedule_type is cron",
		`{"schedule_type":"cron"}`:                                                   "cron_schedule can't be blank",
		`{"schedule_type":"cron","cron_schedule":" "}`:                               "cron_schedule can't be blank",
		`{"schedule_type":"cron","cron_schedule":5}`:                                 "cron_schedule must be a string",
		`{"schedule_type":"cron","cron_schedule":"61 * * * *"}`:                      `cron_schedule "61 * * * *": minute 61 is not between 0 and 59`,
		`{"schedule_type":"cron","cron_schedule":"` + long + `"}`:                    "cron_schedule is too long (maximum is 255 bytes)",
		`{"schedule_type":"cron","cron_schedule":"@daily","cron_timezone":"Berln"}`:  `cron_timezone "Berln" is no time zone; did you mean Berlin?`,
		`{"schedule_type":"cron","cron_schedule":"@daily","report_period":"1 hour"}`: "report_period is only for check-ins whose schedule_type is simple",
	} {
		_, err := checkInChange(t, body).Create()
		if want := "Please correct: " + want + "."; err == nil || err.Error() != want || CodeOf(err) != Invalid {
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
		if _, err := checkInChange(t, body).Update(have); CodeOf(err) != Invalid {
			t.Errorf("%s: %v", body, err)
		}
	}
}

func TestParseCheckInPeriod(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	for text, want := range map[string]CheckInPeriod{
		"":              {},
		" \t":           {},
		"0":             {},
		"0 hours":       {},
		"0 months":      {},
		"5":             {Length: 5 * time.Minute},
		"1440":          {Length: day},
		"1 minute":      {Length: time.Minute},
		"30 minutes":    {Length: 30 * time.Minute},
		"2 hour":        {Length: 2 * time.Hour},
		" 1\t DAYS ":    {Length: day},
		"3Weeks":        {Length: 21 * day},
		"007 days":      {Length: 7 * day},
		"1 month":       {Months: 1},
		"12 Months":     {Months: 12},
		"366 days":      {Length: 366 * day},
		"52 weeks":      {Length: 364 * day},
		"527040":        {Length: 366 * day},
		"8784 hours":    {Length: 366 * day},
		"525600 minute": {Length: 365 * day},
	} {
		if got, err := ParseCheckInPeriod(text); err != nil || got != want || got.IsZero() != (want == CheckInPeriod{}) {
			t.Errorf("%q: %+v, %v; want %+v", text, got, err, want)
		}
	}
}

func TestParseCheckInPeriodRefuses(t *testing.T) {
	t.Parallel()
	const (
		form = ` is not a duration; write a number of minutes, hours, days, weeks or months, such as "30 minutes"`
		long = " is too long (maximum is 12 months or 366 days)"
	)
	for text, want := range map[string]string{
		"hour": form, "an hour": form, "-5 minutes": form, "+5": form, "1.5 hours": form, "5 parsecs": form, "5 s": form, "5 minutess": form,
		"1 hour 30 minutes": form, "1 second": form, "1 year": form, "00:00:00": form, "٣ days": form, "5\n": form, "\xff": form,
		"13 months": long, "367 days": long, "53 weeks": long, "527041": long, "8785 hours": long, "99999999999999999999 minutes": long,
		"4294967297 months": long,
	} {
		_, err := ParseCheckInPeriod(text)
		if want := strconv.Quote(text) + want; CodeOf(err) != Invalid || err.Error() != want {
			t.Errorf("%q:\n got %v\nwant %s", text, err, want)
		}
	}
	if _, err := ParseCheckInPeriod(strings.Repeat("9", 100_000)); err == nil || len(err.Error()) > 400 {
		t.Errorf("a long text gives a long error, or none: %.500v", err)
	}
}

func TestCheckInPeriodAdd(t *testing.T) {
	t.Parallel()
	zone, err := cron.TimeZone("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		text     string
		at, want time.Time
	}{
		{"", utcDay(2026, 1, 31), utcDay(2026, 1, 31)},
		{"90", utcDay(2026, 1, 31), utcDay(2026, 1, 31).Add(90 * time.Minute)},
		{"1 day", time.Date(2026, 3, 7, 12, 0, 0, 0, zone), time.Date(2026, 3, 8, 13, 0, 0, 0, zone)}, // 24 hours, whatever the clocks do
		{"2 weeks", utcDay(2026, 2, 20), utcDay(2026, 3, 6)},
		{"1 month", utcDay(2026, 1, 31), utcDay(2026, 2, 28)},
		{"1 month", utcDay(2028, 1, 31), utcDay(2028, 2, 29)},
		{"1 month", utcDay(2026, 2, 28), utcDay(2026, 3, 28)},
		{"3 months", utcDay(2026, 11, 30).Add(time.Hour), utcDay(2027, 2, 28).Add(time.Hour)},
		{"12 months", utcDay(2028, 2, 29), utcDay(2029, 2, 28)},
		{"1 month", time.Date(2026, 1, 30, 23, 0, 0, 0, zone), utcDay(2026, 2, 28).Add(4 * time.Hour)}, // 31 January in UTC
	} {
		p, err := ParseCheckInPeriod(c.text)
		if got := p.Add(c.at); err != nil || !got.Equal(c.want) || got.Location() != time.UTC {
			t.Errorf("%q after %v is %v, want %v (%v)", c.text, c.at, got, c.want, err)
		}
	}
}

func FuzzParseCheckInPeriod(f *testing.F) {
	for _, text := range []string{"", "5", " 1 DAYS ", "12 months", "13 months", "00:00:00", "99999999999999999999 weeks", "1s", "0s"} {
		f.Add(text)
	}
	now := utcDay(2026, 1, 31)
	f.Fuzz(func(t *testing.T, text string) {
		p, err := ParseCheckInPeriod(text)
		if err != nil {
			if CodeOf(err) != Invalid || p != (CheckInPeriod{}) {
				t.Fatalf("%q: %+v, %v", text, p, err)
			}
			return
		}
		if later := p.Add(now); p.IsZero() != later.Equal(now) || later.Before(now) || later.After(now.Add(longestPeriod)) {
			t.Fatalf("%q after %v is %v", text, now, later)
		}
	})
}

func utcDay(year int, month time.Month, day int) time.Time {
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
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
