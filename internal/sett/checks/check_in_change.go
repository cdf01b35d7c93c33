package checks

import (
	"encoding/json"
	"errors"
	"strings"

	"sett/internal/base/cron"
	"sett/internal/sett"
)

// CheckInChange is the body of a check-in's create and update: only the fields that were sent change. null and "" are
// the same. Clients repeat all fields in an update, so that those that never change, and those of the other type of
// schedule, are no error there; they are passed over.
type CheckInChange struct {
	Name         sett.Optional[string]     `json:"name,omitzero" doc:"Unique in the project." range:"0,255" example:"Backup"`
	Slug         sett.Optional[string]     `json:"slug,omitzero" doc:"With it, a job can report by the project's API key. Lower-case letters, digits, - and _; unique in the project. Cannot be changed later." range:"0,255" example:"backup"`
	ScheduleType sett.Optional[string]     `json:"schedule_type,omitzero" doc:"simple by default. Cannot be changed later." enum:"simple,cron"`
	ReportPeriod sett.Optional[PeriodText] `json:"report_period,omitzero" doc:"How often the job reports: a number and minutes, hours, days, weeks or months; without a unit, minutes. Required for simple schedules, and only theirs." range:"0,255" example:"1 day"`
	GracePeriod  sett.Optional[PeriodText] `json:"grace_period,omitzero" doc:"How late a ping may be before the check-in is missing; written like report_period." range:"0,255" example:"5 minutes"`
	CronSchedule sett.Optional[string]     `json:"cron_schedule,omitzero" doc:"Five fields, as in a crontab. Required for cron schedules, and only theirs." range:"0,255" example:"30 2 * * *"`
	CronTimezone sett.Optional[string]     `json:"cron_timezone,omitzero" doc:"The time zone of the schedule: an IANA name, or one of Rails; UTC by default. For cron schedules only." range:"0,255" example:"Europe/Berlin"`

	ReminderInterval sett.Optional[PeriodText] `json:"reminder_interval,omitzero" doc:"How long a problem lasts until it is notified again, written like report_period; each further reminder comes after twice the time, and after 7 days at the latest. Or never, or always: for each missed or failed run. Empty for the default, 1 hour." range:"0,255" example:"6 hours"`
}

// PeriodText is a period as it was sent. Clients also send a number of minutes as a JSON number.
type PeriodText string

// UnmarshalJSON reads either form.
func (p *PeriodText) UnmarshalJSON(data []byte) error {
	switch c := data[0]; {
	case c == '"':
		var text string
		err := json.Unmarshal(data, &text)
		*p = PeriodText(text)
		return err
	case c == '-' || c >= '0' && c <= '9':
		*p = PeriodText(data)
		return nil
	}
	return errors.New("no period")
}

// longestCheckInText is how many characters a text of a check-in has at most.
const longestCheckInText = 255

// Create returns the settings of a new check-in, or an Invalid error that names every field that is wrong.
func (c CheckInChange) Create() (CheckInSettings, error) {
	var p sett.Problems
	var s CheckInSettings
	sett.SetField(&p, "slug", c.Slug, &s.Slug, "")
	checkSlug(&p, c.Slug)
	kind := string(SimpleSchedule)
	sett.SetField(&p, "schedule_type", c.ScheduleType, &kind, kind)
	switch s.ScheduleType = ScheduleType(kind); s.ScheduleType {
	case "":
		s.ScheduleType = SimpleSchedule
	case SimpleSchedule, CronSchedule:
	default:
		p.Add("schedule_type", "must be simple or cron")
		return s, p.Refusal() // what else is wrong depends on it
	}
	c.refuseOther(&p, s.ScheduleType)
	c.apply(&p, &s)
	return s, p.Refusal()
}

// Update returns the settings with the change made, or an Invalid error that names every field that is wrong.
func (c CheckInChange) Update(s CheckInSettings) (CheckInSettings, error) {
	var p sett.Problems
	c.apply(&p, &s)
	return s, p.Refusal()
}

// refuseOther notes values of the other type of schedule: they would have no effect.
func (c CheckInChange) refuseOther(p *sett.Problems, kind ScheduleType) {
	only := func(field, text string, of ScheduleType) {
		if kind != of && text != "" {
			p.Add(field, "is only for check-ins whose schedule_type is %s", of)
		}
	}
	only("report_period", string(c.ReportPeriod.Value), SimpleSchedule)
	only("cron_schedule", c.CronSchedule.Value, CronSchedule)
	only("cron_timezone", c.CronTimezone.Value, CronSchedule)
}

