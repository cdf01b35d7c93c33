package notify

import (
	"sett/internal/sett"
	"sett/internal/sett/alerts"
	"sett/internal/sett/shape"
)

// actorV3 is who made a change, as payloads of version 3 show them. What is not known is null.
type actorV3 struct {
	ID    *shape.ID `json:"id"`
	Name  *string   `json:"name"`
	Email *string   `json:"email"`
}

// actorOf returns nil when no user acted.
func actorOf(p *sett.Person) *actorV3 {
	if p == nil {
		return nil
	}
	a := &actorV3{Name: nullText(p.Name), Email: nullText(p.Email)}
	if p.ID > 0 {
		id := shape.Number(p.ID)
		a.ID = &id
	}
	return a
}

// spikeV3 says by how much a fault occurred more often than usual.
type spikeV3 struct {
	Observed       int64    `json:"observed" doc:"Occurrences in the window."`
	BaselineMedian float64  `json:"baseline_median" doc:"Usual number of occurrences in such a window."`
	Factor         *float64 `json:"factor" doc:"Ratio of the occurrences to the usual number; null when that is 0."`
	ZScore         float64  `json:"z_score" doc:"Distance from the usual number in standard deviations."`
	WindowMinutes  int64    `json:"window_minutes" doc:"Length of the window."`
}

func spikeOf(f alerts.SpikeFacts) spikeV3 {
	s := spikeV3{Observed: f.Observed, BaselineMedian: f.BaselineMedian, ZScore: f.ZScore, WindowMinutes: f.WindowMinutes}
	if f.BaselineMedian > 0 {
		s.Factor = &f.Factor
	}
	return s
}

// place is where the objects of the alert are.
func (s *alertContext) place() shape.Place {
	at := shape.Place{BaseURL: s.baseURL, ProjectID: shape.Number(s.ProjectID), FaultID: shape.Number(s.FaultID), Sample: s.Facts.Test}
	if s.site != nil {
		at.SiteID = shape.ID(s.site.ID.String())
	}
	return at
}

// faultV3 is the fault with the deploy that was running.
func (s *alertContext) faultV3() shape.Fault {
	f := shape.FaultOf(*s.fault, s.At, s.place())
	if s.notice != nil {
		f.LastNoticeDeploy = shape.DeployOf(s.notice.Deploy)
	}
	return f
}

// faultsV3 is the fault of an alert about one, or the ids of those of an alert about several.
func (s *alertContext) faultsV3() (fault *shape.Fault, ids []shape.ID) {
	if s.fault != nil {
		f := s.faultV3()
		return &f, nil
	}
	for _, id := range s.Facts.FaultIDs {
		ids = append(ids, shape.Number(id))
	}
	return nil, ids
}

func (s *alertContext) siteV3() shape.Site { return shape.SiteOf(*s.site, s.place()) }

func (s *alertContext) checkInV3() shape.CheckIn {
	return shape.CheckInOf(*s.checkIn, s.reportURL+"/v1/check_in/"+s.checkIn.ID, s.place())
}
