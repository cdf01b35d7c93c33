package notify

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"sett/internal/notify/channel"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/alerts"
	"sett/internal/sett/checks"
	"sett/internal/sett/faults"
	"sett/internal/setttest/fresh"
	"sett/internal/store"
	"sett/internal/store/accountdb"
	"sett/internal/store/db"
	"sett/internal/store/faultdb"
	"sett/internal/store/intakedb"
)

// scene is a store with one of everything that alerts are about.
type scene struct {
	*Composer
	*store.Store
	t       *testing.T
	now     time.Time
	setup   accountdb.SetupResult
	project accounts.Project
	fault   faults.Fault
	notice  faults.Notice
	site    checks.Site
	checkIn checks.CheckIn
	cron    checks.CheckIn
	deploy  int64
}

var (
	ann = sett.Person{ID: 1, Email: "ann@example.test", Name: "Ann O'Dell"}
	bob = sett.Person{ID: 2, Email: "bob@example.test", Name: "Bob"}
)

// noticeBody is a report's body with all that payloads show.
const noticeBody = `{
	"error": {"class": "RuntimeError", "message": "boom <b>\u2028now", "tags": ["checkout", "urgent"], "backtrace": [
		{"file": "[GEM_ROOT]/gems/pg-1.5/lib/pg.rb", "method": "exec", "number": "118"},
		{"file": "[PROJECT_ROOT]/app/checkout.rb", "method": "pay", "number": "42", "source": {"41": "x", "42": "raise"}},
		{"file": "[PROJECT_ROOT]/app/orders.rb", "method": "create", "number": 12, "column": 3}
	]},
	"request": {"component": "OrdersController", "action": "create", "url": "https://shop.test/orders?a=1",
		"params": {"cart": {"id": 81}}, "session": {"sid": "abc"}, "context": {"user_id": 12, "user_email": "carl@example.test"},
		"cgi_data": {"REQUEST_METHOD": "POST", "HTTP_COOKIE": "a=b"}},
	"server": {"environment_name": "production", "hostname": "web-1", "project_root": "/srv/shop", "revision": "4f2a9c1", "pid": 4711, "stats": {"mem": {"total": 16384.5}}}
}`

// eachEngine runs f on a scene on each engine.
func eachEngine(t *testing.T, f func(s *scene)) {
	t.Helper()
	for name, options := range map[string]func(testing.TB) db.Options{"sqlite": fresh.SQLite, "postgres": fresh.Postgres} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f(newScene(t, options(t)))
		})
	}
}

// newScene makes a scene on SQLite, or where the options say.
func newScene(t *testing.T, o ...db.Options) *scene {
	t.Helper()
	o = append(o, fresh.SQLite(t))
	s := &scene{t: t, now: newClock().Now()}
	s.Store = openStore(t, o[0])
	s.Composer = &Composer{
		Sheets:  s.Store.Sheets,
		BaseURL: "https://sett.example.org", ReportURL: "https://in.example.org",
	}
	_, _, err := s.Store.DB.Migrate(t.Context())
	s.must(err)
	s.setup, err = s.Accounts.SetUp(t.Context(), s.now, accountdb.Setup{
		Account: "Acme", Email: ann.Email, Name: ann.Name, Project: "Shop", TokenHash: []byte("hash"),
	})
	s.must(err)
	s.makeDeploy()
	s.makeFault()
	s.makeWatched()
	s.project, err = s.Accounts.ProjectByID(t.Context(), s.setup.ProjectID)
	s.must(err)
	return s
}

func (s *scene) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *scene) makeDeploy() {
	for i, revision := range []string{"b81d0e7", "4f2a9c1"} {
		var err error
		s.deploy, err = s.Faults.RecordDeploy(s.t.Context(), s.now.Add(time.Duration(i-2)*time.Hour), s.setup.ProjectID, faults.Deploy{
			Environment: "production", Revision: revision, Repository: "git@git.example.org:acme/shop.git", LocalUsername: "josh",
		})
		s.must(err)
	}
}

// token is the client's own id of the scene's notice.
var token = sett.UUID{0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x47, 0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff, 1}

func (s *scene) makeFault() {
	s.record(&faults.Report{
		AccountID: s.setup.AccountID, ProjectID: s.setup.ProjectID, Token: token, Class: "RuntimeError", Message: "boom <b>\u2028now",
		Component: "OrdersController", Action: "create", Environment: "production", Revision: "4f2a9c1", Tags: []string{"checkout", "urgent"},
		Grouping: faults.Grouping{Key: [16]byte{1}, Rule: 1, Basis: "location", Environment: "production"}, Body: []byte(noticeBody),
	})
	var err error
	s.notice, err = s.Faults.NoticeByUUID(s.t.Context(), s.setup.ProjectID, token)
	s.must(err)
	s.fault, err = s.Faults.FaultByID(s.t.Context(), s.setup.ProjectID, s.notice.FaultID)
	s.must(err)
}

