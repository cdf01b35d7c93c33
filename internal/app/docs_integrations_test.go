package app_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sett/internal/notify"
	"sett/internal/notify/channel"
	"sett/internal/sett/alerts"
)

// integrationsPage is docs/integrations.md as the kinds of channels describe themselves.
func integrationsPage() string {
	var b strings.Builder
	fmt.Fprintf(&b, `# Channels

<!-- Written by go test ./internal/app -run Integrations -update from the descriptions in internal/notify/channel; edit those. -->

A channel sends notifications of a project to a chat, a pager, a mailbox or a webhook, or creates issues in an issue
tracker. The API calls channels *integrations*, and errors *faults*.

To add one, open **Settings**, **Channels** in the project: choose a kind, enter its address, and select **Add and send test**. What it sends has
defaults, which the page states and which you can change there. You can also send a request with a token from %s. Owners and admins
of the account can add channels to every project, and admins of a team to the team's projects.

%s
Only this response shows the secrets; after that they read %s. An update changes only the fields and options that you
send. A masked secret that you send back stays unchanged. To replace a secret, send the new value.

## Events

| event | when |
|---|---|
`, code("/me/tokens"), "```sh\n"+exampleRequest+"```\n", code(channel.Mask))
	for _, e := range alerts.AlertEvents() {
		fmt.Fprintf(&b, "| `%s` | %s |\n", e, moments[e])
	}
	b.WriteString(`
A new channel gets ` + eventList(alerts.DefaultAlertEvents()) + `.
To choose others, set ` + "`events`" + `.

Issue trackers get no events by default. They accept ` + eventList(alerts.TrackerEvents()) + `, and then create, close and
reopen issues automatically. GitHub, GitLab, Jira and Linear also accept ` + "`commented`" + `; see
[Issues both ways](#issues-both-ways).

A message counts as delivered when the service says so in its own form. Another response with the status 200, such as the login page of a
network, is a failure, and the message is sent again. A ` + "`WebHook`" + ` may answer anything with a status from 200 to 299.

**Who is notified** in the project settings, under **Channels**, shows for each event which channels and people receive it, and why. Pages of
errors, sites and check-ins link to the answer for one of them. A message in the log of a channel links to who got it: the log says who did. For those
who did not, the page gives the reason by today’s settings, because reasons are not stored.

![Who is notified: the messages of a project, with the channels and people that receive each](pictures/notified-light.png)

## Filters

| field | effect |
|---|---|
| ` + "`site_ids`" + `, ` + "`check_in_ids`" + ` | Only these sites and check-ins send notifications. Empty: all of them. |
| ` + "`excluded_environments`" + ` | Events in these environments are not sent. |
| ` + "`filters`" + ` | Searches, as in the list of errors, each for one event or for ` + "`all`" + `. The error must match at least one filter of the event. Filters do not affect events without an error, such as ` + "`down`" + `. |
| ` + "`rate`" + `, ` + "`threshold`" + ` | When an error occurs more than ` + "`threshold`" + ` times in the period ` + "`rate`" + ` (` + "`min`" + `, ` + "`hour`" + `, ` + "`wday`" + ` for a day, or ` + "`week`" + `), ` + "`rate_exceeded`" + ` is sent. Required for this event. |
| ` + "`notification_limit`" + ` | The most messages in ten minutes, ` + fmt.Sprint(alerts.DefaultNotificationLimit) + ` by default. Further messages are held and summarised. If sites or check-ins are among them, a message after 10 seconds names those that are down and those that have recovered. Later ones follow after 20, 40 and 80 seconds, and so on. At the end of the ten minutes, a last message counts the rest. |

## Quiet hours

Set quiet hours to get no notifications at night or on weekends. Notifications wait until the quiet hours end. They are then
sent in the order in which they happened for each error, site and check-in. If a site went down and came back up meanwhile, you
get one message. You get at most ` + "`notification_limit`" + ` of the waiting messages, and one more that counts the rest.

Set them in the channel's form or through the API:

` + "```json\n" + `{"integration": {"quiet_hours": {"from": "22:00", "to": "07:00", "time_zone": "Europe/Berlin"}}}
` + "```" + `

| field | description |
|---|---|
| ` + "`from`" + `, ` + "`to`" + ` | Start and end, as local times in ` + "`time_zone`" + `. An end before the start is on the next day; ` + "`24:00`" + ` is the end of the day. |
| ` + "`time_zone`" + ` | The time zone, UTC by default. Quiet hours follow daylight saving time. |
| ` + "`days`" + ` | The days on which quiet hours start: ` + "`mon`" + `, ` + "`tue`" + `, ` + "`wed`" + `, ` + "`thu`" + `, ` + "`fri`" + `, ` + "`sat`" + `, ` + "`sun`" + `. Every day by default. For the weekend, use ` + "`00:00`" + ` to ` + "`24:00`" + ` on ` + "`sat`" + ` and ` + "`sun`" + `. |
| ` + "`urgent_at_once`" + ` | Send urgent events immediately: ` + eventList(alerts.UrgentEvents()) + `. True by default. Waiting messages about the same site, check-in or error are sent first, so that the order stays right. |

Send ` + "`quiet_hours`" + ` as a whole, or ` + "`null`" + ` to remove them. A change also applies to messages that already wait. Tests, and
messages that you send again, do not wait. A message that failed before quiet hours is retried when they end. Issue trackers have no quiet
hours. The delivery log and the field ` + "`quiet_until`" + ` of deliveries show what waits.

` + onCall + `
## Tests and deliveries

**Send test** sends a test message. The channel's page lists its deliveries, with every attempt and its response; you can send a
failed delivery again. Through the API:

| request | result |
|---|---|
| ` + "`POST …/integrations/<id>/test`" + ` | sends a test message |
| ` + "`GET …/integrations/<id>/deliveries`" + ` | lists the deliveries |
| ` + "`POST …/deliveries/<id>/redeliver`" + ` | sends a delivery again |

After a delivery has failed permanently, the channel shows ` + "`failed_at`" + ` and ` + "`problem`" + ` until a delivery succeeds or you
change the channel.

` + payloadsOfWebhooks() + bothWaysOfIssues + `
## Types

` + "`GET /v2/integration_kinds`" + ` returns this list as JSON. All values are strings.
`)
	for _, k := range channel.Kinds() {
		fmt.Fprintf(&b, "\n### %s\n\n`%s`: %s\n\n| option | description |\n|---|---|\n", k.Name, k.Type, k.About)
		for _, o := range k.AllOptions() {
			fmt.Fprintf(&b, "| `%s` | %s |\n", o.Name, optionText(o))
		}
	}
	return b.String()
}

