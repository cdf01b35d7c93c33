package notify

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/alerts"
)

// zulipPayload is what Zulip's webhook reads of a payload (wire.md §5.3, §5.4 and §12).
type zulipPayload struct {
	Event   string
	Message string
	Project struct {
		Name         string
		Environments []struct{ Name string }
	}
	Fault struct {
		Klass       string
		Environment string
		URL         string
	}
	Notice   struct{ URL string }
	Actor    struct{ Name string }
	Assignee struct{ Name string }
	Comment  struct{ Author, Body string }
	Site     struct {
		URL        string
		DetailsURL string `json:"details_url"`
	}
	Outage struct {
		Status int
		Reason string
	}
	CheckIn struct {
		State      string
		DetailsURL string `json:"details_url"`
	} `json:"check_in"`
	Deploy struct {
		Environment   string
		Revision      string
		LocalUsername string `json:"local_username"`
	}
}

// zulipMessage is the grammar of messages: a project with or without its environment, and the rest.
var zulipMessage = regexp.MustCompile(`^\[([^\]/]+)(?:/([^\]]+))?\] (.+)$`)

// readAsZulip returns what such a reader makes of a payload: where it is posted, what it says, and where that leads.
func readAsZulip(t *testing.T, body []byte) (topic, says, leads string) {
	t.Helper()
	var p zulipPayload
	if err := json.Unmarshal(body, &p); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	match := zulipMessage.FindStringSubmatch(p.Message)
	if match == nil {
		t.Fatalf("%q does not match", p.Message)
	}
	environment := match[2]
	if environment == "" && len(p.Project.Environments) > 0 {
		environment = p.Project.Environments[0].Name
	}
	topic, says = match[1]+" / "+environment, match[3]
	switch p.Event {
	case "occurred", "rate_exceeded":
		return topic, says, p.Notice.URL
	case "assigned":
		return topic, p.Actor.Name + " gave " + p.Fault.Klass + " to " + p.Assignee.Name, p.Fault.URL
	case "commented":
		return topic, p.Comment.Author + ": " + p.Comment.Body, p.Fault.URL
	case "resolved", "unresolved", "volume_spike":
		return topic, says, p.Fault.URL
	case "down", "up":
		return topic, says + " " + p.Outage.Reason, p.Site.DetailsURL
	case "cert_will_expire", "slow", "fast":
		return topic, says, p.Site.DetailsURL
	case "check_in_missing", "check_in_failed", "check_in_reporting":
		return topic, p.CheckIn.State + ": " + says, p.CheckIn.DetailsURL
	case "deployed":
		return topic, p.Deploy.LocalUsername + " deployed " + p.Deploy.Revision + " to " + p.Deploy.Environment, ""
	}
	return topic, says, ""
}

func TestZulipReadsEveryEvent(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	const fault, notice = "https://sett.example.org/projects/1/faults/1", "https://sett.example.org/projects/1/faults/1/11223344-5566-4788-99aa-bbccddeeff01"
	site, checkIn := "https://sett.example.org/projects/1/sites/"+s.site.ID.String(), "https://sett.example.org/projects/1/check_ins/"+s.checkIn.ID
	const topic = "Shop / production"
	want := map[alerts.AlertEvent][3]string{
		alerts.AlertOccurred:         {topic, "RuntimeError: boom <b> now", notice},
		alerts.AlertRateExceeded:     {topic, "RuntimeError has occurred 2 time(s) in the past hour", notice},
		alerts.AlertResolved:         {topic, "RuntimeError resolved by Ann O'Dell", fault},
		alerts.AlertUnresolved:       {topic, "RuntimeError marked as unresolved by Ann O'Dell", fault},
		alerts.AlertAssigned:         {topic, "Ann O'Dell gave RuntimeError to Bob", fault},
		alerts.AlertCommented:        {topic, "Ann O'Dell: Look at\n\tpay: it <raises>.", fault},
		alerts.AlertVolumeSpike:      {topic, "RuntimeError happens 15.0 times as often as usual: 120 times in the last 10 minutes", fault},
		alerts.AlertDown:             {topic, "Front is down. Expected 2xx status code -- got 503", site},
		alerts.AlertUp:               {topic, "Front is back up after 1m 23s. Expected 2xx status code -- got 503", site},
		alerts.AlertSlow:             {topic, "Front is slow.", site},
		alerts.AlertFast:             {topic, "Front is fast again after 1m 23s.", site},
		alerts.AlertCertWillExpire:   {topic, "SSL certificate for Front will expire on 1/2/2027 11:22:41 UTC", site},
		alerts.AlertCheckInMissing:   {topic, "missing: MISSING: Backup hasn't checked in for 2 minutes", checkIn},
		alerts.AlertCheckInFailed:    {topic, "failing: FAILED: Backup reported a failure", checkIn},
		alerts.AlertCheckInReporting: {topic, "reporting: REPORTING: Backup is reporting again", checkIn},
		alerts.AlertAlarm:            {topic, "ALERT: Payments is in alert status", ""},
		alerts.AlertAlarmOK:          {topic, "OK: Payments is no longer in alert status", ""},
		alerts.AlertDeployed:         {topic, "josh deployed 4f2a9c1 to production", ""},
		alerts.AlertFlooded:          {topic, "and 42 more in the last 10 minutes", ""},
	}
	for _, e := range append(alerts.AlertEvents(), alerts.AlertFlooded) {
		topic, says, leads := readAsZulip(t, s.compose(s.alert(e)).Body)
		if diff := cmp.Diff(want[e], [3]string{topic, says, leads}); diff != "" {
			t.Errorf("%s (-want +got):\n%s", e, diff)
		}
	}
}

// A project that never had an environment has one for such readers all the same, and what is gone leads somewhere.
func TestZulipReadsWhatIsNotThere(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	bare, err := s.Accounts.CreateProject(t.Context(), s.now, ann.ID, s.setup.AccountID, accounts.ProjectChange{Name: sett.Some("Bare")})
	s.must(err)
	down := s.alert(alerts.AlertDown, func(a *alerts.Alert) { a.ProjectID = bare.ID })
	if topic, _, _ := readAsZulip(t, s.compose(down).Body); topic != "Bare / production" {
		t.Errorf("topic %q", topic)
	}
	s.checkSchema(s.compose(down))
	s.gone(false)
	if _, _, leads := readAsZulip(t, s.compose(s.alert(alerts.AlertRateExceeded)).Body); !strings.HasPrefix(leads, "https://sett.example.org/projects/1/faults/1/") {
		t.Errorf("leads to %q", leads)
	}
}
