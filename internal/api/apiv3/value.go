package apiv3

import "sett/internal/sett/shape"

// What most objects have is called as in the documents.
type (
	id    = shape.ID
	links = shape.Links
)

// page returns links to a page of this server.
func (c *call) page(format string, args ...any) links { return c.place().Page(format, args...) }

// place is what the path of the request names.
func (c *call) place() shape.Place {
	return shape.Place{
		BaseURL: c.door.BaseURL, ProjectID: id(c.r.PathValue("project_id")), FaultID: id(c.r.PathValue("fault_id")), SiteID: id(c.r.PathValue("site_id")),
	}
}
