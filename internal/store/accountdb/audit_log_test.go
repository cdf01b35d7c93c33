package accountdb_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/store"
	"sett/internal/store/accountdb"
	"sett/internal/store/storetest"
)

// audited returns a context under which a change is made, by the desk's owner.
func (d *desk) audited(action string, change ...func(*accounts.AuditEntry)) context.Context {
	e := accounts.AuditEntry{
		AccountID: d.AccountID, At: storetest.Noon, User: sett.Person{ID: d.UserID, Name: "Olga", Email: "owner@example.test"}, Token: "setup",
		Action: action, Subject: "Shop", Target: map[string]string{"project_id": "7"}, Query: json.RawMessage(`{"q":"x"}`),
		Changes: json.RawMessage(`{"project":{"name":"Z"}}`), Address: "203.0.113.7", UserAgent: "curl",
	}
	for _, c := range change {
		c(&e)
	}
	return accountdb.WithAudit(d.T.Context(), func() accounts.AuditEntry { return e })
}

// log reads the desk's audit log, the newest first, as the actions in it.
func (d *desk) log(f accountdb.AuditFilter) (actions []string) {
	d.T.Helper()
	f.Size = 100
	entries, _, err := d.Accounts.ListAudit(d.T.Context(), d.AccountID, f)
	if err != nil {
		d.T.Fatal(err)
	}
	for _, e := range entries {
		actions = append(actions, e.Action)
	}
	return actions
}

func TestAChangeLeavesOneEntry(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		rename := func(ctx context.Context, name string) error {
			return s.Accounts.UpdateProject(ctx, d.ProjectID, accounts.ProjectChange{Name: sett.Some(name)})
		}
		ctx := d.audited("updateProject")
		if err := rename(ctx, "Z"); err != nil {
			t.Fatal(err)
		}
		if err := rename(ctx, "Y"); err != nil { // a second transaction of the same change
			t.Fatal(err)
		}
		if err := rename(t.Context(), "X"); err != nil { // without a request
			t.Fatal(err)
		}
		if err := rename(d.audited("refused"), ""); sett.CodeOf(err) != sett.Invalid {
			t.Fatal(err)
		}
		entries, _, err := s.Accounts.ListAudit(t.Context(), d.AccountID, accountdb.AuditFilter{Page: sett.Page{Size: 9}})
		want := []accounts.AuditEntry{{
			ID: 1, AccountID: d.AccountID, At: storetest.Noon, User: sett.Person{ID: d.UserID, Name: "Olga", Email: "owner@example.test"}, Token: "setup",
			Action: "updateProject", Subject: "Shop", Target: map[string]string{"project_id": "7"}, Query: json.RawMessage(`{"q":"x"}`),
			Changes: json.RawMessage(`{"project":{"name":"Z"}}`), Address: "203.0.113.7", UserAgent: "curl",
		}}
		for i := range entries {
			entries[i].ID = 1 // PostgreSQL gives no id twice, not even that of a row that was rolled back
		}
		if diff := cmp.Diff(want, entries); err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
	})
}

// The entry commits with the change, or neither does.
func TestAnEntryIsPartOfTheTransaction(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		broken := errors.New("broken")
		ctx := d.audited("second")
		again := func(fail error) error {
			return s.Accounts.InOwnTx(ctx, "try", func(t accountdb.Tx) error {
				if _, err := t.Exec(ctx, `UPDATE projects SET name = 'Tried'`); err != nil {
					return err
				}
				return fail
			})
		}
		if err := again(broken); !errors.Is(err, broken) || d.log(accountdb.AuditFilter{}) != nil {
			t.Errorf("a change that failed: %v, %v", err, d.log(accountdb.AuditFilter{}))
		}
		d.Run(`ALTER TABLE audit_log RENAME TO elsewhere`)
		if err := again(nil); err == nil || d.Numbers(`SELECT count(*) FROM projects WHERE name = 'Tried'`, 1)[0] != 0 {
			t.Errorf("a change whose entry cannot be stored was made: %v", err)
		}
		d.Run(`ALTER TABLE elsewhere RENAME TO audit_log`)
		if err := again(nil); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"second"}, d.log(accountdb.AuditFilter{})); diff != "" {
			t.Errorf("entries (-want +got):\n%s", diff)
		}
	})
}

