package web

import (
	"fmt"
	"net/url"

	"sett/internal/release"
)

// ReleasePath returns the path of the page of a revision of a project; "" if it cannot have one.
func ReleasePath(project int64, revision string) string {
	if !release.IsVersion(revision) {
		return ""
	}
	return fmt.Sprintf("/projects/%d/releases/%s", project, url.PathEscape(revision))
}
