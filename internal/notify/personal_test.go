package notify

import (
	"fmt"
	"io"
	"log/slog"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/mail"
	"strings"
	"testing"
	"time"

	"sett/internal/base/dial"
	"sett/internal/notify/channel"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/alerts"
	"sett/internal/sett/faults"
	"sett/internal/sett/triage"
	"sett/internal/setttest/mailserver"
	"sett/internal/store/accountdb"
	"sett/internal/store/searchdb"
)

// letterParts returns the parts of a mail by their type.
func letterParts(t *testing.T, m mailserver.Mail) map[string]string {
	t.Helper()
	_, params, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	if err != nil {
		t.Fatal(err)
	}
	parts, reader := map[string]string{}, multipart.NewReader(m.Body, params["boundary"])
	for {
		part, err := reader.NextRawPart()
		if err == io.EOF {
			return parts
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(quotedprintable.NewReader(part))
		if err != nil {
			t.Fatal(err)
		}
		kind, _, _ := strings.Cut(part.Header.Get("Content-Type"), ";")
		parts[kind] = strings.ReplaceAll(string(text), "\r\n", "\n")
	}
}

// checkUnsubscribe follows the links of a mail that end such mails, and returns the mail's parts.
func checkUnsubscribe(s *scene, m mailserver.Mail) map[string]string {
	s.t.Helper()
	link := strings.Trim(m.Header.Get("List-Unsubscribe"), "<>")
	token, ok := strings.CutPrefix(link, s.BaseURL+"/unsubscribe/")
	if !ok || m.Header.Get("List-Unsubscribe-Post") != "List-Unsubscribe=One-Click" {
		s.t.Fatalf("the headers are %v", m.Header)
	}
	u, err := s.Store.Deliveries.Unsubscribing(s.t.Context(), token)
	if err != nil || u.User.Email != m.To || u.ProjectID != s.project.ID {
		s.t.Errorf("the link is of %+v, %v", u, err)
	}
	parts := letterParts(s.t, m)
	if !strings.Contains(parts["text/plain"], "\n"+link+"\n") || !strings.Contains(parts["text/html"], `<a href="`+link+`"`) {
		s.t.Errorf("the letter has no link that ends such mails:\n%v", parts)
	}
	return parts
}

// couriers is a dispatcher that mails, and a clock.
type couriers struct {
	*Dispatcher
	*clock
	s *scene
}

func newCouriers(s *scene, server *mailserver.Server, login string) *couriers {
	s.t.Helper()
	address, err := channel.ParseMailServer("smtp://" + login + server.Addr)
	s.must(err)
	c := newClock()
	return &couriers{NewDispatcher(DispatcherOptions{
		DB: s.Store.DB, Deliveries: s.Store.Deliveries, Lease: NewLease(s.Store.Intake), Composer: s.Composer, Letters: NewAlertLetters(s.BaseURL), Now: c.Now, Log: slog.New(slog.DiscardHandler),
		Tools: channel.Tools{Now: c.Now, Email: channel.NewEmail(channel.EmailOptions{
			Server: address, From: mail.Address{Address: "sett@sett.example.org"}, Dialer: dial.New(dial.Anywhere()), Roots: server.Roots,
		})},
	}), c, s}
}

// work spreads, sends and records all that is due.
func (c *couriers) work() {
	c.s.t.Helper()
	for more := true; more; {
		var err error
		more, err = c.fanOut(c.s.t.Context())
		c.s.must(err)
	}
	c.drain(c.s.t)
}

// addBob makes another user who sees the scene's project.
func (s *scene) addBob() int64 {
	s.t.Helper()
	id, err := s.Accounts.CreateUser(s.t.Context(), s.now, accountdb.NewUser{AccountID: s.setup.AccountID, Email: bob.Email, Name: bob.Name, Role: accounts.Admin})
	s.must(err)
	return id
}

func (s *scene) comment(author int64, body string) {
	s.t.Helper()
	_, err := s.Faults.CreateComment(s.t.Context(), s.now, author, s.project.ID, s.fault.ID, faults.CommentChange{Body: sett.Some(body)})
	s.must(err)
}

// Who is named in a comment gets a letter, over a connection that is encrypted and after a login; who wrote it does not.
func TestMentionIsMailed(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(s *scene) {
		server := mailserver.Start(s.t, mailserver.Options{User: "sett", Password: "hush"})
		c := newCouriers(s, server, "sett:hush@")
		s.addBob()
		c.work()
		for range server.Mails() { // of the fault of the scene
			server.Next(s.t)
		}
		s.comment(s.setup.UserID, "@bob @ann: <script> is it the cache?")
		c.work()
		m := server.Next(s.t)
		if got := m.Header.Get("Subject"); m.To != bob.Email || !strings.Contains(got, "[Shop/production] Ann O'Dell commented on RuntimeError") {
			s.t.Errorf("to %s: %s", m.To, got)
		}
		if id := m.Header.Get("Message-ID"); !strings.HasPrefix(id, "<msg_") || !strings.HasSuffix(id, "@sett.example.org>") {
			s.t.Errorf("Message-ID %s", id)
		}
		parts := checkUnsubscribe(s, m)
		if !strings.Contains(parts["text/plain"], "> @bob @ann: <script> is it the cache?") || !strings.Contains(parts["text/html"], "&lt;script&gt; is it the cache?") {
			s.t.Errorf("the parts are %v", parts)
		}
		page := s.BaseURL + s.faultPath()
		if !strings.Contains(parts["text/plain"], "\n"+page+"\n") || !strings.Contains(parts["text/html"], page) {
			s.t.Errorf("the letter does not lead to %s", page)
		}
		c.Push(time.Hour)
		c.work()
		if n := len(server.Mails()); n != 3 { // two of the fault
			s.t.Errorf("%d mails, want 3", n)
		}
	})
}

