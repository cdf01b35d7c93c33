package notify

import (
	"fmt"
	"net/url"

	"sett/internal/sett"
)

// page is the address of the page that tells all of a story.
func (s *story) page() string {
	switch {
	case s.Facts.Test: // what it is about has no page
		return s.projectURL()
	case s.Event == sett.AlertDeployed:
		return s.projectURL() + "/deploys"
	case s.site != nil:
		return s.siteURL()
	case s.checkIn != nil:
		return s.checkInURL()
	case s.fault != nil:
		return s.faultURL(s.fault.ID)
	case len(s.Facts.FaultIDs) > 0:
		return s.projectURL() + "/faults" + s.faultsQuery()
	}
	return s.projectURL()
}

// faultsQuery has the list of faults show those that are the assignee's matter; "" for an alert that names none.
func (s *story) faultsQuery() string {
	if s.Facts.Assignee == nil {
		return ""
	}
	return "?q=" + url.QueryEscape(`-is:resolved assignee:"`+s.Facts.Assignee.Email+`"`)
}

func (s *story) projectURL() string { return fmt.Sprint(s.baseURL, "/projects/", s.ProjectID) }

func (s *story) faultURL(id int64) string {
	if s.Facts.Test {
		return s.projectURL()
	}
	return fmt.Sprint(s.projectURL(), "/faults/", id)
}

func (s *story) noticeURL() string {
	if s.Facts.Test {
		return s.projectURL()
	}
	return s.faultURL(s.notice.FaultID) + "/" + s.notice.ID.String()
}

func (s *story) siteURL() string {
	if s.Facts.Test {
		return s.projectURL()
	}
	return s.projectURL() + "/sites/" + s.site.ID.String()
}

func (s *story) checkInURL() string {
	if s.Facts.Test {
		return s.projectURL()
	}
	return s.projectURL() + "/check_ins/" + s.checkIn.ID
}
