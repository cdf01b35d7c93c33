package shape

import (
	"encoding/json"
	"strconv"
	"time"

	"sett/internal/sett/alerts"
	"sett/internal/sett/checks"
)

// Site is an uptime check.
type Site struct {
	ID              ID         `json:"id"`
	ProjectID       ID         `json:"project_id"`
	Name            string     `json:"name"`
	URL             string     `json:"url"`
	Active          bool       `json:"active"`
	State           string     `json:"state"`
	LastCheckedAt   *time.Time `json:"last_checked_at"`
	Frequency       int64      `json:"frequency"`
	MatchType       string     `json:"match_type"`
	Match           *string    `json:"match"`
	RequestMethod   string     `json:"request_method"`
	RequestBody     string     `json:"request_body"`
	RequestHeaders  SiteHeader `json:"request_headers"`
	Locations       []string   `json:"locations"`
	ValidateSSL     bool       `json:"validate_ssl"`
	OutageThreshold *int64     `json:"outage_threshold"`
	Timeout         int64      `json:"timeout"`
	CertExpiresAt   *time.Time `json:"cert_will_expire_at" doc:"Expiry of the last certificate seen; null for none."`
	Links           Links      `json:"links"`
}

// SiteOf returns an uptime check as those see it who may not change it: secrets of its requests are masked.
func SiteOf(of checks.Site, at Place) Site {
	shown := of.Shown(false)
	s := Site{
		ID: ID(of.ID.String()), ProjectID: Number(of.ProjectID), Name: shown.Name, URL: shown.URL, Active: shown.Active, State: string(of.State),
		LastCheckedAt: moment(of.LastCheckedAt), Frequency: shown.Frequency, MatchType: string(shown.MatchType), Match: text(shown.Match),
		RequestMethod: shown.Method, RequestBody: shown.Body, RequestHeaders: SiteHeader{}, Locations: []string{}, ValidateSSL: shown.ValidateSSL,
		Timeout: int64(shown.Timeout / time.Second), CertExpiresAt: moment(of.CertWillExpireAt),
	}
	for _, h := range shown.Headers {
		s.RequestHeaders[h.Key] = h.Value
	}
	for _, l := range shown.Locations {
		s.Locations = append(s.Locations, string(l))
	}
	if shown.OutageThreshold > 0 {
		s.OutageThreshold = &shown.OutageThreshold
	}
	s.Put(at)
	return s
}

// Put sets the project and the links.
func (s *Site) Put(at Place) {
	s.ProjectID = at.ProjectID
	s.Links = at.sitePage(s.ID)
}

func (p Place) sitePage(site ID) Links { return p.Page("/projects/%s/sites/%s", p.ProjectID, site) }

// SiteHeader is an object of headers, which /v2 has as a list.
type SiteHeader map[string]string

// UnmarshalJSON reads the list.
func (h *SiteHeader) UnmarshalJSON(data []byte) error {
	var list []checks.ProbeHeader
	if err := json.Unmarshal(data, &list); err != nil {
		return err
	}
	*h = SiteHeader{}
	for _, one := range list {
		(*h)[one.Key] = one.Value
	}
	return nil
}

// JSONSchema describes the headers of a site.
func (SiteHeader) JSONSchema() map[string]any {
	return map[string]any{"type": "object", "additionalProperties": map[string]any{"type": "string"}}
}

// Outage is a time in which a site was down.
type Outage struct {
	ID        ID                 `json:"id"`
	SiteID    ID                 `json:"site_id"`
	DownAt    time.Time          `json:"down_at"`
	UpAt      *time.Time         `json:"up_at"`
	CreatedAt time.Time          `json:"created_at"`
	Duration  *float64           `json:"duration_seconds" doc:"Null while it lasts."`
	Status    *int               `json:"status"`
	Reason    string             `json:"reason"`
	Headers   *map[string]string `json:"headers"`
	Location  string             `json:"location"`
	Body      *string            `json:"body"`
	Links     Links              `json:"links"`
}

// OutageOf returns the outage of the place's site that an alert is about, as far as the alert says; nil for none.
func OutageOf(f alerts.SiteFacts, at Place) *Outage {
	if f.DownAt.IsZero() {
		return nil
	}
	o := Outage{DownAt: f.DownAt, UpAt: moment(f.UpAt), CreatedAt: f.DownAt, Reason: f.Reason, Location: f.Location}
	if !f.ConfirmedAt.IsZero() {
		o.CreatedAt = f.ConfirmedAt
	}
	if f.Status != 0 {
		o.Status = &f.Status
	}
	if f.Headers != nil {
		o.Headers = &f.Headers
	}
	o.Put(at)
	return &o
}

// Put sets the id, the site, how long it lasted and the links.
func (o *Outage) Put(at Place) {
	o.ID, o.SiteID = Microsecond(o.DownAt), at.SiteID
	if o.UpAt != nil {
		seconds := o.UpAt.Sub(o.DownAt).Seconds()
		o.Duration = &seconds
	}
	o.Links = at.sitePage(at.SiteID)
}

// Microsecond is the id of what has no other than its time.
func Microsecond(t time.Time) ID { return ID(strconv.FormatInt(t.UnixMicro(), 10)) }
