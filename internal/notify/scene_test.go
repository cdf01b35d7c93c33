package notify

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"sett/internal/notify/channel"
	"sett/internal/sett"
	"sett/internal/setttest/fresh"
	"sett/internal/store"
	"sett/internal/store/account"
	"sett/internal/store/db"
	"sett/internal/store/fault"
	"sett/internal/store/intake"
)

// scene is a store with one of everything that alerts are about.
type scene struct {
	*Composer
	Store   *store.Store
	t       *testing.T
	now     time.Time
	setup   account.SetupResult
	project sett.Project
	fault   sett.Fault
	notice  sett.Notice
	site    sett.Site
	checkIn sett.CheckIn
	cron    sett.CheckIn
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
		DB: s.Store.DB, Accounts: s.Store.Accounts, Uptime: s.Store.Uptime, Faults: s.Store.Faults, Intake: s.Store.Intake, Deliveries: s.Store.Deliveries,
		BaseURL: "https://sett.example.org", ReportURL: "https://in.example.org",
	}
	_, _, err := s.DB.Migrate(t.Context())
	s.must(err)
	s.setup, err = s.Accounts.SetUp(t.Context(), s.now, account.Setup{
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
		s.deploy, err = s.Faults.RecordDeploy(s.t.Context(), s.now.Add(time.Duration(i-2)*time.Hour), s.setup.ProjectID, sett.Deploy{
			Environment: "production", Revision: revision, Repository: "git@git.example.org:acme/shop.git", LocalUsername: "josh",
		})
		s.must(err)
	}
}

// token is the client's own id of the scene's notice.
var token = sett.UUID{0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x47, 0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff, 1}

func (s *scene) makeFault() {
	s.record(&sett.Report{
		AccountID: s.setup.AccountID, ProjectID: s.setup.ProjectID, Token: token, Class: "RuntimeError", Message: "boom <b>\u2028now",
		Component: "OrdersController", Action: "create", Environment: "production", Revision: "4f2a9c1", Tags: []string{"checkout", "urgent"},
		Grouping: sett.Grouping{Key: [16]byte{1}, Rule: 1, Basis: "location", Environment: "production"}, Body: []byte(noticeBody),
	})
	var err error
	s.notice, err = s.Faults.NoticeByUUID(s.t.Context(), s.setup.ProjectID, token)
	s.must(err)
	s.fault, err = s.Faults.FaultByID(s.t.Context(), s.setup.ProjectID, s.notice.FaultID)
	s.must(err)
}

func (s *scene) record(r *sett.Report) {
	s.t.Helper()
	_, err := s.Intake.RecordNotices(s.t.Context(), s.now, sett.Limits{}, intake.Intake{Reports: new(fault.Packer).Pack([]*sett.Report{r})})
	s.must(err)
	s.must(s.Intake.Flush(s.t.Context()))
}

func (s *scene) makeWatched() {
	ctx, project := s.t.Context(), s.setup.ProjectID
	var err error
	s.site, err = s.Uptime.CreateSite(ctx, s.now, project, sett.SiteChange{Name: sett.Some("Front"), URL: sett.Some("https://shop.test/")})
	s.must(err)
	s.checkIn, err = s.Uptime.CreateCheckIn(ctx, s.now, project, sett.CheckInChange{
		Name: sett.Some("Backup"), Slug: sett.Some("backup"), ReportPeriod: sett.Some(sett.PeriodText("1 day")), GracePeriod: sett.Some(sett.PeriodText("5 minutes")),
	})
	s.must(err)
	s.cron, err = s.Uptime.CreateCheckIn(ctx, s.now, project, sett.CheckInChange{
		Name: sett.Some("Bills"), ScheduleType: sett.Some("cron"), CronSchedule: sett.Some("30 2 * * *"),
	})
	s.must(err)
}

