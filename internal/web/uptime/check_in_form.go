package uptime

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/checks"
	"sett/internal/web"
)

// checkInForm is the form that creates or edits a check-in.
type checkInForm struct {
	web.Shell
	Action  string // path of the form
	Preview string // path of the preview
	Cancel  string
	Button  string
	Kept    checks.CheckInSettings // the settings that cannot be changed; the type is "" for a new check-in
	Names   web.Fields
	Kind    web.Field // simple or cron
	Simple  web.Fields
	Cron    web.Fields
	Grace   web.Fields
	Next    preview
}

// preview is the expected times of a schedule.
type preview struct {
	Words   string
	Times   []time.Time
	Zone    *time.Location
	Problem string
}

func checkInText(form url.Values, name, label, hint string, optional bool) web.Field {
	return web.Field{Name: name, Label: label, Kind: "text", Value: form.Get(name), Hint: hint, Optional: optional}
}

// fill sets the fields of the form.
func (f *checkInForm) fill(form url.Values) {
	f.Names = web.Fields{checkInText(form, "name", "Name", "The name of the job.", true)}
	if f.Kept.ScheduleType == "" {
		f.Names = append(f.Names, checkInText(form, "slug", "Slug", "Lets the job report with the project's API key. Use lowercase letters, digits, - and _. Cannot be changed later.", true))
	}
	f.Kind = web.Field{Name: "schedule_type", Label: "Schedule", Value: form.Get("schedule_type"), Choices: web.Choices(
		string(checks.SimpleSchedule), "Fixed period after the last ping", string(checks.CronSchedule), "Cron expression",
	), Hint: "Cannot be changed later."}
	f.Simple = web.Fields{checkInText(form, "report_period", "Period", "How often the job reports, for example 30 minutes, 1 day or 2 weeks.", true)}
	f.Cron = web.Fields{
		checkInText(form, "cron_schedule", "Cron schedule", "Five fields as in a crontab, for example 30 2 * * *.", true),
		checkInText(form, "cron_timezone", "Time zone", "The time zone of the schedule, for example Europe/Berlin. Defaults to UTC.", true),
	}
	f.Cron[0].Code = true
	f.Grace = web.Fields{
		checkInText(form, "grace_period", "Grace period", "How late a ping may be before the check-in is reported as missing, for example 10 minutes.", true),
		checkInText(form, "reminder_interval", "Reminders", "When to notify you again while the problem lasts, for example 6 hours. Later intervals double, up to 7 days. Or write never, or always for every missed or failed run. Defaults to 1 hour.", true),
	}
}

// explain adds the problems of a rejected form to its fields.
func (f *checkInForm) explain(err error) {
	all := web.Fields{f.Kind}
	groups := []*web.Fields{&f.Names, &f.Simple, &f.Cron, &f.Grace}
	for _, group := range groups {
		all = append(all, *group...)
	}
	explain(all, err)
	f.Kind, all = all[0], all[1:]
	for _, group := range groups {
		n := len(*group)
		*group, all = all[:n:n], all[n:]
	}
}

func valuesOfCheckIn(s checks.CheckInSettings) url.Values {
	return url.Values{
		"name": {s.Name}, "slug": {s.Slug}, "schedule_type": {string(s.ScheduleType)}, "report_period": {s.ReportPeriod},
		"grace_period": {s.GracePeriod}, "cron_schedule": {s.CronSchedule}, "cron_timezone": {s.CronTimezone},
		"reminder_interval": {s.ReminderInterval},
	}
}

// checkInChange returns the change of a form, without the fields of the other type of schedule: they may have been filled in
// before the type was chosen.
func checkInChange(form url.Values, kind checks.ScheduleType) checks.CheckInChange {
	change := checks.CheckInChange{
		Name: sett.Some(form.Get("name")), GracePeriod: sett.Some(checks.PeriodText(form.Get("grace_period"))), ScheduleType: sett.Some(string(kind)),
		Slug: sett.Some(form.Get("slug")), ReminderInterval: sett.Some(checks.PeriodText(form.Get("reminder_interval"))),
	}
	if kind == checks.CronSchedule {
		change.CronSchedule, change.CronTimezone = sett.Some(form.Get("cron_schedule")), sett.Some(form.Get("cron_timezone"))
	} else {
		change.ReportPeriod = sett.Some(checks.PeriodText(form.Get("report_period")))
	}
	return change
}

// previewOf returns the expected times of the schedule in a form; none if the schedule is empty.
func previewOf(form url.Values, kind checks.ScheduleType, now time.Time) (p preview) {
	if form.Get("cron_schedule") == "" && kind == checks.CronSchedule || form.Get("report_period") == "" && kind != checks.CronSchedule {
		return p
	}
	change := checkInChange(form, kind)
	change.Name, change.Slug, change.GracePeriod = sett.Optional[string]{}, sett.Optional[string]{}, sett.Optional[checks.PeriodText]{}
	change.ReminderInterval = sett.Optional[checks.PeriodText]{}
	settings, err := change.Create()
	if e, ok := errors.AsType[*sett.Error](err); ok {
		p.Problem = web.PlainMessage(e.Message)
		return p
	}
	p.Words, p.Zone = schedule(settings), zoneOf(settings)
	if p.Times = settings.Upcoming(now, upcoming); len(p.Times) == 0 {
		p.Problem = "This schedule never occurs."
	}
	return p
}

func (p *pages) newCheckInForm(r *http.Request, form url.Values, c *checks.CheckIn) *checkInForm {
	list := fmt.Sprintf("/projects/%d/check_ins", web.Project(r))
	page := &checkInForm{Shell: p.Shell(r, "New check-in").In("check_ins"), Action: list, Preview: list + "/new", Cancel: list, Button: "Create check-in"}
	kind := checks.ScheduleType(form.Get("schedule_type"))
	if c != nil {
		page.Shell = p.Shell(r, "Edit "+called(*c)).In("check_ins")
		page.Action = list + "/" + c.ID
		page.Preview, page.Cancel, page.Button, page.Kept, kind = page.Action+"/edit", page.Action, "Save", c.CheckInSettings, c.ScheduleType
	}
	page.Secret = true // its URLs contain the ID
	page.fill(form)
	page.Next = previewOf(form, kind, page.Now)
	return page
}

// filled returns the values of a form: those of a preview request, else the given ones.
func filled(r *http.Request, otherwise url.Values) url.Values {
	if query := r.URL.Query(); query.Has("grace_period") {
		return query
	}
	return otherwise
}

func (p *pages) newCheckInPage(w http.ResponseWriter, r *http.Request) error {
	fresh := valuesOfCheckIn(checks.CheckInSettings{ScheduleType: checks.SimpleSchedule, ReportPeriod: "1 day", GracePeriod: "30 minutes"})
	return p.Show(w, r, http.StatusOK, "check_in_form", p.newCheckInForm(r, filled(r, fresh), nil))
}

func (p *pages) checkIn(r *http.Request) (checks.CheckIn, error) {
	return p.Uptime.CheckInByID(r.Context(), web.Project(r), r.PathValue("check_in_id"))
}

func (p *pages) editCheckInPage(w http.ResponseWriter, r *http.Request) error {
	c, err := p.checkIn(r)
	if err != nil {
		return err
	}
	return p.Show(w, r, http.StatusOK, "check_in_form", p.newCheckInForm(r, filled(r, valuesOfCheckIn(c.CheckInSettings)), &c))
}
