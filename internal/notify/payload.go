package notify

import (
	"encoding/json"
	"fmt"

	"sett/internal/sett"
	"sett/internal/sett/alerts"
)

// payloadHead has the first members of every payload.
type payloadHead struct {
	Event     string   `json:"event"`
	Message   string   `json:"message" doc:"The alert in one line, which starts with [project/environment] or [project]."`
	Test      bool     `json:"test,omitempty" doc:"True for a test of the channel. The data is a sample."`
	Shortened []string `json:"shortened,omitempty" doc:"The members that were shortened because the payload was too large."`
}

// noticedPayload is the payload of occurred and rate_exceeded.
type noticedPayload struct {
	payloadHead
	Project projectBlock `json:"project"`
	Fault   faultBlock   `json:"fault"`
	Notice  *noticeBlock `json:"notice" doc:"The newest notice; null when unknown."`
}

// changedPayload is the payload of a change of one or more faults.
type changedPayload struct {
	payloadHead
	Project  projectBlock `json:"project"`
	Actor    *sett.Person `json:"actor" doc:"The user who made the change; null when no user did."`
	Fault    *faultBlock  `json:"fault,omitempty" doc:"Absent when several faults were changed at once."`
	FaultIDs []int64      `json:"fault_ids,omitempty" doc:"The faults that were changed at once, instead of fault."`
}

// assignedPayload is the payload of assigned.
type assignedPayload struct {
	payloadHead
	Project  projectBlock `json:"project"`
	Actor    *sett.Person `json:"actor" doc:"The user who made the change; null when no user did."`
	Fault    *faultBlock  `json:"fault,omitempty" doc:"Absent when several faults were assigned at once."`
	FaultIDs []int64      `json:"fault_ids,omitempty" doc:"The faults that were assigned at once, instead of fault; at most the first 1,000."`
	Count    int64        `json:"faults_count,omitempty" doc:"Number of faults that were assigned at once."`
	Assignee *sett.Person `json:"assignee" doc:"Null when the fault was unassigned, or assigned to a team."`
}

// commentedPayload is the payload of commented.
type commentedPayload struct {
	payloadHead
	Project projectBlock `json:"project"`
	Actor   *sett.Person `json:"actor" doc:"The author."`
	Fault   faultBlock   `json:"fault"`
	Comment commentBlock `json:"comment"`
}

// spikePayload is the payload of volume_spike.
type spikePayload struct {
	payloadHead
	Project     projectBlock      `json:"project"`
	Fault       faultBlock        `json:"fault"`
	VolumeSpike alerts.SpikeFacts `json:"volume_spike"`
}

// deployedPayload is the payload of deployed.
type deployedPayload struct {
	payloadHead
	Project projectBlock `json:"project"`
	Deploy  *deployBlock `json:"deploy"`
}

// outagePayload is the payload of down and up.
type outagePayload struct {
	payloadHead
	Project projectBlock `json:"project"`
	Site    siteBlock    `json:"site"`
	Outage  outageBlock  `json:"outage"`
}

// pacePayload is the payload of slow and fast.
type pacePayload struct {
	payloadHead
	Project projectBlock `json:"project"`
	Site    siteBlock    `json:"site"`
	Slow    slowBlock    `json:"slow"`
}

// certificatePayload is the payload of cert_will_expire.
type certificatePayload struct {
	payloadHead
	Project projectBlock `json:"project"`
	Site    siteBlock    `json:"site"`
}

// checkInPayload is the payload of check_in_missing, check_in_failed and check_in_reporting.
type checkInPayload struct {
	payloadHead
	Project projectBlock `json:"project"`
	CheckIn checkInBlock `json:"check_in"`
}

// alarmPayload is the payload of alarm_alert and alarm_ok.
type alarmPayload struct {
	payloadHead
	Project projectBlock `json:"project"`
	Alarm   alarmBlock   `json:"alarm"`
}

// floodedPayload is the payload of flooded.
type floodedPayload struct {
	payloadHead
	Project projectBlock     `json:"project"`
	Held    alerts.HeldFacts `json:"held" doc:"The messages that were held back."`
}

