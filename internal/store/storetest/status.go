package storetest

import (
	"crypto/rand"
	"fmt"
	"strings"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/alerts"
	"sett/internal/sett/checks"
	"sett/internal/sett/status"
	"sett/internal/store/db"
	"sett/internal/store/statusdb"
)

const InsertTestPage = `INSERT INTO status_pages (id, account_id, slug, name, hide_branding, features, unlisted, auto_incidents, password_hash,
	password_key, domain, domain_secret, domain_state, domain_problem, domain_verified_at, domain_checked_at, domain_due_at, domain_failing_at,
	revision, created_at, updated_at)
	VALUES ($1, $2, $1, 'Status', false, '{}', false, false, '', $3, '', '', '', '', 0, 0, 0, 0, 1, 0, 0)`

// PageNamed makes a status page that shows sites and check-ins.
func (d *Desk) PageNamed(id string, components ...any) {
	d.T.Helper()
	d.Run(InsertTestPage, id, d.AccountID, []byte{})
	for i, c := range components {
		statement := `INSERT INTO status_components (page, position, site_id, check_in, display_name, description)
			SELECT p.number, $1, s.id, c.number, '', '' FROM status_pages p LEFT JOIN sites s ON s.uuid = $2 LEFT JOIN check_ins c ON c.id = $3
			WHERE p.id = $4`
		switch c := c.(type) {
		case checks.Site:
			d.Run(statement, i, c.ID[:], "", id)
		case checks.CheckIn:
			d.Run(statement, i, []byte{}, c.ID, id)
		}
	}
}

// View returns the components of a page at a time.
func (d *Desk) View(now time.Time, id string) []status.ComponentView {
	d.T.Helper()
	v, err := d.Status.StatusView(d.T.Context(), now, id)
	if err != nil {
		d.T.Fatal(err)
	}
	for _, c := range v.Components {
		if len(c.Days) != checks.StatusDays || !c.Days[checks.StatusDays-1].Day.Equal(accounts.Day(now)) {
			d.T.Fatalf("%d days", len(c.Days))
		}
	}
	return v.Components
}

// DaysShown lists the days of a component that have data, such as "11-18 12h0m0s", with those that are alike and follow
// one another as one, and what was wrong on them.
func DaysShown(c status.ComponentView) (lines []string) {
	var first, last, said string
	flush := func() {
		if said != "" {
			lines = append(lines, strings.TrimSuffix(first+".."+last, ".."+first)+" "+said)
		}
	}
	for _, d := range c.Days {
		line := ""
		if d != (checks.StatusDay{Day: d.Day}) {
			line = d.Measured.String()
		}
		if d.Down > 0 || d.Outages > 0 {
			line += fmt.Sprintf(" down %v, outages %d, new %d", d.Down, d.Outages, d.Began)
		}
		day := d.Day.Format("01-02")
		if line != said {
			flush()
			first, said = day, line
		}
		last = day
	}
	flush()
	return lines
}

func (d *Desk) WantDays(when string, c status.ComponentView, want ...string) {
	d.T.Helper()
	if diff := cmp.Diff(want, DaysShown(c)); diff != "" {
		d.T.Errorf("%s (-want +got):\n%s", when, diff)
	}
}

// Alive lets a server beat from one time until another.
func (d *Desk) Alive(from, to time.Time) {
	d.T.Helper()
	d.Run(`UPDATE beats SET last_at = $1`, db.Micros(to.Add(-10*time.Second)))
	d.BeatAt(to)
}

// FillCheckedDays is as schema/0021 has it.
const FillCheckedDays = `INSERT INTO checked_days (site_id, stretch, days)
SELECT d.site_id, d.day / 5184000000000, CAST(sum(CAST(1 AS bigint) << CAST(d.day % 5184000000000 / 86400000000 AS integer)) AS bigint)
FROM (SELECT DISTINCT site_id, day FROM uptime_days) AS d GROUP BY d.site_id, d.day / 5184000000000`

// PageOf makes a status page that shows sites and check-ins, and opens automatic incidents.
func (d *Desk) PageOf(shown ...any) status.StatusPage {
	d.T.Helper()
	id := status.NewStatusPageID(rand.Reader)
	d.PageNamed(id, shown...)
	d.Run(`UPDATE status_pages SET auto_incidents = true WHERE id = $1`, id)
	return d.FindStatusPage(id)
}

func (d *Desk) FindStatusPage(id string) status.StatusPage {
	d.T.Helper()
	page, err := d.Status.StatusPageByID(d.T.Context(), d.AccountID, id)
	if err != nil {
		d.T.Fatal(err)
	}
	return page
}