// Who is assigned many faults gets one letter, which names ten of them and says how many there are.
func TestManyAssignedFaultsAreOneLetter(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(s *scene) {
		server := mailserver.Start(s.t, mailserver.Options{})
		c := newCouriers(s, server, "")
		id := s.addBob()
		var named []string
		for i := range 12 {
			class := fmt.Sprintf("Err%02d", i)
			s.record(&faults.Report{
				AccountID: s.setup.AccountID, ProjectID: s.project.ID, Class: class, Message: "<script>alert(1)</script>", Environment: "production",
				Grouping: faults.Grouping{Key: [16]byte{2, byte(i)}, Rule: 1, Basis: "location", Class: class, Environment: "production"}, Body: []byte(`{}`),
			})
			named = append(named, "> "+class+": <script>alert(1)</script>")
		}
		named = named[:9] // the first is the fault of the scene
		c.work()
		before := len(server.Mails())
		for range before {
			server.Next(s.t)
		}
		_, err := s.Store.Search.ChangeFaults(s.t.Context(), s.now, s.setup.UserID, s.project.ID, searchdb.Choice{}, triage.BulkChange{Action: sett.Some("assign"), AssigneeID: sett.Some(id)})
		s.must(err)
		c.Push(time.Hour) // past flood control
		c.work()
		if n := len(server.Mails()) - before; n != 1 {
			s.t.Fatalf("%d mails, want 1", n)
		}
		m := server.Next(s.t)
		if got := m.Header.Get("Subject"); m.To != bob.Email || got != "[Shop/production] 13 errors assigned to Bob by Ann O'Dell" {
			s.t.Errorf("to %s: %s", m.To, got)
		}
		parts := letterParts(s.t, m)
		want := "> RuntimeError: boom <b> now\n" + strings.Join(named, "\n") + "\n> and 3 more\n"
		link := s.BaseURL + fmt.Sprint("/projects/", s.project.ID) + "/faults?q=-is%3Aresolved+assignee%3A%22bob%40example.test%22"
		if text := parts["text/plain"]; !strings.Contains(text, want) || !strings.Contains(text, "\n"+link+"\n") {
			s.t.Errorf("the letter says:\n%s\nand lacks:\n%s\nor %s", text, want, link)
		}
		if strings.Contains(parts["text/html"], "<script>") {
			s.t.Errorf("the letter runs scripts:\n%s", parts["text/html"])
		}
	})
}

// A mail that is put off arrives later, once and with the id that it had; one that is refused is given up.
func TestPersonalMailsThatAreNotTaken(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		code, tries, arrive int
	}{"greylisted": {451, 2, 1}, "refused": {550, 1, 0}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tries := 0
			server := mailserver.Start(t, mailserver.Options{Answer: func(to string) error {
				if to != bob.Email {
					return nil
				}
				if tries++; tries == 1 {
					return mailserver.Refuse(c.code, "not now")
				}
				return nil
			}})
			s := newScene(t)
			s.must(s.Store.Deliveries.UpdatePersonalAlerts(t.Context(), s.now, s.addBob(), s.project.ID, alerts.PersonalAlertsChange{Events: sett.Some([]string{}), Follows: sett.Some(false)}))
			dispatcher := newCouriers(s, server, "")
			s.comment(s.setup.UserID, "@bob")
			dispatcher.work()
			dispatcher.Push(time.Hour)
			dispatcher.work()
			dispatcher.Push(24 * time.Hour)
			dispatcher.work()
			arrived := 0
			for _, m := range server.Mails() {
				if m.To == bob.Email {
					arrived++
				}
			}
			if arrived != c.arrive || tries != c.tries {
				t.Errorf("%d tries, %d mails; want %d and %d", tries, arrived, c.tries, c.arrive)
			}
		})
	}
}

// faultPath is where the page of the scene's fault is.
func (s *scene) faultPath() string {
	st := alertContext{Alert: s.alert(alerts.AlertCommented), fault: &s.fault}
	return st.faultURL(s.fault.ID)
}
