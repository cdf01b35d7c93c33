package notify

import (
	"cmp"
	"fmt"
	"net/url"

	"sett/internal/sett/alerts"
)

// page is the URL of the page about an alert.
func (s *alertContext) page() string {
	switch {
	case s.Facts.Test: // its subject has no page
		return s.projectURL()
	case s.Event == alerts.AlertDeployed:
		return s.projectURL() + "/deploys"
	case s.site != nil:
		return s.siteURL()
	case s.checkIn != nil:
		return s.checkInURL()
	case s.Facts.Alarm != nil:
		return s.alarmURL()
	case s.fault != nil:
		return s.faultURL(s.fault.ID)
	case len(s.Facts.FaultIDs) > 0:
		return s.projectURL() + "/faults" + s.faultsQuery()
	}
	return s.projectURL()
}

// acknowledgeURL is the page that acknowledges what the alert is about; "" if there is nothing to acknowledge, or a person looks at it already.
func (s *alertContext) acknowledgeURL() string {
	if s.Facts.Test || !s.Event.Acknowledged() || s.ID == 0 || s.acknowledged != nil {
		return ""
	}
	return fmt.Sprint(s.baseURL, "/acknowledge/", s.ID)
}

// faultsQuery filters the list of faults by the assignee; "" without an assignee.
func (s *alertContext) faultsQuery() string {
	if s.Facts.Assignee == nil {
		return ""
	}
	return "?q=" + url.QueryEscape(`-is:resolved assignee:"`+cmp.Or(s.Facts.Assignee.Email, s.Facts.Assignee.Name)+`"`)
}

func (s *alertContext) projectURL() string { return fmt.Sprint(s.baseURL, "/projects/", s.ProjectID) }

func (s *alertContext) faultURL(id int64) string {
	if s.Facts.Test {
		return s.projectURL()
	}
	return fmt.Sprint(s.projectURL(), "/faults/", id)
}

func (s *alertContext) noticeURL() string {
	if s.Facts.Test {
		return s.projectURL()
	}
	return s.faultURL(s.notice.FaultID) + "/" + s.notice.ID.String()
}

func (s *alertContext) siteURL() string {
	if s.Facts.Test {
		return s.projectURL()
	}
	return s.projectURL() + "/sites/" + s.site.ID.String()
}

func (s *alertContext) alarmURL() string {
	if s.Facts.Test {
		return s.projectURL()
	}
	return s.projectURL() + "/insights/alarms/" + s.Facts.Alarm.ID
}

func (s *alertContext) checkInURL() string {
	if s.Facts.Test {
		return s.projectURL()
	}
	return s.projectURL() + "/check_ins/" + s.checkIn.ID
}