// onCall describes acknowledgements.
var onCall = strings.NewReplacer("´", "`", "EVENTS", eventList(alerts.EscalatingEvents())).Replace(`## On call

Acknowledge a problem to say that you look at it: a site that is down, a check-in that is missing or failing, a raised alarm, or an
unresolved error. Others then see who looks and since when: on the page, in later messages and in the API. The problem itself does not
change. Its end ends the acknowledgement, and the next problem of the same thing needs another one. You can take an acknowledgement back.

| where | how |
|---|---|
| page | the button **Acknowledge** on the page of the site, check-in, alarm or error |
| personal email | the link at its end opens a page with one button. You need not be signed in: the link is yours, so do not forward it |
| chat, channel with addresses | the link **Acknowledge** in Slack, Teams, Discord, Telegram, Google Chat, Mattermost, Zulip, ntfy and email opens the same page, where you sign in |
| command line | ´sett ack´ with the number of an error, or the address of a page |
| API | ´POST /v2/projects/<id>/acknowledgements´ with a ´kind´ and a ´thing_id´ |

Opening a link changes nothing, because mail programs and chats open links by themselves. A link works until the problem of its message
ends. Buttons that act inside of a chat would need an app of your own there, so there are none.

### Escalation

A channel can send on what is not acknowledged in time. Choose the second channel and the minutes in the form of the first one, or through
the API:

´´´json
{"integration": {"escalation": {"channel_id": 7, "minutes": 15}}}
´´´

This is for the events EVENTS. When the time is over and the problem lasts, the second channel gets the message once. It says
“not acknowledged for 15 minutes”. It does not matter which events the second channel selects, nor its filters. It also gets the end of
the problem, so that a pager can close its incident.

- The time counts from when the first channel was notified. If the message waits for the end of its quiet hours, the time counts from then.
- A message that the first channel could not deliver is sent on as well, and so is one that its limit held back.
- Nothing is sent on when the problem has ended, or its error is paused or ignored. The project and the second channel must be on.
- While a maintenance window holds the alerts, sett waits. If the problem lasts at its end, it is sent on then.
- The quiet hours and the limit of the second channel apply. Let its urgent events through at once, which is the default.
- When you take an acknowledgement back after the time, the message is sent on within a minute or so.
- An error that spikes again while it is unresolved is sent on again. Once acknowledged, it is not, until it is resolved and reopened.
- The second channel can escalate to a third one. Two channels can escalate to each other: each problem is sent on once by each.

sett has no schedules and no rotations. Pagers have them, and sett has channels for PagerDuty, Opsgenie and Jira Service Management.

### Prometheus Alertmanager

The channel ´Alertmanager´ fires an alert when something is wrong and resolves it when that ends. The labels are ´alertname´ (´SiteDown´,
´SiteSlow´, ´CheckInProblem´, ´Alarm´, ´Error´ or ´CertificateExpires´), ´severity´, ´project´ and ´sett´. The last one has the address of
the server and what the alert is about. sett sends an alert once, with an end that is far ahead: 30 days, or one day for an error or a
certificate. Alertmanager keeps alerts in memory. After its restart it no longer knows the alert, until sett sends another one about the
same problem. The peers of a cluster do not share alerts, so add a channel for each.

Alertmanager can also report to sett. Each firing alert becomes an error, and its end resolves the error:

´´´yaml
receivers:
  - name: sett
    webhook_configs:
      - url: https://sett.example.org/v1/alertmanager
        send_resolved: true
        http_config:
          authorization: {credentials: hbp_YOUR_API_KEY}
´´´

The API key can also be the password of ´basic_auth´, or the parameter ´key´ of the address. It must be a key that may report everything,
as the end of an alert resolves an error.

| alert | error |
|---|---|
| ´alertname´ | class |
| annotation ´summary´, or else ´description´ | message |
| label ´environment´ or ´env´ | environment |
| label ´job´ or ´service´ | component |
| label ´instance´ | host |
| label ´severity´ | level |
| fingerprint | which error it is; with the start of the alert, which event |

An alert that fires again and again is one event. When it starts anew after its end, the error is reopened with another event. An end
without an error that is known is ignored. Alerts that sett itself sent to that Alertmanager, which have the label ´sett´, are ignored too.
The answer counts what was taken.
`)

