package settings

import (
	"net/url"
	"strconv"
	"strings"

	"sett/internal/base/phrase"
	"sett/internal/notify/channel"
	"sett/internal/sett"
	"sett/internal/sett/alerts"
	"sett/internal/web"
)

// escalationPrefix is the prefix of field names in forms and in problems.
const escalationPrefix = "escalation."

// escalationFields returns where a channel sends its urgent messages on to; none if the project has no other channel.
func escalationFields(i alerts.Integration, all []alerts.Integration) web.Fields {
	choices := web.Choices("", "–")
	for _, other := range all {
		if kind, ok := channel.Find(other.Type); ok && !kind.Tracker && other.ID != i.ID {
			choices = append(choices, web.Choice{Value: strconv.FormatInt(other.ID, 10), Label: other.Name()})
		}
	}
	if len(choices) == 1 {
		return nil
	}
	to, minutes := "", "15"
	if i.Escalation != nil {
		to, minutes = strconv.FormatInt(i.Escalation.ChannelID, 10), strconv.FormatInt(i.Escalation.Minutes, 10)
	}
	return web.Fields{
		{Name: escalationPrefix + "channel_id", Label: "Escalate to", Value: to, Choices: choices, Optional: true, Hint: "Gets messages about outages, check-ins, alarms and error spikes that are not acknowledged in time."},
		{Name: escalationPrefix + "minutes", Label: "Escalate after (minutes)", Kind: "number", Value: minutes, Optional: true},
	}
}

// escalationIn returns the escalation in a form; a form without the field changes nothing.
func escalationIn(form url.Values) sett.Optional[alerts.EscalationChange] {
	const name = escalationPrefix + "channel_id"
	switch to := strings.TrimSpace(form.Get(name)); {
	case !form.Has(name):
		return sett.Optional[alerts.EscalationChange]{}
	case to == "":
		return sett.Optional[alerts.EscalationChange]{Sent: true, Null: true}
	default:
		return sett.Some(alerts.EscalationChange{ChannelID: number(to), Minutes: number(form.Get(escalationPrefix + "minutes"))})
	}
}

// sentEscalation returns the escalation with the sent values, even if they are invalid.
func sentEscalation(before *alerts.Escalation, c sett.Optional[alerts.EscalationChange]) *alerts.Escalation {
	switch {
	case !c.Sent:
		return before
	case c.Null:
		return nil
	}
	return &alerts.Escalation{ChannelID: c.Value.ChannelID.Value, Minutes: c.Value.Minutes.Value}
}

// onward says where and when the messages of a channel are sent on; "" for nowhere.
func onward(i alerts.Integration, among []alerts.Integration) string {
	if i.Escalation == nil {
		return ""
	}
	for _, to := range among {
		switch {
		case to.ID != i.Escalation.ChannelID:
		case !to.Active:
			return "to nowhere: " + to.Name() + " is turned off"
		default:
			return "to " + to.Name() + " after " + phrase.Count(i.Escalation.Minutes, "minute") + " without an acknowledgement"
		}
	}
	return ""
}

// withEscalated adds to what a channel sends that other channels send on to it.
func withEscalated(wants string, i alerts.Integration, among []alerts.Integration) string {
	var from []string
	for _, one := range among {
		if one.Escalation != nil && one.Escalation.ChannelID == i.ID {
			from = append(from, one.Name())
		}
	}
	switch {
	case len(from) == 0:
		return wants
	case wants == noEvents:
		return "Only what escalates from " + phrase.And(from) + "."
	}
	return wants + " Also what escalates from " + phrase.And(from) + "."
}
