package uptime_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"sett/internal/sett/accounts"
)

func (d *desk) maintenance() string {
	return fmt.Sprintf("/projects/%d/maintenance", d.s.Setup.ProjectID)
}

// A window is started, shown on the pages of what it is for, edited, ended and deleted.
func TestMaintenancePages(t *testing.T) {
	t.Parallel()
	d := newDesk(t, accounts.Member, true)
	path := d.maintenance()
	d.Get(path).Want(200, "New maintenance window", d.site.Name, "Backup").CheckPage()
	d.Post(path, "reason", "<b>Upgrade", "zone", "Europe/Berlin", "starts_at", "", "ends_at", "", "site", d.site.ID.String()).Leads(path + "?done=maintenance_started")
	d.Get(path).Want(200, "active", "&lt;b&gt;Upgrade", "when you end it", "1 site", "End now", "Ann").CheckPage()
	d.Get(d.sitePath).Want(200, "Notifications are held.", "&lt;b&gt;Upgrade").CheckPage()
	d.Get(d.sites).Want(200, "Notifications are held.").CheckPage()
	d.Get(d.checkInPath).Want(200).Lacks("Notifications are held.")

	d.Get(path+"/1/edit").Want(200, "ends_at").CheckPage().Lacks("starts_at")
	until := d.s.Clock.Now().Add(90 * time.Minute).UTC()
	d.Post(path+"/1", "reason", "Upgrade", "zone", "UTC", "ends_at", until.Add(-24*time.Hour).Format("2006-01-02T15:04")).Want(422, "must be")
	d.Post(path+"/1", "reason", "Upgrade", "zone", "UTC", "ends_at", until.Format("2006-01-02T15:04")).Leads(path + "?done=saved")
	d.Get(d.sitePath).Want(200, "until <time datetime=\""+until.Truncate(time.Minute).Format(time.RFC3339))
	d.Post(path+"/1/delete").Want(409, "End it first")
	d.Post(path + "/1/end").Leads(path + "?done=maintenance_ended")
	d.Get(d.sitePath).Want(200).Lacks("Notifications are held.")
	d.Get(path + "/1/edit").Want(409)

	tomorrow := d.s.Clock.Now().Add(24 * time.Hour).UTC()
	d.Post(path, "zone", "UTC", "starts_at", tomorrow.Format("2006-01-02T15:04"), "ends_at", "nonsense", "errors", "true").Want(422, "Ends (", "must be a time", "checked")
	d.Post(path, "zone", "UTC", "starts_at", tomorrow.Format("2006-01-02T15:04"), "ends_at", "", "errors", "true").Leads(path + "?done=maintenance_planned")
	d.Get(path).Want(200, "planned", "all sites and check-ins, errors").CheckPage()
	d.Get(path+"/2/edit").Want(200, "starts_at", "checked").CheckPage()
	d.Post(path+"/2", "zone", "UTC", "starts_at", tomorrow.Format("2006-01-02T15:04"), "ends_at", "", "check_in", d.checkIn.ID).Leads(path + "?done=saved")
	d.Get(path).Want(200, "1 check-in").Lacks("errors</td>")
	d.Get(path).Want(200, "planned", "1 check-in")
	d.Post(path+"/2", "zone", "UTC", "starts_at", "", "ends_at", "", "check_in", d.checkIn.ID).Leads(path + "?done=saved")
	d.Get(path).Want(200, "active").Lacks("planned")
	d.Post(path + "/2/end").Leads(path + "?done=maintenance_ended")
	d.Post(path, "zone", "UTC", "starts_at", tomorrow.Format("2006-01-02T15:04"), "ends_at", "").Leads(path + "?done=maintenance_planned")
	d.Post(path + "/3/delete").Leads(path + "?done=maintenance_deleted")
	d.Get(path + "/3/edit").Want(404)
	if body := d.Get(d.checkInPath).Body; strings.Contains(body, "Notifications are held.") {
		t.Error("a window that was deleted is shown")
	}
}

// A planned window of a site and a check-in that were deleted stays theirs when its form is sent as it is: without them it would be for all.
func TestMaintenanceOfDeleted(t *testing.T) {
	t.Parallel()
	d := newDesk(t, accounts.Member, true)
	path, site, checkIn := d.maintenance(), d.site.ID.String(), d.checkIn.ID
	tomorrow := d.s.Clock.Now().Add(24 * time.Hour).UTC().Format("2006-01-02T15:04")
	d.Post(path, "zone", "UTC", "starts_at", tomorrow, "ends_at", "", "site", site, "check_in", checkIn).Leads(path + "?done=maintenance_planned")
	d.Post(d.sitePath + "/delete").Want(303)
	d.Post(d.checkInPath + "/delete").Want(303)
	for _, id := range []string{site, checkIn} {
		d.Get(path+"/1/edit").Want(200, `value="`+id+`" checked`).CheckPage()
		d.Post(path+"/1", "zone", "UTC", "starts_at", tomorrow, "ends_at", "nonsense", "site", site, "check_in", checkIn).Want(422, `value="`+id+`" checked`)
	}
	d.Post(path+"/1", "zone", "UTC", "starts_at", tomorrow, "ends_at", "", "site", site, "check_in", checkIn).Leads(path + "?done=saved")
	d.Get(path).Want(200, "1 site, 1 check-in")
}
