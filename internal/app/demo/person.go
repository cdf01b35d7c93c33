package demo

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/alerts"
	"sett/internal/sett/signin"
	"sett/internal/store/accountdb"
)

// Email is the address of the owner.
const Email = "ada@acme.test"

// person works at the company.
type person struct {
	id      int64
	name    string
	email   string
	role    accounts.Role
	address string // of the network
	browser string
	session signin.Session
}

var browsers = []string{
	"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36",
	"Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0",
	"Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Mobile/15E148 Safari/604.1",
	"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36 Edg/141.0.0.0",
}

// hire makes the account and its people.
func (w *world) hire(ctx context.Context) (err error) {
	d, began := w.dice("people"), w.from.Add(-24*time.Hour)
	for i, p := range []person{
		{name: "Ada Mensah", role: accounts.Owner},
		{name: "Tobias Brock", role: accounts.Admin},
		{name: "Ines Herrera", role: accounts.Admin},
		{name: "Priya Raman", role: accounts.Member},
		{name: "Jonas Lindqvist", role: accounts.Member},
		{name: "Mei Tanaka", role: accounts.Member},
		{name: "Sam Okafor", role: accounts.Member},
		{name: "Lucia Rossi", role: accounts.Billing},
	} {
		first, _, _ := strings.Cut(strings.ToLower(p.name), " ")
		p.email, p.address, p.browser = first+"@acme.test", "198.51.100."+strconv.Itoa(20+i), browsers[d.IntN(len(browsers))]
		who := &p
		w.people[first], w.staff = who, append(w.staff, who)
		fresh := accountdb.NewUser{AccountID: w.AccountID, Email: p.email, Name: p.name, Role: p.role, Proven: true}
		if i == 0 {
			fresh.Password = w.password
			w.AccountID, p.id, err = w.store.Accounts.CreateAccount(ctx, began, "Acme Ltd", fresh)
			w.OwnerID, w.Email = p.id, p.email
			if err == nil {
				err = w.store.Accounts.SetOperator(ctx, p.id, true) // the pages about the server are worth a look as well
			}
		} else {
			p.id, err = w.store.Accounts.CreateUser(ctx, began.Add(time.Duration(i)*time.Hour), fresh)
		}
		if err != nil {
			return err
		}
		who.id = p.id
	}
	return nil
}

// signIn makes a session of a person.
func (w *world) signIn(ctx context.Context, now time.Time, p *person, browser, address string) error {
	hash := sha256.Sum256([]byte(w.ids.text(43)))
	s := signin.Session{UserID: p.id, How: signin.ByPassword, Address: address, UserAgent: browser}
	if p != w.people["ada"] || w.password == "" {
		s.How = signin.ByInvitation // no other user has a password
	}
	if err := w.store.Accounts.CreateSession(ctx, now, s, w.passwordOf(s), hash[:], nil); err != nil {
		return err
	}
	all, err := w.store.Accounts.ListSessions(ctx, now, p.id)
	if err == nil && len(all) > 0 {
		p.session = all[0]
	}
	return err
}

// passwordOf returns the password with which a session begins, as PHC text.
func (w *world) passwordOf(s signin.Session) string {
	if s.How == signin.ByPassword {
		return w.password
	}
	return ""
}

// by returns a context under which what a person does is in the audit log.
func (w *world) by(ctx context.Context, now time.Time, p *person, action, subject string, target map[string]string, changes any) context.Context {
	return accountdb.WithAudit(ctx, func() accounts.AuditEntry { return w.entry(now, p, action, subject, target, changes) })
}

func (w *world) entry(now time.Time, p *person, action, subject string, target map[string]string, changes any) accounts.AuditEntry {
	text, err := json.Marshal(changes)
	if err != nil || changes == nil {
		text = []byte("{}")
	}
	if target == nil {
		target = map[string]string{}
	}
	return accounts.AuditEntry{
		AccountID: w.AccountID, At: now, User: sett.Person{ID: p.id, Email: p.email, Name: p.name}, Action: action, Subject: subject,
		Target: target, Query: json.RawMessage("{}"), Changes: text, Address: p.address, UserAgent: p.browser,
	}
}

