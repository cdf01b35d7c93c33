package admin_test

import (
	"bytes"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unicode"

	"sett/internal/app"
	"sett/internal/app/operate"
	"sett/internal/serve/auth"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/signin"
	"sett/internal/setttest"
	"sett/internal/setttest/mailserver"
	"sett/internal/setttest/visitor"
	"sett/internal/store/accountdb"
)

// Who runs the server sees its pages; who owns an account does not by that.
func TestPagesAboutTheServerAreForItsOperators(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	const password = "seven lonely walruses"
	id, err := s.App.Store().Accounts.CreateUser(t.Context(), s.Clock.Now(), accountdb.NewUser{
		AccountID: s.Setup.AccountID, Email: "olga@example.test", Name: "Olga", Role: accounts.Owner, Password: setttest.PasswordCost.Hash(password),
	})
	if err != nil {
		t.Fatal(err)
	}
	if first, err := s.App.Store().Accounts.IsOperator(t.Context(), s.Setup.UserID); err != nil || !first {
		t.Errorf("the first owner is an operator: %v %v", first, err)
	}
	b := visitor.New(t, s)
	b.Get("/admin/users").Leads("/login?next=%2Fadmin%2Fusers")
	b.SignIn("olga@example.test", password)
	b.Get("/").Lacks("/admin/system")
	pages := map[string]string{"/admin/users": "olga@example.test", "/admin/system": "Finds errors that happen much more often than usual.", "/admin/agents": "No agent", "/admin/mail": "Email is off", "/admin/backup": "sett backup FILE"}
	for path := range pages {
		b.Get(path).Want(403, "This page is for server operators.").CheckPage()
	}
	for _, path := range []string{"/admin/mail", "/admin/backup"} {
		b.Post(path).Want(403)
	}
	if err := s.App.Store().Accounts.SetOperator(t.Context(), id, true); err != nil {
		t.Fatal(err)
	}
	b.Get("/").Want(200, `<a href="/admin/system">Server</a>`).CheckPage()
	for path, text := range pages {
		b.Get(path).Want(200, text).CheckPage()
	}
	b.Get("/admin/system").Want(200, "Not yet compacted</dt><dd>0</dd>", "<dt>Nodes</dt><dd>1</dd>", "<dt>Memory</dt><dd>", "<dt>Free disk space</dt><dd>", `<dt>Last backup</dt><dd>none</dd><dd class="critical">no backup yet</dd>`).Lacks("earlier version")
	_, err = s.App.Store().Write.ExecContext(t.Context(), `INSERT INTO old_notices (id, upto, last) VALUES (0, $1, $2)`,
		sett.NoticeIDAt(time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)), sett.NoticeIDAt(time.Date(2026, 5, 6, 12, 0, 0, 0, time.UTC)))
	if err != nil {
		t.Fatal(err)
	}
	b.Get("/admin/system").Want(200, "4 Mar 2026, 12:00 UTC", "the last one is of", "6 May 2026, 12:00 UTC").CheckPage()
	if err := s.App.Store().Accounts.SetOperator(t.Context(), id, false); err != nil {
		t.Fatal(err)
	}
	b.Get("/admin/users").Want(403)
}