func (s *scene) record(r *faults.Report) {
	s.t.Helper()
	_, err := s.Store.Intake.RecordNotices(s.t.Context(), s.now, accounts.Limits{}, intakedb.Intake{Reports: new(faultdb.Packer).Pack([]*faults.Report{r})})
	s.must(err)
	s.must(s.Store.Intake.Flush(s.t.Context()))
}

func (s *scene) makeWatched() {
	ctx, project := s.t.Context(), s.setup.ProjectID
	var err error
	s.site, err = s.Uptime.CreateSite(ctx, s.now, project, checks.SiteChange{Name: sett.Some("Front"), URL: sett.Some("https://shop.test/")})
	s.must(err)
	s.checkIn, err = s.Uptime.CreateCheckIn(ctx, s.now, project, checks.CheckInChange{
		Name: sett.Some("Backup"), Slug: sett.Some("backup"), ReportPeriod: sett.Some(checks.PeriodText("1 day")), GracePeriod: sett.Some(checks.PeriodText("5 minutes")),
	})
	s.must(err)
	s.cron, err = s.Uptime.CreateCheckIn(ctx, s.now, project, checks.CheckInChange{
		Name: sett.Some("Bills"), ScheduleType: sett.Some("cron"), CronSchedule: sett.Some("30 2 * * *"),
	})
	s.must(err)
}

// alert makes an alert of an event with all the facts that one has, changed as the caller likes.
func (s *scene) alert(e alerts.AlertEvent, change ...func(*alerts.Alert)) alerts.Alert {
	a := alerts.Alert{ID: 5, ProjectID: s.project.ID, Event: e, At: s.now, CreatedAt: s.now}
	switch e {
	case alerts.AlertDown, alerts.AlertUp, alerts.AlertSlow, alerts.AlertFast, alerts.AlertCertWillExpire:
		a.Subject, a.Facts.Site = alerts.SiteSubject(s.site.ID), s.siteFacts(e)
	case alerts.AlertCheckInMissing, alerts.AlertCheckInFailed, alerts.AlertCheckInReporting:
		a.Subject, a.Facts.CheckIn = alerts.CheckInSubject(s.checkIn.ID), s.checkInFacts(e)
	case alerts.AlertAlarm, alerts.AlertAlarmOK:
		a.Subject, a.Facts.Alarm = alerts.AlarmSubject("q1W2e3R4t5Y6"), s.alarmFacts(e)
	case alerts.AlertDeployed:
		a.Subject, a.Environment, a.Facts.DeployID = alerts.DeploySubject(s.deploy), "production", s.deploy
	case alerts.AlertFlooded:
		a.Subject, a.Facts.Held = alerts.ProjectSubject(s.project.ID), &alerts.HeldFacts{Count: 42, Limit: 30, Minutes: 10}
	default:
		a.Subject, a.FaultID, a.Environment, a.Facts = alerts.FaultSubject(s.fault.ID), s.fault.ID, "production", s.faultFacts(e)
	}
	for _, f := range change {
		f(&a)
	}
	return a
}

func (s *scene) faultFacts(e alerts.AlertEvent) alerts.AlertFacts {
	f := alerts.AlertFacts{NoticeID: s.notice.Key, NoticesCount: 7}
	switch e {
	case alerts.AlertRateExceeded:
		f.Rate = &alerts.RateFacts{Count: 2, Threshold: 1, Rate: alerts.RateHour}
	case alerts.AlertVolumeSpike:
		f.Spike = &alerts.SpikeFacts{Observed: 120, BaselineMedian: 8, Factor: 15, ZScore: 9.25, WindowMinutes: 10}
	case alerts.AlertResolved, alerts.AlertUnresolved:
		f = alerts.AlertFacts{Actor: &ann}
	case alerts.AlertAssigned:
		f = alerts.AlertFacts{Actor: &ann, Assignee: &bob}
	case alerts.AlertCommented:
		f = alerts.AlertFacts{Actor: &ann, Comment: &alerts.CommentFacts{ID: 3, Body: "Look at\n\tpay: it <raises>.", CreatedAt: s.now}}
	}
	return f
}