// payloadsOfWebhooks compares the versions of payloads.
func payloadsOfWebhooks() string {
	all := notify.PayloadsV3("https://sett.example.org")
	i := slices.IndexFunc(all, func(p notify.Payload) bool { return p.Event == string(alerts.AlertDown) })
	return strings.NewReplacer("´", "`", "DOWN", string(all[i].Example)).Replace(versionsOfPayloads)
}

const versionsOfPayloads = `## Payloads of webhooks

´/docs/webhooks´ on your server describes the payload of each event, with an example and a JSON Schema. Set the option ´payload_version´ of a
webhook to ´v3´ to get payloads of version 3, which ´/docs/webhooks/v3´ describes. They have the objects of the API ´/v3´: ids are strings, and
´links.web´ is the page of each.

| subject | version 2, the default | version 3 |
|---|---|---|
| version | is not named | ´payload_version´ is ´v3´ |
| ids | numbers; of sites, check-ins and alarms strings | strings |
| project | with its users, sites, environments and API key | ´id´, ´name´, ´language´, ´created_at´ and ´links´ |
| who did it | ´actor´, or null | ´actor´, absent if no user did |
| a notice | whole | as in ´/v3´: 20 frames, and ´params´, ´session´ and ´context´ of up to 16 KiB each |
| requests of sites | are not sent | are sent with masked secrets |

A site that is down, in version 3:

´´´json
DOWN
´´´

A channel that you switch gets new messages in the other version. Both versions have at most 256 KiB.
`