// planPeople lets people sign in, make tokens, invite others and choose their mails.
func (w *world) planPeople() {
	ada, tobias, ines := w.people["ada"], w.people["tobias"], w.people["ines"]
	for i, p := range w.staff[:5] {
		w.history.at(w.ago(time.Duration(60-10*i)*time.Hour), "sign in", func(ctx context.Context, now time.Time) error {
			return w.signIn(ctx, now, p, p.browser, p.address)
		})
	}
	w.history.at(w.ago(26*time.Hour), "sign in on a phone", func(ctx context.Context, now time.Time) error {
		return w.signIn(ctx, now, ada, browsers[2], "203.0.113.77")
	})
	w.history.at(w.ago(22*time.Hour), "make tokens", func(ctx context.Context, now time.Time) error { return w.makeTokens(ctx, now, ada) })
	w.history.at(w.ago(20*time.Hour), "begin a second factor", func(ctx context.Context, now time.Time) error {
		return w.makeFactor(ctx, now, w.people["priya"])
	})
	w.history.at(w.daysAgo(3, "10:20"), "invite", func(ctx context.Context, now time.Time) error { return w.invite(ctx, now, tobias) })
	w.history.at(w.daysAgo(11, "09:00"), "choose mails", func(ctx context.Context, now time.Time) error {
		for i, p := range []*person{ada, tobias, ines} {
			c := change[alerts.PersonalAlertsChange](`{"events":["occurred","assigned","down"],"mentions":true,"digest":%q}`, []string{"weekly", "daily", "off"}[i])
			if err := w.store.Deliveries.UpdatePersonalAlerts(ctx, now, p.id, w.projects[i].id, c); err != nil {
				return err
			}
			if _, err := w.store.Deliveries.UnsubscribeToken(ctx, p.id, w.projects[i].id); err != nil {
				return err
			}
		}
		return nil
	})
}

// makeTokens makes the personal tokens of the owner; the last is the one that tests use.
func (w *world) makeTokens(ctx context.Context, now time.Time, p *person) error {
	for i, t := range []signin.PersonalToken{
		{Name: "Terraform", CreatedAt: now},
		{Name: "Grafana", ReadOnly: true, CreatedAt: now},
		{Name: "CI", CreatedAt: now, ExpiresAt: now.AddDate(0, 6, 0)},
		{Name: "Scripts", CreatedAt: now},
	} {
		w.Token = "sett_u_" + w.ids.text(43)
		hash := sha256.Sum256([]byte(w.Token))
		audited := accountdb.WithPersonalAudit(ctx, func() accounts.AuditEntry {
			return w.entry(now, p, "makeToken", "", nil, map[string]string{"name": t.Name})
		})
		if err := w.store.Accounts.CreatePersonalToken(audited, p.session, t, hash[:]); err != nil {
			return err
		}
		if err := w.store.Accounts.TouchToken(ctx, now.Add(time.Duration(i)*time.Hour), p.id, int64(i+1), p.address); err != nil {
			return err
		}
	}
	return w.makeAccountToken(ctx, now, p)
}

// makeAccountToken makes a token of the company, whose secret is lost.
func (w *world) makeAccountToken(ctx context.Context, now time.Time, p *person) error {
	token := signin.PersonalToken{Name: "Agents", ReadOnly: true, CreatedAt: now, Grant: signin.Grant{Scopes: signin.ReadScopes(), AccountID: w.AccountID, OfAccount: true}}
	hash := sha256.Sum256([]byte(w.Token + token.Name))
	audited := w.by(ctx, now, p, "createAccountToken", "Acme Ltd", map[string]string{"account_id": w.AccountID}, map[string]string{"name": token.Name})
	return w.store.Accounts.CreateAccountToken(audited, p.id, token, hash[:])
}

// makeFactor begins to set up a second factor, which counts for nothing before a code was shown; recovery codes wait.
func (w *world) makeFactor(ctx context.Context, now time.Time, p *person) error {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
	secret := make([]byte, 32)
	for i := range secret {
		secret[i] = alphabet[w.ids.IntN(len(alphabet))]
	}
	if err := w.store.Accounts.ProposeSecondFactor(ctx, p.session, string(secret)); err != nil {
		return err
	}
	var codes [][]byte
	for range 10 {
		hash := sha256.Sum256([]byte(w.ids.text(16)))
		codes = append(codes, hash[:])
	}
	return w.store.Accounts.ConfirmSecondFactor(ctx, now, p.session, string(secret), 1, codes)
}

func (w *world) invite(ctx context.Context, now time.Time, p *person) error {
	to := accountdb.Inviting{AccountID: w.AccountID}
	for _, i := range []struct{ email, role string }{{"noor@acme.test", "Member"}, {"kofi@acme.test", "Admin"}} {
		c := change[accounts.CreateAccountInvitation](`{"email":%q,"role":%q,"team_ids":[1]}`, i.email, i.role)
		audited := w.by(ctx, now, p, "createInvitation", "Acme Ltd", map[string]string{"account_id": w.AccountID}, map[string]string{"email": i.email, "role": i.role})
		if _, err := w.store.Accounts.CreateInvitation(audited, now, to, p.id, c); err != nil {
			return err
		}
	}
	return nil
}
