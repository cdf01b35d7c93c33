package store

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"sett/internal/sett"
)

// What alerts and the audit log say of a site has no credentials of its address, in the database and when it is sent.
func TestAlertsAndAuditLogHaveNoCredentialsOfSites(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		address := "https://ann:" + needle + "@shop.test/health?api_key=" + needle
		site := d.site(d.ProjectID, func(c *sett.SiteChange) { c.URL = sett.Some(address) })
		a, _ := site.Alert(sett.SiteEvent{Kind: sett.SiteWentDown, At: noon}, sett.Outage{Reason: "down"})
		d.happen(noon, a)
		ctx := WithAudit(t.Context(), func() sett.AuditEntry {
			return sett.AuditEntry{
				AccountID: d.AccountID, At: noon, Action: "createSite", Target: map[string]string{},
				Query: sett.MaskedQuery(map[string][]string{"q": {address}}), Changes: sett.MaskedBody([]byte(`{"url":"` + address + `"}`)),
			}
		})
		if err := s.inTx(ctx, "nothing", func(*tx) error { return nil }); err != nil {
			t.Fatal(err)
		}
		d.hasNoCredentials("stored now", "https://"+sett.SecretMask+"@shop.test")

		// as an earlier sett has stored them
		d.run(`UPDATE alerts SET facts = $1`, `{"site":{"name":"Shop","url":"`+address+`","reason":"down"},"later":1}`)
		d.run(`UPDATE audit_log SET changes = $1, query = $2`, `{"url":"`+address+`","n":12345678901234567890}`, `{"q":"`+address+`"}`)
		d.run(`DELETE FROM secret_keys`)
		if u, err := s.Unlock(t.Context()); err != nil || u.LeftOver != nil {
			t.Fatalf("%+v, %v", u, err)
		}
		d.hasNoCredentials("stored before", `"later":1`)
		d.hasNoCredentials("stored before", `"n":12345678901234567890`)
	})
}

// hasNoCredentials wants the needle nowhere in the alerts and the audit log, and a text there, which shows that they were read.
func (d *desk) hasNoCredentials(when, text string) {
	d.t.Helper()
	all := ""
	for _, statement := range []string{`SELECT facts FROM alerts`, `SELECT changes || query FROM audit_log`} {
		rows, err := d.Store.Read.QueryContext(d.t.Context(), statement)
		if err != nil {
			d.t.Fatal(err)
		}
		for rows.Next() {
			row := ""
			if err := rows.Scan(&row); err != nil {
				d.t.Fatal(err)
			}
			all += row + "\n"
		}
		if err := rows.Close(); err != nil {
			d.t.Fatal(err)
		}
	}
	if strings.Contains(all, needle) || !strings.Contains(all, text) {
		d.t.Errorf("%s:\n%s", when, all)
	}
	if !d.SQLite() {
		return
	}
	if _, err := d.Write.ExecContext(d.t.Context(), "PRAGMA wal_checkpoint(TRUNCATE)"); err != nil {
		d.t.Fatal(err)
	}
	for _, ending := range []string{"", "-wal", "-shm", "-journal"} {
		if file, _ := os.ReadFile(d.Path() + ending); bytes.Contains(file, []byte(needle)) {
			d.t.Errorf("%s: it is in sett.db%s", when, ending)
		}
	}
}