// What the path does not tell, the store knows in which account it happens; what was changed may go, and the entry stays.
func TestEntriesOfWhatIsMadeAndGone(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		nowhere := func(e *accounts.AuditEntry) { e.AccountID = "" }
		p, err := s.Accounts.CreateProject(d.audited("createProject", nowhere), storetest.Noon, d.UserID, "", accounts.ProjectChange{Name: sett.Some("New")})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.DeleteProject(d.audited("deleteProject"), p.ID, func() {}); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"deleteProject", "createProject"}, d.log(accountdb.AuditFilter{})); diff != "" {
			t.Errorf("entries (-want +got):\n%s", diff)
		}
		d.Run(`DELETE FROM accounts`)
		d.Run(`DELETE FROM users`)
		if n := len(d.log(accountdb.AuditFilter{})); n != 2 {
			t.Errorf("%d entries are left when the account and its users are gone", n)
		}
	})
}

func TestListAudit(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		other, stranger := d.Stranger()
		var all []string
		for i := range 7 {
			action := fmt.Sprint("action", i)
			all = append([]string{action}, all...)
			ctx := d.audited(action, func(e *accounts.AuditEntry) {
				e.At = storetest.Noon.Add(time.Duration(i/2) * time.Minute) // some at the same time
				e.User.ID += int64(i % 2)
			})
			if err := s.Accounts.UpdateProject(ctx, d.ProjectID, accounts.ProjectChange{}); err != nil {
				t.Fatal(err)
			}
		}
		theirs := d.audited("theirs", func(e *accounts.AuditEntry) { e.AccountID, e.User.ID = other, stranger })
		if err := s.Accounts.UpdateProject(theirs, d.ProjectID, accounts.ProjectChange{}); err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			name   string
			filter accountdb.AuditFilter
			want   []string
		}{
			{"all", accountdb.AuditFilter{}, all},
			{"of a user", accountdb.AuditFilter{UserID: d.UserID + 1}, []string{"action5", "action3", "action1"}},
			{"of no user", accountdb.AuditFilter{UserID: 999}, nil},
			{"of the last user that there can be", accountdb.AuditFilter{UserID: math.MaxInt64}, nil},
			{"of an action", accountdb.AuditFilter{Actions: []string{"action4"}}, []string{"action4"}},
			{"since", accountdb.AuditFilter{From: storetest.Noon.Add(2 * time.Minute)}, []string{"action6", "action5", "action4"}},
			{"before", accountdb.AuditFilter{To: storetest.Noon.Add(time.Minute)}, []string{"action1", "action0"}},
			{"between", accountdb.AuditFilter{From: storetest.Noon.Add(time.Minute), To: storetest.Noon.Add(2 * time.Minute), UserID: d.UserID}, []string{"action2"}},
		} {
			if diff := cmp.Diff(c.want, d.log(c.filter)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", c.name, diff)
			}
		}
		d.walkLog(all)
		for _, mark := range []string{"x", "1", "1.2.3", "-1.2"} {
			if _, _, err := s.Accounts.ListAudit(t.Context(), d.AccountID, accountdb.AuditFilter{Page: sett.Page{Size: 3, Mark: mark}}); sett.CodeOf(err) != sett.Invalid {
				t.Errorf("mark %s: %v", mark, err)
			}
		}
	})
}

// walkLog follows the marks of the log to its end and back, while entries come in.
func (d *desk) walkLog(want []string) {
	d.T.Helper()
	page := sett.Page{Size: 3}
	var there, back []string
	for step := range 20 {
		entries, marks, err := d.Accounts.ListAudit(d.T.Context(), d.AccountID, accountdb.AuditFilter{Page: page})
		if err != nil {
			d.T.Fatal(err)
		}
		var actions []string
		for _, e := range entries {
			actions = append(actions, e.Action)
		}
		if !page.Back {
			there = append(there, actions...)
		}
		if page.Back || marks.Next == "" {
			back = append(slices.Clone(actions), back...)
		}
		switch {
		case !page.Back && marks.Next != "":
			page.Mark = marks.Next
		case marks.Prev == "" || len(back) >= len(want):
			if diff := cmp.Diff([2][]string{want, want}, [2][]string{there, back}); diff != "" {
				d.T.Errorf("there and back (-want +got):\n%s", diff)
			}
			return
		default:
			page.Mark, page.Back = marks.Prev, true
		}
		more := d.audited(fmt.Sprint("meanwhile", step), func(e *accounts.AuditEntry) { e.At = storetest.Noon.Add(time.Hour) })
		if err := d.Accounts.UpdateProject(more, d.ProjectID, accounts.ProjectChange{}); err != nil {
			d.T.Fatal(err)
		}
	}
	d.T.Error("the list has no end")
}
