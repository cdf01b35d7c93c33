package fromhoneybadger

import (
	"context"
	"net/url"
	"strconv"
	"strings"

	"sett/internal/app/movein/remote"
	"sett/internal/sett/move"
)

type deployJSON struct {
	ID            int64  `json:"id"`
	Created       string `json:"created_at"`
	Environment   string `json:"environment"`
	LocalUsername string `json:"local_username"`
	Repository    string `json:"repository"`
	Revision      string `json:"revision"`
}

// Releases returns a page of the deploys of a project, newest first. There are no releases of their own: a deploy names one.
func (s *Source) Releases(ctx context.Context, p move.Project, cursor string) (found move.ReleasePage, err error) {
	l, err := page[deployJSON](ctx, s, "deploys", ofProject(p, "deploys"), url.Values{"limit": {"25"}}, cursor)
	if remote.IsMissing(err) || remote.IsOther(err) {
		return found, nil
	}
	if err != nil {
		return found, err
	}
	found.Next = l.next()
	for _, j := range l.Results {
		d := move.Deploy{
			Environment: move.Line(j.Environment, move.MostName), Revision: move.Line(j.Revision, move.MostName), Repository: move.Line(j.Repository, move.MostName),
			By: move.Line(j.LocalUsername, move.MostName), At: timeOf(j.Created),
		}
		if d.At.IsZero() {
			continue
		}
		// Honeybadger does not say the id of a deploy.
		d.ID = strings.Join([]string{p.ID, strconv.FormatInt(d.At.UnixMicro(), 10), d.Environment, d.Revision}, "/")
		found.Deploys = append(found.Deploys, d)
	}
	return found, nil
}

// Release returns a release as it is: deploys alone are listed.
func (*Source) Release(_ context.Context, _ move.Project, r move.Release) (move.Release, error) {
	return r, nil
}
