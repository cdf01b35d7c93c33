package notify

import (
	"fmt"

	"sett/internal/sett/alerts"
	"sett/internal/sett/shape"
)

// headV3 has the members of every payload of version 3. The objects beside them are those of the API /v3.
type headV3 struct {
	Event     string            `json:"event"`
	Message   string            `json:"message" doc:"The alert in one line, which starts with [project/environment] or [project]."`
	Version   string            `json:"payload_version" enum:"v3"`
	Test      bool              `json:"test,omitempty" doc:"True for a test of the channel. The data is a sample."`
	Shortened []string          `json:"shortened,omitempty" doc:"The members that were shortened because the payload was too large."`
	Project   shape.ProjectName `json:"project"`
	Links     shape.Links       `json:"links"`
	Actor     *actorV3          `json:"actor,omitempty" doc:"The user who did it; absent when no user did."`
}

// noticedV3 is the payload of occurred and rate_exceeded.
type noticedV3 struct {
	headV3
	Fault  shape.Fault   `json:"fault"`
	Notice *shape.Notice `json:"notice" doc:"The newest notice; null when unknown."`
}

// changedV3 is the payload of resolved and unresolved.
type changedV3 struct {
	headV3
	Fault    *shape.Fault `json:"fault,omitempty" doc:"Absent when several faults were changed at once."`
	FaultIDs []shape.ID   `json:"fault_ids,omitempty" doc:"The faults that were changed at once, instead of fault; at most the first 1,000."`
}

// assignedV3 is the payload of assigned.
type assignedV3 struct {
	changedV3
	Count    int64         `json:"faults_count,omitempty" doc:"Number of faults that were assigned at once."`
	Assignee *shape.Person `json:"assignee" doc:"Null when the fault was unassigned, or assigned to a team."`
}

// commentedV3 is the payload of commented.
type commentedV3 struct {
	headV3
	Fault   shape.Fault   `json:"fault"`
	Comment shape.Comment `json:"comment"`
}

// spikedV3 is the payload of volume_spike.
type spikedV3 struct {
	headV3
	Fault       shape.Fault `json:"fault"`
	VolumeSpike spikeV3     `json:"volume_spike"`
}

// deployedV3 is the payload of deployed.
type deployedV3 struct {
	headV3
	Deploy *shape.Deploy `json:"deploy"`
}

// outageV3 is the payload of down and up.
type outageV3 struct {
	headV3
	Site   shape.Site    `json:"site"`
	Outage *shape.Outage `json:"outage" doc:"Null when its start is not known."`
}

// paceV3 is the payload of slow and fast.
type paceV3 struct {
	headV3
	Site shape.Site  `json:"site"`
	Slow slowFigures `json:"slow"`
}

// certificateV3 is the payload of cert_will_expire.
type certificateV3 struct {
	headV3
	Site shape.Site `json:"site"`
}

// checkedInV3 is the payload of check_in_missing, check_in_failed and check_in_reporting.
type checkedInV3 struct {
	headV3
	CheckIn shape.CheckIn `json:"check_in"`
}

// alarmV3 is the payload of alarm_alert and alarm_ok.
type alarmV3 struct {
	headV3
	Alarm shape.Alarm `json:"alarm"`
}

// floodedV3 is the payload of flooded.
type floodedV3 struct {
	headV3
	Held alerts.HeldFacts `json:"held" doc:"The messages that were held back."`
}

// payloadV3 is the webhook payload of an alert, version 3.
func (s *alertContext) payloadV3(text string) any {
	at, facts, page := s.place(), s.Facts, s.page()
	head := headV3{
		Event: string(s.Event), Message: text, Version: "v3", Test: facts.Test, Project: shape.ProjectNameOf(s.project, at), Links: shape.Links{Web: &page},
		Actor: actorOf(facts.Actor),
	}
	switch s.Event {
	case alerts.AlertOccurred, alerts.AlertRateExceeded:
		return noticedV3{head, s.faultV3(), shape.NoticeOf(s.notice, at)}
	case alerts.AlertAssigned:
		return s.assignedV3(head)
	case alerts.AlertCommented:
		return commentedV3{head, s.faultV3(), shape.CommentOf(*facts.Comment, facts.Actor, at)}
	case alerts.AlertVolumeSpike:
		return spikedV3{head, s.faultV3(), spikeOf(*facts.Spike)}
	case alerts.AlertDeployed:
		return deployedV3{head, shape.DeployOf(s.deploy)}
	case alerts.AlertDown, alerts.AlertUp:
		return outageV3{head, s.siteV3(), shape.OutageOf(*facts.Site, at)}
	case alerts.AlertSlow, alerts.AlertFast:
		return paceV3{head, s.siteV3(), s.slowFigures()}
	case alerts.AlertCertWillExpire:
		return certificateV3{head, s.siteV3()}
	case alerts.AlertCheckInMissing, alerts.AlertCheckInFailed, alerts.AlertCheckInReporting:
		return checkedInV3{head, s.checkInV3()}
	case alerts.AlertAlarm, alerts.AlertAlarmOK:
		return alarmV3{head, shape.AlarmOf(*facts.Alarm, at)}
	case alerts.AlertFlooded:
		return floodedV3{head, *facts.Held}
	default: // resolved and unresolved
		return s.changedV3(head)
	}
}

func (s *alertContext) changedV3(head headV3) changedV3 {
	fault, ids := s.faultsV3()
	return changedV3{head, fault, ids}
}

func (s *alertContext) assignedV3(head headV3) assignedV3 {
	p := assignedV3{changedV3: s.changedV3(head), Assignee: shape.PersonOf(s.Facts.Assignee)}
	if p.Fault == nil {
		p.Count = s.faultsCount()
	}
	return p
}

// PayloadsV3 returns the payloads of version 3 of all webhook events, as Payloads does those of version 2.
func PayloadsV3(baseURL string) []Payload {
	var all []Payload
	for _, e := range append(alerts.AlertEvents(), alerts.AlertFlooded) {
		s := sampleContext(e, baseURL)
		body, err := s.bodyV3()
		if err != nil {
			panic(fmt.Errorf("write example of %s: %w", e, err))
		}
		all = append(all, Payload{Event: string(e), About: aboutEvent(e), Type: s.payloadV3(""), Example: indented(body)})
	}
	return all
}
