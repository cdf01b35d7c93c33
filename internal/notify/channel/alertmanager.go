package channel

import (
	"context"
	"encoding/base64"
	"net/http"
	"slices"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/alerts"
)

// alertmanager posts alerts to the API of Alertmanager (github.com/prometheus/alertmanager, api/v2/openapi.yaml, postAlerts), which has no
// body in its answer. Alertmanager takes an alert as resolved once its endsAt is over, so that is far ahead while a problem lasts, and the
// recovery sends the same labels with an endsAt that is over. Peers of a cluster share what they
// notified of, and not alerts: each needs a channel.
func alertmanager() Kind {
	return Kind{
		Type: "Alertmanager", Name: "Alertmanager",
		About: "Fires an alert on failure and resolves it on recovery. To resolve alerts about errors before a day is over, also select “Error resolved”.",
		Options: []Option{
			{Name: "url", Label: "Address", About: "URL of Alertmanager, such as http://alertmanager.example.org:9093. Add a channel for each peer of a cluster.", Form: Address, Required: true},
			{Name: "user", Label: "User", About: "User, if it asks for a password.", Form: Text},
			{Name: "password", Label: "Password", About: "Password of the user.", Form: Text, Secret: true},
			{Name: "token", Label: "Bearer token", About: "Instead of a user: a token for the header Authorization.", Form: Text, Secret: true},
			{Name: "severity", Label: "Severity", About: "Value of the label severity.", Form: Choice, Choices: []string{"critical", "warning", "info"}, Default: "critical"},
		},
		Check: checkAlertmanager,
		Make:  makeAlertmanager,
	}
}

func checkAlertmanager(p *sett.Problems, v Values) {
	if v["user"] == "" && v["password"] != "" {
		p.Add("options.user", "can't be blank with a password")
	}
}

func makeAlertmanager(t Tools, v Values) Sender {
	s := alertmanagerSender{Tools: t, values: v}
	switch {
	case v["token"] != "":
		s.header = http.Header{"Authorization": {"Bearer " + v["token"]}}
	case v["user"] != "":
		login := base64.StdEncoding.EncodeToString([]byte(v["user"] + ":" + v["password"]))
		s.secrets = append(slices.Clip(t.secrets), login)
		s.header = http.Header{"Authorization": {"Basic " + login}}
	}
	return s
}

type alertmanagerSender struct {
	Tools
	values Values
	header http.Header
}

// alertmanagerAlert is an alert as the API takes it. Its labels are its identity.
type alertmanagerAlert struct {
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations"`
	StartsAt    *time.Time        `json:"startsAt,omitempty"` // none: the same as before, or EndsAt
	EndsAt      time.Time         `json:"endsAt"`
	Generator   string            `json:"generatorURL"`
}

func (s alertmanagerSender) Send(ctx context.Context, m Message) (Receipt, error) {
	if m.Mood != Trouble && m.Mood != Recovery {
		return Receipt{Note: nothingToSend}, nil
	}
	a, err := s.postJSON(ctx, under(s.values["url"], "api", "v2", "alerts"), s.header, []alertmanagerAlert{s.alert(m.brief())})
	return Receipt{Status: a.status}, acknowledged("Alertmanager", a, err, !a.isPage())
}

// How long an alert fires without an end: one about an error a day, as errors seldom end, and others as long as an outage may last.
const (
	alertmanagerError   = 24 * time.Hour
	alertmanagerProblem = 30 * 24 * time.Hour
)

// alertmanagerNames are the values of the label alertname by the kind of the subject.
var alertmanagerNames = map[string]string{
	alerts.SiteKind: "SiteDown", "slow_site": "SiteSlow", alerts.CheckInKind: "CheckInProblem", alerts.AlarmKind: "Alarm", alerts.FaultKind: "Error",
}

func (s alertmanagerSender) alert(m Message) alertmanagerAlert {
	severity := s.values["severity"]
	if severity == "" {
		severity = "critical"
	}
	name, lasts := alertmanagerNames[m.Subject.Kind()], alertmanagerProblem
	switch {
	case m.Event == alerts.AlertCertWillExpire: // has the subject of the site, and no end
		name, lasts = "CertificateExpires", alertmanagerError
	case m.Subject.Kind() == alerts.FaultKind:
		lasts = alertmanagerError
	case name == "":
		name, lasts = "Notification", alertmanagerError
	}
	at := m.At.UTC()
	alert := alertmanagerAlert{
		Labels:      map[string]string{"alertname": name, "severity": severity, "project": m.Project, alerts.AlertmanagerLabel: m.key()},
		Annotations: map[string]string{"summary": m.Text, "description": m.plain(4000)}, EndsAt: at, Generator: m.URL,
	}
	if m.Mood == Trouble {
		alert.StartsAt, alert.EndsAt = &at, at.Add(lasts)
	}
	return alert
}