func (d *Desk) IncidentsOf(page status.StatusPage, state statusdb.IncidentState) []statusdb.ShownIncident {
	d.T.Helper()
	found, _, err := d.Status.ListIncidents(d.T.Context(), d.AccountID, page.ID, statusdb.IncidentFilter{State: state, Page: sett.Page{Size: 100}})
	if err != nil {
		d.T.Fatal(err)
	}
	return found
}

// Announced returns what a page shows: a line for each incident and for each of its updates, the newest first.
func (d *Desk) Announced(page status.StatusPage) (lines []string) {
	d.T.Helper()
	for _, i := range d.IncidentsOf(page, statusdb.AnyIncident) {
		how := "by people"
		if i.Automatic {
			how = "automatic"
		}
		if !i.ResolvedAt.IsZero() {
			how += ", over"
		}
		var names []string
		for _, id := range i.ComponentIDs {
			for at, c := range page.Components {
				if c.ID == id {
					names = append(names, fmt.Sprint(at))
				}
			}
		}
		lines = append(lines, fmt.Sprintf("%s: %s, %s, about [%s]", i.Name, i.Status, how, strings.Join(names, " ")))
		for _, u := range i.Updates {
			lines = append(lines, fmt.Sprintf("  %s %s: %s", u.At.Format("15:04"), u.Status, strings.ReplaceAll(u.Message, "\n", " / ")))
		}
	}
	return lines
}

func (d *Desk) WantAnnounced(what string, page status.StatusPage, want ...string) {
	d.T.Helper()
	if diff := cmp.Diff(want, d.Announced(page)); diff != "" {
		d.T.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// Clock is a time of the day on which tests of incidents happen.
func Clock(m int) time.Time { return Noon.Add(time.Duration(m) * time.Minute) }

// Turn has sites found up or down at a minute.
func (d *Desk) Turn(m int, up bool, sites ...checks.Site) {
	d.T.Helper()
	var reports []checks.CheckReport
	for _, site := range sites {
		reports = append(reports, Look(d.FindSite(site), checks.Virginia, Clock(m), up))
	}
	d.Checked(Clock(m).Add(time.Second), reports...)
}

func (d *Desk) Revision(page status.StatusPage) int64 { return d.FindStatusPage(page.ID).Revision }

// StatusPage makes a status page that shows sites and check-ins.
func (d *Desk) StatusPage(name string, shows ...any) status.StatusPage {
	d.T.Helper()
	change := Showing(shows...)
	change.Name = sett.Some(name)
	made, err := d.Status.CreateStatusPage(d.T.Context(), Noon, d.AccountID, status.StatusPageRules{}, change)
	if err != nil {
		d.T.Fatal(err)
	}
	return made.StatusPage
}

// Showing is the change after which a page shows these sites and check-ins.
func Showing(shows ...any) (c status.StatusPageChange) {
	c.Sites, c.CheckIns = sett.Some[[]status.StatusSiteChange](nil), sett.Some[[]status.StatusCheckInChange](nil)
	for _, thing := range shows {
		switch of := thing.(type) {
		case checks.Site:
			c.Sites.Value = append(c.Sites.Value, status.StatusSiteChange{SiteID: sett.Some(of.ID.String())})
		case checks.CheckIn:
			c.CheckIns.Value = append(c.CheckIns.Value, status.StatusCheckInChange{CheckInID: sett.Some(of.ID)})
		}
	}
	return c
}

// Asked returns to whom mails are queued that ask for a confirmation, the oldest first, with the token of each.
func (d *Desk) Asked(now time.Time) (lines, tokens []string) {
	d.T.Helper()
	for _, m := range TakeMails(d.T, d.Store, now) {
		if m.Kind == alerts.SubscriptionMail {
			lines, tokens = append(lines, m.To+" about "+m.Fields["page"]), append(tokens, m.Fields["token"])
		}
	}
	return lines, tokens
}

func (d *Desk) Subscribe(now time.Time, page status.StatusPage, address string) {
	d.T.Helper()
	if err := d.Status.SubscribeEmail(d.T.Context(), now, page.ID, address); err != nil {
		d.T.Fatal(err)
	}
}

// Subscriber makes one who has confirmed.
func (d *Desk) Subscriber(now time.Time, page status.StatusPage, address string) status.StatusSubscriber {
	d.T.Helper()
	d.Subscribe(now, page, address)
	_, tokens := d.Asked(now)
	if len(tokens) != 1 {
		d.T.Fatalf("%d mails ask %s", len(tokens), address)
	}
	found, err := d.Status.ConfirmSubscriber(d.T.Context(), now, page.ID, tokens[0])
	if err != nil {
		d.T.Fatal(err)
	}
	return found
}