func (c CheckInChange) apply(p *sett.Problems, s *CheckInSettings) {
	sett.SetField(p, "name", c.Name, &s.Name, "")
	s.Name = strings.TrimSpace(s.Name)
	sett.CheckText(p, "name", s.Name, longestCheckInText)
	setPeriod(p, "grace_period", c.GracePeriod, &s.GracePeriod)
	setReminder(p, c.ReminderInterval, &s.ReminderInterval)
	if s.ScheduleType == SimpleSchedule {
		if setPeriod(p, "report_period", c.ReportPeriod, &s.ReportPeriod); s.ReportPeriod == "" && c.ReportPeriod.Bad == "" {
			p.Add("report_period", "can't be blank")
		}
		return
	}
	sett.SetField(p, "cron_schedule", c.CronSchedule, &s.CronSchedule, "")
	sett.SetField(p, "cron_timezone", c.CronTimezone, &s.CronTimezone, "")
	if c.CronSchedule.Bad == "" {
		checkCron(p, s.CronSchedule)
	}
	sett.CheckTimeZone(p, "cron_timezone", s.CronTimezone)
}

// NamesCheckIn reports whether the slug can be that of a check-in.
func (c CheckInChange) NamesCheckIn() bool {
	var p sett.Problems
	checkSlug(&p, c.Slug)
	return len(p) == 0 && c.Slug.Bad == "" && c.Slug.Value != ""
}

func checkSlug(p *sett.Problems, sent sett.Optional[string]) {
	foreign := func(r rune) bool { return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyz0123456789_-", r) }
	if strings.ContainsFunc(sent.Value, foreign) {
		p.Add("slug", "must be of lower-case letters, digits, - and _")
	}
	if len(sent.Value) > longestCheckInText {
		p.Add("slug", "is too long (maximum is %d characters)", longestCheckInText)
	}
}

func setPeriod(p *sett.Problems, field string, sent sett.Optional[PeriodText], dst *string) {
	text := PeriodText(*dst)
	sett.SetField(p, field, sent, &text, "")
	*dst = string(text)
	sett.CheckText(p, field, *dst, longestCheckInText)
	period, err := cron.ParsePeriod(*dst)
	switch {
	case err != nil:
		p.Add(field, "%s", err)
	case *dst != "" && period.IsZero() && field != "grace_period":
		p.Add(field, "must be at least 1 minute")
	}
}

// setReminder takes over the interval of reminders, which may be a word.
func setReminder(p *sett.Problems, sent sett.Optional[PeriodText], dst *string) {
	const field = "reminder_interval"
	if !sent.Sent {
		return
	}
	switch word := strings.ToLower(strings.TrimSpace(string(sent.Value))); word {
	case RemindAlways, RemindNever:
		*dst = word
	default:
		setPeriod(p, field, sent, dst)
	}
}

func checkCron(p *sett.Problems, text string) {
	if strings.TrimSpace(text) == "" {
		p.Add("cron_schedule", "can't be blank")
	} else if _, err := cron.Parse(text); err != nil {
		p.Add("cron_schedule", "%s", err)
	}
}

// CheckInRename is what becomes of the name of one of the check-ins of a project that change together.
type CheckInRename struct {
	Has   string // "" also when it is not there yet
	Wants string
	Stays bool // it was refused something else, and keeps the name that it has
}

// RefuseRenames says of each rename whether it is refused, because another of the check-ins has its name in the end. One
// that keeps its name goes before those that want it, and of these the first. What a refused one has stays taken, so that
// others may be refused in turn.
func RefuseRenames(renames []CheckInRename) (refused []bool) {
	refused = make([]bool, len(renames))
	owners := map[string]int{} // of the names in the end
	for i, r := range renames {
		if r.Stays || r.Has == r.Wants {
			owners[r.Has] = i
		}
	}
	var refuse func(i int)
	refuse = func(i int) {
		refused[i] = true
		name := renames[i].Has
		before, taken := owners[name]
		owners[name] = i
		if name != "" && taken && before != i {
			refuse(before)
		}
	}
	for i, r := range renames {
		if r.Stays || r.Has == r.Wants || r.Wants == "" {
			continue
		}
		if _, taken := owners[r.Wants]; taken {
			refuse(i)
		} else {
			owners[r.Wants] = i
		}
	}
	return refused
}
