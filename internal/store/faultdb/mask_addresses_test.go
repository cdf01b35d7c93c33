package faultdb_test

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/checks"
	"sett/internal/store"
	"sett/internal/store/accountdb"
	"sett/internal/store/faultdb"
	"sett/internal/store/storetest"
)

// What alerts and the audit log say of a site has no credentials of its address, in the database and when it is sent.
func TestAlertsAndAuditLogHaveNoCredentialsOfSites(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		address := "https://ann:" + storetest.Needle + "@shop.test/health?api_key=" + storetest.Needle
		site := d.Site(d.ProjectID, func(c *checks.SiteChange) { c.URL = sett.Some(address) })
		a, _ := site.Alert(checks.SiteEvent{Kind: checks.SiteWentDown, At: storetest.Noon}, checks.Outage{Reason: "down"})
		d.Happen(storetest.Noon, a)
		ctx := accountdb.WithAudit(t.Context(), func() accounts.AuditEntry {
			return accounts.AuditEntry{
				AccountID: d.AccountID, At: storetest.Noon, Action: "createSite", Target: map[string]string{},
				Query: sett.MaskedQuery(map[string][]string{"q": {address}}), Changes: sett.MaskedBody([]byte(`{"url":"` + address + `"}`)),
			}
		})
		if err := s.Faults.InOwnTx(ctx, "nothing", func(faultdb.Tx) error { return nil }); err != nil {
			t.Fatal(err)
		}
		d.hasNoCredentials("stored now", "https://"+checks.SecretMask+"@shop.test")

		// as an earlier sett has stored them
		d.Run(`UPDATE alerts SET facts = $1`, `{"site":{"name":"Shop","url":"`+address+`","reason":"down"},"later":1}`)
		d.Run(`UPDATE audit_log SET changes = $1, query = $2`, `{"url":"`+address+`","n":12345678901234567890}`, `{"q":"`+address+`"}`)
		d.Run(`DELETE FROM secret_keys`)
		if u, err := s.Unlock(t.Context()); err != nil || u.LeftOver != nil {
			t.Fatalf("%+v, %v", u, err)
		}
		d.hasNoCredentials("stored before", `"later":1`)
		d.hasNoCredentials("stored before", `"n":12345678901234567890`)
	})
}

// hasNoCredentials wants the needle nowhere in the alerts and the audit log, and a text there, which shows that they were read.
func (d *desk) hasNoCredentials(when, text string) {
	d.T.Helper()
	all := ""
	for _, statement := range []string{`SELECT facts FROM alerts`, `SELECT changes || query FROM audit_log`} {
		rows, err := d.Store.Read.QueryContext(d.T.Context(), statement)
		if err != nil {
			d.T.Fatal(err)
		}
		for rows.Next() {
			row := ""
			if err := rows.Scan(&row); err != nil {
				d.T.Fatal(err)
			}
			all += row + "\n"
		}
		if err := rows.Close(); err != nil {
			d.T.Fatal(err)
		}
	}
	if strings.Contains(all, storetest.Needle) || !strings.Contains(all, text) {
		d.T.Errorf("%s:\n%s", when, all)
	}
	if !d.SQLite() {
		return
	}
	if err := d.EmptyLog(d.T.Context()); err != nil {
		d.T.Fatal(err)
	}
	for _, ending := range []string{"", "-wal", "-shm", "-journal"} {
		if file, _ := os.ReadFile(d.Path() + ending); bytes.Contains(file, []byte(storetest.Needle)) {
			d.T.Errorf("%s: it is in sett.db%s", when, ending)
		}
	}
}