// example makes an integration and tries it out.
const exampleRequest = `curl -u "$TOKEN:" SETT_ADDRESS/v2/projects/SETT_PROJECT/integrations -H 'Content-Type: application/json' \
  -d '{"integration": {"type": "WebHook", "options": {"url": "https://example.org/hook"}}}'
`

// moments say when each event happens.
var moments = map[alerts.AlertEvent]string{
	alerts.AlertOccurred:         "an error is new, occurs again after it was resolved, or occurs for the first time after a pause",
	alerts.AlertRateExceeded:     "an error exceeds the channel's `threshold`",
	alerts.AlertResolved:         "a user resolved an error; of errors that a deploy resolves, only issue trackers, PagerDuty, Opsgenie and Jira Service Management are notified",
	alerts.AlertUnresolved:       "a user reopened an error",
	alerts.AlertAssigned:         "an error was assigned to a user",
	alerts.AlertCommented:        "a user commented on an error",
	alerts.AlertDeployed:         "a deploy was recorded",
	alerts.AlertVolumeSpike:      "an error occurs far more often than usual",
	alerts.AlertDown:             "a site went down",
	alerts.AlertUp:               "a site is back up",
	alerts.AlertSlow:             "a site is slow",
	alerts.AlertFast:             "a site is fast again",
	alerts.AlertCertWillExpire:   "a site's certificate expires soon",
	alerts.AlertCheckInMissing:   "a check-in did not report in time",
	alerts.AlertCheckInFailed:    "a job reported that it failed",
	alerts.AlertAlarm:            "the condition of an alarm became true",
	alerts.AlertAlarmOK:          "the condition of an alarm is no longer true",
	alerts.AlertCheckInReporting: "a missing or failing check-in reports a success",
}

func eventList(events []alerts.AlertEvent) string {
	var names []string
	for _, e := range events {
		names = append(names, code(string(e)))
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// optionText says in a cell what an option is.
func optionText(o channel.Option) string {
	text := o.About
	if len(o.Choices) > 0 {
		text += " One of `" + strings.Join(o.Choices, "`, `") + "`."
	}
	if o.Form == channel.Flag {
		text += " `0` or `1`."
	}
	if o.Default != "" {
		text += " Default: `" + o.Default + "`."
	}
	if o.Generate != nil {
		text += " Generated if you do not send one."
	}
	if o.Required {
		text += " (*required*)"
	}
	if o.Secret {
		text += " (*secret*)"
	}
	return strings.ReplaceAll(text, "|", `\|`)
}

func TestIntegrationsPageIsCurrent(t *testing.T) {
	t.Parallel()
	for _, e := range alerts.AlertEvents() {
		if moments[e] == "" {
			t.Errorf("the page does not say when %s happens", e)
		}
	}
	file := filepath.Join(root, "docs/integrations.md")
	if *update {
		if err := os.WriteFile(file, []byte(integrationsPage()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(integrationsPage(), string(text)); diff != "" {
		t.Errorf("docs/integrations.md is stale; run go test ./internal/app -run Integrations -update (-want +got):\n%s", diff)
	}
}