// payload is the webhook payload of an alert.
func (s *alertContext) payload(text string) any {
	head := payloadHead{Event: string(s.Event), Message: text, Test: s.Facts.Test}
	project, facts := s.projectBlock(), s.Facts
	switch s.Event {
	case alerts.AlertOccurred, alerts.AlertRateExceeded:
		return noticedPayload{head, project, s.faultBlock(), s.noticeBlock()}
	case alerts.AlertAssigned:
		return s.assignedPayload(head)
	case alerts.AlertCommented:
		return commentedPayload{head, project, facts.Actor, s.faultBlock(), s.commentBlock()}
	case alerts.AlertVolumeSpike:
		return spikePayload{head, project, s.faultBlock(), *facts.Spike}
	case alerts.AlertDeployed:
		return deployedPayload{head, project, blockOfDeploy(s.deploy)}
	case alerts.AlertDown, alerts.AlertUp:
		return outagePayload{head, project, s.siteBlock(), s.outageBlock()}
	case alerts.AlertSlow, alerts.AlertFast:
		return pacePayload{head, project, s.siteBlock(), s.slowBlock()}
	case alerts.AlertCertWillExpire:
		return certificatePayload{head, project, s.siteBlock()}
	case alerts.AlertCheckInMissing, alerts.AlertCheckInFailed, alerts.AlertCheckInReporting:
		return checkInPayload{head, project, s.checkInBlock()}
	case alerts.AlertAlarm, alerts.AlertAlarmOK:
		return alarmPayload{head, project, s.alarmBlock()}
	case alerts.AlertFlooded:
		return floodedPayload{head, project, *facts.Held}
	default: // resolved, unresolved, and requests to issue trackers
		return s.changedPayload(head)
	}
}

func (s *alertContext) changedPayload(head payloadHead) changedPayload {
	p := changedPayload{payloadHead: head, Project: s.projectBlock(), Actor: s.Facts.Actor, FaultIDs: s.Facts.FaultIDs}
	if s.fault != nil {
		fault := s.faultBlock()
		p.Fault, p.FaultIDs = &fault, nil
	}
	return p
}

func (s *alertContext) assignedPayload(head payloadHead) assignedPayload {
	c := s.changedPayload(head)
	p := assignedPayload{payloadHead: head, Project: c.Project, Actor: c.Actor, Fault: c.Fault, FaultIDs: c.FaultIDs, Assignee: s.Facts.Assignee}
	if p.Assignee.IsTeam() {
		p.Assignee = nil
	}
	if p.Fault == nil {
		p.Count = s.faultsCount()
	}
	return p
}

// Payload documents the webhook payload of an event.
type Payload struct {
	Event   string // the value of the member event, or type
	About   string // a sentence: when it is sent
	Type    any    // a value of the struct that is sent as JSON
	Example []byte // JSON
}

// Payloads returns the payloads of all webhook events, with URLs under baseURL. It panics if an example cannot be encoded,
// which would be a bug.
func Payloads(baseURL string) []Payload {
	var all []Payload
	for _, e := range append(alerts.AlertEvents(), alerts.AlertFlooded) {
		s := sampleContext(e, baseURL)
		m, err := s.message()
		if err != nil {
			panic(fmt.Errorf("write example of %s: %w", e, err))
		}
		all = append(all, Payload{Event: string(e), About: aboutEvent(e), Type: s.payload(m.Text), Example: indented(m.Body)})
	}
	return all
}

func indented(body json.RawMessage) []byte {
	text, err := json.MarshalIndent(body, "", "  ")
	if err != nil {
		panic(fmt.Errorf("indent example: %w", err)) // it was written by encoding/json
	}
	return text
}

// aboutEvent describes when an event is sent.
func aboutEvent(e alerts.AlertEvent) string {
	return map[alerts.AlertEvent]string{
		alerts.AlertOccurred:         "A fault occurred for the first time, after it was resolved, or after a pause ended.",
		alerts.AlertRateExceeded:     "A fault occurred more often within a period than the threshold of the integration allows.",
		alerts.AlertResolved:         "A user resolved one or more faults. For faults that a deploy resolves, only deployed is sent.",
		alerts.AlertUnresolved:       "A user marked one or more faults as unresolved.",
		alerts.AlertAssigned:         "One or more faults were assigned or unassigned. A bulk change sends one message.",
		alerts.AlertCommented:        "A user commented on a fault.",
		alerts.AlertDeployed:         "A deploy was recorded.",
		alerts.AlertVolumeSpike:      "A fault occurs much more often than usual.",
		alerts.AlertDown:             "A site is down.",
		alerts.AlertUp:               "A site that was down is up again.",
		alerts.AlertSlow:             "A site responds more slowly than its limit allows. It is up.",
		alerts.AlertFast:             "A site that was slow is fast again.",
		alerts.AlertCertWillExpire:   "The certificate of a site expires soon.",
		alerts.AlertCheckInMissing:   "A job did not report in time.",
		alerts.AlertCheckInFailed:    "A job reported that it failed.",
		alerts.AlertCheckInReporting: "A job that had missed reports or failed has succeeded.",
		alerts.AlertAlarm:            "The condition of an alarm became true.",
		alerts.AlertAlarmOK:          "The condition of an alarm is no longer true.",
		alerts.AlertFlooded:          "The integration reached its limit of messages in ten minutes, and the rest were held back; or it summarizes what happened during quiet hours.",
	}[e]
}
