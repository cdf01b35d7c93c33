package user_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"sett/internal/app"
	"sett/internal/serve/auth"
	"sett/internal/sett"
	"sett/internal/setttest"
	"sett/internal/setttest/mailserver"
)

// asked makes a link for a new password, as the form makes one and puts it into a mail.
func asked(t *testing.T, s *setttest.Server, email string) (path string) {
	t.Helper()
	secret := sett.NewWebSecret()
	if err := s.App.Store().Accounts.RequestReset(t.Context(), s.Clock.Now(), email, secret, auth.HashToken(secret)); err != nil {
		t.Fatal(err)
	}
	return "/reset/" + secret
}

// withMail has a server queue mails, which reach nothing.
func withMail(c *app.Config) { c.SMTPURL = "smtp://127.0.0.1:1" }

// Without email, no page promises any.
func TestNothingIsPromisedWithoutMail(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	addAnn(t, s)
	out, in := newBrowser(t, s), newBrowser(t, s).signIn()
	const says = "This server sends no email"
	lacks := func(body string) {
		if strings.Contains(body, "We will send you") || strings.Contains(body, "<form class=\"card") {
			t.Errorf("the page promises a mail:\n%s", body)
		}
	}
	lacks(out.get("/forgot").want(200, says, "sett user password").Body)
	out.post("/forgot", "email", annsEmail).leads("/forgot")
	in.get("/me/alerts").want(200, says)
}

func TestForgottenPassword(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		addAnn(t, s)
		b, signedIn := newBrowser(t, s), newBrowser(t, s).signIn()
		for _, email := range []string{"Ann@example.test", "unknown@example.test", "no address", ""} {
			b.post("/forgot", "email", email).leads("/forgot?done=asked")
		}
		b.get("/forgot?done=asked").want(200, "If an account uses this address, we have sent a link.")

		first, second := asked(t, s, annsEmail), asked(t, s, annsEmail)
		b.get(first).want(200, annsEmail)
		b.post(first, "new_password", "short").want(422, "the new password is too short")
		b.post(first, "new_password", "eight jolly penguins").leads("/login?done=reset")
		const gone = "This link does not work any more."
		b.get(first).want(404, gone)
		b.post(first, "new_password", "nine jolly penguins").want(404, gone)
		b.post(second, "new_password", "nine jolly penguins").want(404, gone)
		signedIn.get("/").leads("/login")
		b.post("/login", "email", annsEmail, "password", annsPassword).want(422)
		b.post("/login", "email", annsEmail, "password", "eight jolly penguins").leads("/")

		third := asked(t, s, annsEmail)
		s.Clock.Push(time.Hour)
		b.get(third).want(404, gone)
		b.post(third, "new_password", "nine jolly penguins").want(404, gone)
		b.get(asked(t, s, "unknown@example.test")).want(404, gone)
		b.get("/reset/unknown").want(404, gone)
	}, withMail)
}

func TestMailsArePerAddressRare(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite", withMail)
	b := newBrowser(t, s)
	for range 5 {
		b.post("/forgot", "email", "unknown@example.test").leads("/forgot?done=asked")
	}
	b.post("/forgot", "email", "unknown@example.test").want(429, "Wait 1 second")
	b.post("/forgot", "email", "other@example.test").leads("/forgot?done=asked")
}

// linkIn finds the link in a mail as it came: lines of quoted-printable text end in "=" where they are cut.
func linkIn(t *testing.T, mail []byte) (path string) {
	t.Helper()
	plain := strings.NewReplacer("=\r\n", "", "=3D", "=").Replace(string(mail))
	m := regexp.MustCompile(`http://[^/\s"]+(/reset/[0-9A-Za-z]+)`).FindStringSubmatch(plain)
	if m == nil {
		t.Fatalf("the mail has no link:\n%s", plain)
	}
	return m[1]
}

func TestForgottenPasswordByMail(t *testing.T) {
	t.Parallel()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			server := mailserver.Start(t, mailserver.Options{NoTLS: true})
			s := setttest.Start(t, engine, func(c *app.Config) { c.SMTPURL = "smtp://" + server.Addr + "?tls=none" })
			addAnn(t, s)
			b := newBrowser(t, s)
			b.post("/forgot", "email", "unknown@example.test").leads("/forgot?done=asked")
			b.post("/forgot", "email", annsEmail).leads("/forgot?done=asked")
			asked := server.Next(t)
			b.post(linkIn(t, asked.Raw), "new_password", "eight jolly penguins").leads("/login?done=reset")
			notice := server.Next(t)
			if asked.To != annsEmail || notice.To != annsEmail || !strings.Contains(string(notice.Raw), "Firefox on Linux") {
				t.Errorf("mails to %s and %s; the second is\n%s", asked.To, notice.To, notice.Raw)
			}
			b.post("/login", "email", annsEmail, "password", "eight jolly penguins").leads("/")
		})
	}
}
