package sett

// Integration is a channel of a project: a place outside that is told of its events, or an issue tracker.
type Integration struct {
	ID                   int64
	ProjectID            int64
	Type                 string // such as "WebHook"
	Active               bool
	Events               []string       // such as "occurred"
	SiteIDs              []string       // none means every site
	Options              map[string]any // what it holds depends on Type
	ExcludedEnvironments []string
	Filters              []IntegrationFilter
}

// IntegrationFilter lets an event through only when its fault matches a search.
type IntegrationFilter struct {
	Event string `json:"event" doc:"Name of an event, or all."`
	Query string `json:"query" doc:"A search as the list of faults takes it."`
}
