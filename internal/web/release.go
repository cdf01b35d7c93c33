package web

import (
	"fmt"
	"net/url"

	"sett/internal/sett/faults"
	"sett/internal/sett/release"
)

// ReleasePath returns the path of the page of a revision of a project; "" if it cannot have one.
func ReleasePath(project int64, revision string) string {
	if !release.IsVersion(revision) {
		return ""
	}
	return fmt.Sprintf("/projects/%d/releases/%s", project, url.PathEscape(revision))
}

// DeployedPath returns the path of the page of the release that a deploy put into an environment, or of the deploy if it names none.
func DeployedPath(d faults.Deploy) string {
	if path := ReleasePath(d.ProjectID, d.Revision); path != "" {
		return path
	}
	return fmt.Sprintf("/projects/%d/deploys/%d", d.ProjectID, d.ID)
}

// ShortRevision returns a revision as people name it: the hash of a commit by its first seven digits.
func ShortRevision(revision string) string {
	if len(revision) < 20 {
		return revision
	}
	for _, c := range revision {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return revision
		}
	}
	return revision[:7]
}
