package notify

import "time"

// siteBlock is an uptime check as payloads show one (wire.md §5.4). Of one that was deleted since, how it checked is what
// a new one does.
type siteBlock struct {
	ID               string            `json:"id"`
	Name             string            `json:"name"`
	URL              string            `json:"url"`
	Frequency        int64             `json:"frequency" doc:"Minutes between two checks from one location."`
	MatchType        string            `json:"match_type" enum:"success,exact,include,exclude"`
	Match            *string           `json:"match" doc:"Null for none."`
	State            string            `json:"state" enum:"pending,up,down"`
	Active           bool              `json:"active"`
	LastCheckedAt    *time.Time        `json:"last_checked_at"`
	Retries          int64             `json:"retries" doc:"Number of retries before a check counts as failed; always 1."`
	Proxy            int64             `json:"proxy" doc:"Always 0: checks use no proxy."`
	CertWillExpireAt *time.Time        `json:"cert_will_expire_at" doc:"Expiry of the last certificate seen; null for none."`
	Timeout          int64             `json:"timeout" doc:"Timeout of a check in seconds."`
	ResponseHeaders  map[string]string `json:"response_headers" doc:"Response headers of the check that changed the state, with names in lower case; empty when there was no response."`
	DetailsURL       string            `json:"details_url" doc:"The page of the uptime check."`
}

func (s *alertContext) siteBlock() siteBlock {
	site, facts := s.site, s.Facts.Site
	return siteBlock{
		ID: site.ID.String(), Name: site.Name, URL: site.URL, Frequency: site.Frequency, MatchType: string(site.MatchType), Match: nullText(site.Match),
		State: string(site.State), Active: site.Active, LastCheckedAt: nullTime(site.LastCheckedAt), Retries: 1,
		CertWillExpireAt: nullTime(site.CertWillExpireAt), Timeout: int64(site.Timeout / time.Second), ResponseHeaders: orEmpty(facts.Headers), DetailsURL: s.siteURL(),
	}
}

// outageBlock is an outage as payloads show one (wire.md §5.4).
type outageBlock struct {
	DownAt     *time.Time         `json:"down_at"`
	UpAt       *time.Time         `json:"up_at" doc:"Null while the outage lasts."`
	Status     *int               `json:"status" doc:"HTTP status of the response; null when there was none."`
	Reason     string             `json:"reason"`
	Headers    *map[string]string `json:"headers" doc:"Response headers, with names in lower case; null when there was no response."`
	DetailsURL string             `json:"details_url" doc:"The page of the uptime check."`
}

func (s *alertContext) outageBlock() outageBlock {
	facts := s.Facts.Site
	b := outageBlock{DownAt: nullTime(facts.DownAt), UpAt: nullTime(facts.UpAt), Reason: facts.Reason, DetailsURL: s.siteURL()}
	if facts.Status != 0 {
		b.Status = &facts.Status
	}
	if facts.Headers != nil {
		b.Headers = &facts.Headers
	}
	return b
}

// slowBlock is how slow a site was.
type slowBlock struct {
	slowFigures
	DetailsURL string `json:"details_url" doc:"The page of the uptime check."`
}

// slowFigures say how slow a site was.
type slowFigures struct {
	SlowAt       *time.Time `json:"slow_at" doc:"When it became slow; null when an outage, a pause or a time without checks lay between."`
	FastAt       *time.Time `json:"fast_at" doc:"When it was fast again; null while it is slow."`
	LimitMS      int64      `json:"limit_ms" doc:"A response that takes more milliseconds is slow."`
	ResponseTime *int64     `json:"response_time_ms" doc:"Milliseconds of the last check; null if they are not known."`
	Checks       int64      `json:"checks" doc:"Number of checks in a row, from one location, that show that it is slow or fast."`
}

func (s *alertContext) slowBlock() slowBlock { return slowBlock{s.slowFigures(), s.siteURL()} }

func (s *alertContext) slowFigures() slowFigures {
	slow := s.Facts.Site.Slow
	b := slowFigures{SlowAt: nullTime(slow.SlowAt), FastAt: nullTime(slow.FastAt), LimitMS: slow.Limit, Checks: slow.Checks}
	if slow.Took > 0 {
		b.ResponseTime = &slow.Took
	}
	return b
}
