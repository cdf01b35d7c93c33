package watch

import (
	"context"
	"testing"
	"time"

	"sett/internal/monitor/host"
	"sett/internal/sett/repo"
)

// of is a host with a change whose checks are asked for in vain.
type of struct {
	host.Host
	kind host.Kind
}

func (of) Change(_ context.Context, number int64) (repo.Change, error) {
	return repo.Change{Number: number, State: repo.Merged, HeadSHA: "4f2a9c1"}, nil
}

func (o of) Checks(context.Context, string) (repo.Checks, error) {
	return repo.ChecksUnknown, &host.Error{Kind: o.kind}
}

// Where a change stands counts, also if its commits are gone. A host that fails is asked again.
func TestAChangeWithoutItsCommits(t *testing.T) {
	t.Parallel()
	for kind, fails := range map[host.Kind]bool{host.NotFound: false, host.Cannot: false, host.Refused: true} {
		c, err := change(t.Context(), of{kind: kind}, 7)
		if c.Number != 7 || c.State != repo.Merged || (err != nil) != fails {
			t.Errorf("%v: %+v, %v", kind, c, err)
		}
	}
}

// A host that sett cannot ask is a problem of its repository, and not silence.
func TestProblemsOfHostsAreShown(t *testing.T) {
	t.Parallel()
	_, err := host.New(nil, repo.Repository{Host: repo.Bitbucket, URL: "https://bitbucket.example.org/projects/ACME/repos/shop", Token: "x"}, time.Now)
	if host.KindOf(err) != host.Cannot || problemIn(err) == "" {
		t.Errorf("Bitbucket Data Center is asked: %v", err)
	}
	if said := problemIn(context.Canceled); said != "" {
		t.Errorf("the end of the server is a problem of the host: %s", said)
	}
}