// alert makes an alert of an event with all the facts that one has, changed as the caller likes.
func (s *scene) alert(e sett.AlertEvent, change ...func(*sett.Alert)) sett.Alert {
	a := sett.Alert{ID: 5, ProjectID: s.project.ID, Event: e, At: s.now, CreatedAt: s.now}
	switch e {
	case sett.AlertDown, sett.AlertUp, sett.AlertCertWillExpire:
		a.Subject, a.Facts.Site = sett.SiteSubject(s.site.ID), s.siteFacts(e)
	case sett.AlertCheckInMissing, sett.AlertCheckInFailed, sett.AlertCheckInReporting:
		a.Subject, a.Facts.CheckIn = sett.CheckInSubject(s.checkIn.ID), s.checkInFacts(e)
	case sett.AlertDeployed:
		a.Subject, a.Environment, a.Facts.DeployID = sett.DeploySubject(s.deploy), "production", s.deploy
	case sett.AlertFlooded:
		a.Subject, a.Facts.Held = sett.ProjectSubject(s.project.ID), &sett.HeldFacts{Count: 42, Limit: 30, Minutes: 10}
	default:
		a.Subject, a.FaultID, a.Environment, a.Facts = sett.FaultSubject(s.fault.ID), s.fault.ID, "production", s.faultFacts(e)
	}
	for _, f := range change {
		f(&a)
	}
	return a
}

func (s *scene) faultFacts(e sett.AlertEvent) sett.AlertFacts {
	f := sett.AlertFacts{NoticeID: s.notice.Key, NoticesCount: 7}
	switch e {
	case sett.AlertRateExceeded:
		f.Rate = &sett.RateFacts{Count: 2, Threshold: 1, Rate: sett.RateHour}
	case sett.AlertVolumeSpike:
		f.Spike = &sett.SpikeFacts{Observed: 120, BaselineMedian: 8, Factor: 15, ZScore: 9.25, WindowMinutes: 10}
	case sett.AlertResolved, sett.AlertUnresolved:
		f = sett.AlertFacts{Actor: &ann}
	case sett.AlertAssigned:
		f = sett.AlertFacts{Actor: &ann, Assignee: &bob}
	case sett.AlertCommented:
		f = sett.AlertFacts{Actor: &ann, Comment: &sett.CommentFacts{ID: 3, Body: "Look at\n\tpay: it <raises>.", CreatedAt: s.now}}
	}
	return f
}

func (s *scene) siteFacts(e sett.AlertEvent) *sett.SiteFacts {
	f := &sett.SiteFacts{
		ID: s.site.ID.String(), Name: "Front", URL: "https://shop.test/", State: sett.SiteDown, LastCheckedAt: s.now,
		CertWillExpireAt: time.Date(2027, 1, 2, 11, 22, 41, 0, time.UTC), DownAt: s.now.Add(-83 * time.Second), Status: 503,
		Reason: "Expected 2xx status code -- got 503", Headers: map[string]string{"retry-after": "30"},
	}
	switch e {
	case sett.AlertUp:
		f.State, f.UpAt = sett.SiteUp, s.now
	case sett.AlertCertWillExpire:
		f = &sett.SiteFacts{ID: f.ID, Name: f.Name, URL: f.URL, State: sett.SiteUp, LastCheckedAt: s.now, CertWillExpireAt: f.CertWillExpireAt, Days: 14}
	}
	return f
}

func (s *scene) checkInFacts(e sett.AlertEvent) *sett.CheckInFacts {
	if e == sett.AlertCheckInFailed {
		return &sett.CheckInFacts{
			ID: s.checkIn.ID, Name: "Backup", State: sett.CheckInFailing, ReportedAt: s.now, ExpectedAt: s.now.Add(24 * time.Hour),
			Reason: "The job ended with exit code 3.\n\nno space left",
		}
	}
	if e == sett.AlertCheckInReporting {
		return &sett.CheckInFacts{ID: s.checkIn.ID, Name: "Backup", State: sett.CheckInReporting, ReportedAt: s.now, ExpectedAt: s.now.Add(24 * time.Hour)}
	}
	due := s.now.Add(-time.Minute)
	return &sett.CheckInFacts{
		ID: s.checkIn.ID, Name: "Backup", State: sett.CheckInMissing, ReportedAt: s.now.Add(-2 * time.Minute), ExpectedAt: due, DueAt: due, MissedCount: 1,
	}
}

// compose puts an alert into words.
func (s *scene) compose(a sett.Alert) channel.Message {
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
	return strings.NewReplacer(
		s.project.Token, "sett_p_KEY", s.site.ID.String(), "5173a000-0000-4000-8000-000000000001", s.checkIn.ID, "BACKUP", s.cron.ID, "BILLS",
	).Replace(string(text)) + "\n"
}

// events are all that a message is composed of.
func events() []sett.AlertEvent {
	return append(sett.AlertEvents(), sett.AlertFlooded, sett.AlertIssueCreate, sett.AlertIssueClose, sett.AlertIssueReopen)
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
