package app_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sett/internal/channel"
	"sett/internal/sett"
)

// integrationsPage is docs/integrations.md as the kinds of channels describe themselves.
func integrationsPage() string {
	var b strings.Builder
	fmt.Fprintf(&b, `# Integrations

<!-- Written by go test ./internal/app -run Integrations -update from the descriptions in internal/channel; edit those. -->

An integration is a place outside that is told of what happens in a project, or an issue tracker. Admins and owners of the
account make them, and admins of a team for the team's projects: under **Settings**, **Channels** of the project, or by the
interface with a token from %s.

%s
The answer alone shows secrets; everywhere else they read %s. An update changes only what it sends, also of the
options, and a secret that is sent back masked stays as it is. To have another secret, send one.

## What it is told

| event | when |
|---|---|
`, code("/me/tokens"), "```sh\n"+example+"```\n", code(channel.Mask))
	for _, e := range sett.AlertEvents() {
		fmt.Fprintf(&b, "| `%s` | %s |\n", e, moments[e])
	}
	b.WriteString(`
A new integration wants ` + eventList(sett.DefaultAlertEvents()) + `. An issue tracker wants nothing unless it is told to, and
can want ` + eventList(sett.TrackerEvents()) + `: then it makes, closes and reopens issues by itself.

` + "`site_ids`, `check_in_ids`" + ` and ` + "`excluded_environments`" + ` narrow what it is told, and ` + "`filters`" + ` by a search
as the list of faults takes it: where there are filters for an event, or for ` + "`all`" + `, the fault must match one of them;
what is about no fault is not held back by them. With
` + "`rate` and `threshold`" + ` it is told of ` + "`rate_exceeded`" + ` when a fault occurs more often than that; without them
` + "`events`" + ` cannot have it. Of more than
` + "`notification_limit`" + ` messages in ten minutes it is told how many they were.

## Quiet hours

At night, at the weekend, or whenever else nobody is to be disturbed, a channel can be told nothing. What happens then waits, and
is told when the quiet hours end: what is about one thing in its order, and that a site was down and is up again in one
message. Flood control counts what waits as one window, so that the morning does not begin with hundreds of
messages: of more than ` + "`notification_limit`" + ` it is told how many they were. Quiet hours are set in the form of the channel, or by the interface:

` + "```json\n" + `{"integration": {"quiet_hours": {"from": "22:00", "to": "07:00", "time_zone": "Europe/Berlin"}}}
` + "```" + `

| field | what it is |
|---|---|
| ` + "`from`, `to`" + ` | When they begin and end, as clocks there show it. An end before the beginning is on the next day, and ` + "`24:00`" + ` the end of a day. |
| ` + "`time_zone`" + ` | Where these clocks stand; UTC when nothing is said. When clocks are moved, the quiet hours move with them. |
| ` + "`days`" + ` | On which they begin: ` + "`mon`, `tue`, `wed`, `thu`, `fri`, `sat` and `sun`" + `; every day when nothing is said. From ` + "`00:00` to `24:00`" + ` on ` + "`sat` and `sun`" + ` is the weekend. |
| ` + "`urgent_at_once`" + ` | Urgent events do not wait: ` + eventList(sett.UrgentEvents()) + `. True when nothing is said. What waits about the same site, check-in or fault is told before, so that nothing is told in the wrong order. |

Quiet hours are sent as a whole, and ` + "`null`" + ` ends them; whoever changes or ends them changes what waits already. A test and what
people send again is sent at once. What could not be sent before they began is tried again when they end. Issue trackers have none.
The log and ` + "`quiet_until`" + ` of deliveries say what waits.

## Whether it works

**Send test** tries one out, and its page lists what it was told, with every try and what came back; what did not arrive can be sent again. By
the interface, ` + "`POST …/integrations/<id>/test`" + ` is the test, ` + "`GET …/integrations/<id>/deliveries`" + ` the list, and ` + "`POST …/deliveries/<id>/redeliver`" + ` sends one again. An integration that could not be told something for good
has ` + "`failed_at` and `problem`" + ` until it is changed, or works again.

## Types

` + "`GET /v2/integration_kinds`" + ` has the same for programs. All values are strings.
`)
	for _, k := range channel.Kinds() {
		fmt.Fprintf(&b, "\n### %s\n\n`%s`: %s\n\n| option | what it is |\n|---|---|\n", k.Name, k.Type, k.About)
		for _, o := range k.AllOptions() {
			fmt.Fprintf(&b, "| `%s` | %s |\n", o.Name, optionText(o))
		}
	}
	return b.String()
}

// example makes an integration and tries it out.
const example = `curl -u "$AUTH_TOKEN:" SETT_ADDRESS/v2/projects/SETT_PROJECT/integrations -H 'Content-Type: application/json' \
  -d '{"integration": {"type": "WebHook", "options": {"url": "https://example.org/hook"}}}'
`

// moments say when each event happens.
var moments = map[sett.AlertEvent]string{
	sett.AlertOccurred:         "a fault is new, occurs again after it was resolved, or for the first time after a pause of a number of occurrences",
	sett.AlertRateExceeded:     "a fault occurs more often than the integration's threshold",
	sett.AlertResolved:         "a fault was resolved",
	sett.AlertUnresolved:       "a person has reopened a fault",
	sett.AlertAssigned:         "a fault was assigned to somebody",
	sett.AlertCommented:        "somebody wrote a comment",
	sett.AlertDeployed:         "a deploy was recorded",
	sett.AlertVolumeSpike:      "a fault occurs far more often than it usually does",
	sett.AlertDown:             "a site went down",
	sett.AlertUp:               "a site is up again",
	sett.AlertCertWillExpire:   "a certificate of a site ends soon",
	sett.AlertCheckInMissing:   "a check-in did not report in time",
	sett.AlertCheckInReporting: "a check-in that was missing reports again",
}

func eventList(events []sett.AlertEvent) string {
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
		text += " By default `" + o.Default + "`."
	}
	if o.Generate != nil {
		text += " Made by sett where it is not sent."
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
	for _, e := range sett.AlertEvents() {
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