// operator is a visitor who runs the server.
func operator(t *testing.T, s *setttest.Server) *visitor.Browser {
	t.Helper()
	const password = "seven lonely walruses"
	id, err := s.App.Store().Accounts.CreateUser(t.Context(), s.Clock.Now(), accountdb.NewUser{
		AccountID: s.Setup.AccountID, Email: "olga@example.test", Name: "Olga", Role: accounts.Member, Password: setttest.PasswordCost.Hash(password),
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.App.Store().Accounts.SetOperator(t.Context(), id, true); err != nil {
		t.Fatal(err)
	}
	return visitor.New(t, s).SignIn("olga@example.test", password)
}

func TestTestMailShowsWhatTheServerAnswers(t *testing.T) {
	t.Parallel()
	var refuse atomic.Value
	mails := mailserver.Start(t, mailserver.Options{NoTLS: true, Answer: func(string) error { err, _ := refuse.Load().(error); return err }})
	s := setttest.Start(t, "sqlite", func(c *app.Config) { c.SMTPURL = "smtp://" + mails.Addr + "?tls=none" })
	b := operator(t, s)
	b.Get("/admin/mail").Want(200, "Sends an email to you at olga@example.test").CheckPage()
	b.Post("/admin/mail").Want(200, "The mail server accepted the email").CheckPage()
	if m := mails.Next(t); m.To != "olga@example.test" || !strings.Contains(string(m.Raw), "Test email from sett") {
		t.Errorf("sent was %+v", m)
	}
	refuse.Store(mailserver.Refuse(554, "not from you"))
	b.Post("/admin/mail").Want(200, "The email could not be sent: the mail server returned 554", "not from you").CheckPage()
}

func TestBackupIsHandedOver(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	b := operator(t, s)
	b.Get("/admin/backup").Want(200, "No backup yet", "Your password").CheckPage()
	b.Post("/admin/backup", "password", "wrong").Want(422, "The password is wrong. Nothing was changed.").CheckPage()
	taken := b.Post("/admin/backup", "password", "seven lonely walruses").Want(200)
	if name := taken.Header.Get("Content-Disposition"); !strings.HasPrefix(name, `attachment; filename="sett-2026-`) {
		t.Errorf("the file is %s", name)
	}
	cfg := app.Config{Data: filepath.Join(t.TempDir(), "data")}
	if _, err := operate.Restore(t.Context(), cfg.Installation(), "-", bytes.NewReader([]byte(taken.Body))); err != nil {
		t.Fatal(err)
	}
	b.Get("/admin/backup").Want(200, "Up to date", "olga@example.test").Lacks("No backup yet")
	s.Clock.Push(accounts.OldBackup + 1)
	b.SignIn("olga@example.test", "seven lonely walruses")
	b.Get("/admin/backup").Want(200, "Last backup is old")
	entries, _, err := s.App.Store().Accounts.ListAudit(t.Context(), s.Setup.AccountID, accountdb.AuditFilter{Actions: []string{"downloadBackup"}, Page: sett.Page{Size: 10}})
	if err != nil || len(entries) != 1 || entries[0].User.Email != "olga@example.test" {
		t.Errorf("the audit log has %+v, %v", entries, err)
	}
}

// A user who has a second factor shows it for a backup, which has everything.
func TestBackupNeedsTheSecondFactor(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	b := operator(t, s)
	user, _, err := s.App.Store().Accounts.PasswordByEmail(t.Context(), "olga@example.test")
	if err != nil {
		t.Fatal(err)
	}
	const code = "abcd-efgh-jkmn"
	by := signin.ByOperator(user.ID)
	if err := s.App.Store().Accounts.ProposeSecondFactor(t.Context(), by, auth.NewFactorSecret()); err != nil {
		t.Fatal(err)
	}
	factor, err := s.App.Store().Accounts.SecondFactor(t.Context(), user.ID)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.App.Store().Accounts.ConfirmSecondFactor(t.Context(), s.Clock.Now(), by, factor.Secret, 1, [][]byte{auth.HashToken(signin.PlainCode(code))}); err != nil {
		t.Fatal(err)
	}
	b.Get("/admin/backup").Want(200, `name="password"`, `name="code"`).CheckPage()
	b.Post("/admin/backup", "password", "seven lonely walruses").Want(422, "This code is wrong or was used before.")
	b.Post("/admin/backup", "password", "wrong", "code", code).Want(422, "The password is wrong.")
	b.Post("/admin/backup", "password", "seven lonely walruses", "code", code).Want(200)
	b.Post("/admin/backup", "password", "seven lonely walruses", "code", code).Want(422, "This code is wrong or was used before.")
}

func TestBackupOfPostgreSQLIsNotOurs(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "postgres")
	b := operator(t, s)
	b.Get("/admin/backup").Want(200, "pg_dump").Lacks(`action="/admin/backup"`).CheckPage()
	b.Post("/admin/backup", "password", "seven lonely walruses").Want(http.StatusConflict)
}

func TestJobsSayHowTheyDo(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	b := operator(t, s)
	b.Get("/admin/jobs").Leads("/admin/system#jobs")
	page := b.Get("/admin/system").Want(200, "check-ins", "every 1 s", "OK</span>").CheckPage()
	rows := regexp.MustCompile(`<th scope="row">([^<]*)</th>`).FindAllStringSubmatch(page.Body, -1)
	if len(rows) < 10 || len(rows) != strings.Count(page.Body, `<th scope="row">`) {
		t.Errorf("%d jobs say what they do", len(rows))
	}
	for _, row := range rows {
		if does := row[1]; len(does) < 20 || len(does) > 120 || !strings.HasSuffix(does, ".") || !unicode.IsUpper([]rune(does)[0]) {
			t.Errorf("a job does: %q", does)
		}
	}
}