func (s *scene) siteFacts(e alerts.AlertEvent) *alerts.SiteFacts {
	f := &alerts.SiteFacts{
		ID: s.site.ID.String(), Name: "Front", URL: "https://shop.test/", State: sett.SiteDown, LastCheckedAt: s.now,
		CertWillExpireAt: time.Date(2027, 1, 2, 11, 22, 41, 0, time.UTC), DownAt: s.now.Add(-83 * time.Second), Status: 503,
		Reason: "Expected 2xx status code -- got 503", Headers: map[string]string{"retry-after": "30"}, ConfirmedAt: s.now.Add(-23 * time.Second), Location: "Virginia",
	}
	switch e {
	case alerts.AlertUp:
		f.State, f.UpAt = sett.SiteUp, s.now
	case alerts.AlertSlow, alerts.AlertFast:
		f = &alerts.SiteFacts{ID: f.ID, Name: f.Name, URL: f.URL, State: sett.SiteUp, LastCheckedAt: s.now, CertWillExpireAt: f.CertWillExpireAt}
		f.Slow = &alerts.SlowFacts{SlowAt: s.now.Add(-83 * time.Second), Limit: 800, Took: 1840, Checks: 3}
		if e == alerts.AlertFast {
			f.Slow.FastAt, f.Slow.Took = s.now, 90
		}
	case alerts.AlertCertWillExpire:
		f = &alerts.SiteFacts{ID: f.ID, Name: f.Name, URL: f.URL, State: sett.SiteUp, LastCheckedAt: s.now, CertWillExpireAt: f.CertWillExpireAt, Days: 14}
	}
	return f
}

func (s *scene) alarmFacts(e alerts.AlertEvent) *alerts.AlarmFacts {
	f := &alerts.AlarmFacts{
		ID: "q1W2e3R4t5Y6", Name: "Payments", Description: "Call <Bob>.", State: "alarm", Condition: "more than 2 rows in 5 minutes", Count: 3,
		Query: "filter status::int >= 500\n| fields path", From: s.now.Add(-5 * time.Minute), To: s.now, CreatedAt: s.now.Add(-time.Hour), Rows: []string{`{"path":"/pay"}`},
	}
	if e == alerts.AlertAlarmOK {
		f.State, f.Count, f.Rows = "ok", 1, nil
	}
	return f
}

func (s *scene) checkInFacts(e alerts.AlertEvent) *alerts.CheckInFacts {
	if e == alerts.AlertCheckInFailed {
		return &alerts.CheckInFacts{
			ID: s.checkIn.ID, Name: "Backup", State: sett.CheckInFailing, ReportedAt: s.now, ExpectedAt: s.now.Add(24 * time.Hour),
			Reason: "The job ended with exit code 3.\n\nno space left",
		}
	}
	if e == alerts.AlertCheckInReporting {
		return &alerts.CheckInFacts{ID: s.checkIn.ID, Name: "Backup", State: sett.CheckInReporting, ReportedAt: s.now, ExpectedAt: s.now.Add(24 * time.Hour)}
	}
	due := s.now.Add(-time.Minute)
	return &alerts.CheckInFacts{
		ID: s.checkIn.ID, Name: "Backup", State: sett.CheckInMissing, ReportedAt: s.now.Add(-2 * time.Minute), ExpectedAt: due, DueAt: due, MissedCount: 1,
	}
}

// compose puts an alert into words.
func (s *scene) compose(a alerts.Alert) channel.Message {
	s.t.Helper()
	m, err := s.Compose(s.t.Context(), a, nil)
	s.must(err)
	return m
}

// settled writes a message with what chance has made replaced, so that it can be compared.
func (s *scene) settled(m channel.Message) string {
	s.t.Helper()
	text, err := json.MarshalIndent(m, "", "  ")
	s.must(err)
	return s.replaced(string(text)) + "\n"
}

// replaced is a text with other ids than those that chance has made.
func (s *scene) replaced(text string) string {
	return strings.NewReplacer(
		s.project.Token, "sett_p_KEY", s.site.ID.String(), "5173a000-0000-4000-8000-000000000001", s.checkIn.ID, "BACKUP", s.cron.ID, "BILLS",
	).Replace(text)
}

// events are all that a message is composed of.
func events() []alerts.AlertEvent {
	return append(alerts.AlertEvents(), alerts.AlertFlooded, alerts.AlertIssueCreate, alerts.AlertIssueClose, alerts.AlertIssueReopen)
}

// readJSON reads a file of JSON.
func readJSON(t *testing.T, file string, v any) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(text, v)
	}
	if err != nil {
		t.Fatal(err)
	}
}
