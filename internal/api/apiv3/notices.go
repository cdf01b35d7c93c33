package apiv3

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"sett/internal/sett"
	"sett/internal/sett/shape"
)

func noticeOperations() []operation {
	const limited = "Params, session and context of more than 16 KiB are left out, and named in `request_fields_removed`."
	return []operation{
		{Name: "listNotices", Method: "GET", Path: faultPath + "/notices", Scope: "faults:read", Route: "listNotices", List: cursors, View: as[shape.Notice](), Differs: limited},
		{Name: "getNotice", Method: "GET", Path: "/notices/{notice_id}", Scope: "faults:read", Route: "getNotice", View: as[shape.Notice](), Run: (*call).showNotice, Differs: limited},
	}
}

// showNotice finds the project and fault of a notice, and shows it.
func (c *call) showNotice() error {
	uuid, err := sett.ParseUUID(c.r.PathValue("notice_id"))
	if err != nil {
		return sett.Errorf(sett.NotFound, "Notice not found")
	}
	project, fault, err := c.door.Faults.NoticePlace(c.r.Context(), c.who.User.ID, uuid)
	if err != nil {
		return err
	}
	c.r.SetPathValue("project_id", strconv.FormatInt(project, 10))
	c.r.SetPathValue("fault_id", strconv.FormatInt(fault, 10))
	found, err := c.ask("getNotice", c.passed(), nil)
	if err != nil {
		return err
	}
	return c.write(http.StatusOK, found.Body)
}

// mapped asks for the frames after source maps, unless the request wants those that were reported.
func (c *call) mapped(query url.Values) {
	if slices.Contains([]string{"listNotices", "getNotice"}, c.op.Name) {
		query.Set("original_backtrace", strconv.FormatBool(c.query.Get("unmapped") != "true"))
	}
}
