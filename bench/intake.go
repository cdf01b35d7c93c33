package bench

import (
	"context"
	"fmt"
	"math/rand/v2"

	"sett/internal/setttest/traffic"
)

// The protocols in which Intake can send errors.
const (
	Honeybadger = "honeybadger" // notices
	Sentry      = "sentry"      // envelopes, turn by turn with notices
)

// Intake measures the intake of notices: a bare net/http handler and sett, turn by turn, under the same load. With another protocol, the same
// errors are sent in that protocol as well.
func Intake(ctx context.Context, o Options) (Result, error) {
	return beside(ctx, o, func(ctx context.Context, m manager) (all []func() sender, err error) {
		var f Filled
		for p := range traffic.Projects {
			project, err := m.createProject(ctx, fmt.Sprintf("Bench %d", p))
			if err != nil {
				return nil, err
			}
			f.Projects = append(f.Projects, project)
		}
		l := f.load()
		if all = append(all, l.sender); o.Protocol == Sentry {
			all = append(all, l.envelopes().sender)
		}
		return all, nil
	})
}

// noticeLoad are notices to several projects.
type noticeLoad struct {
	keys   []string // of the projects
	ids    []int64
	kinds  [][]traffic.Kind
	header func(request []byte, address string, project, length int) []byte // nil: that of a notice
}

func (n noticeLoad) noticeHeader(request []byte, address string, project, length int) []byte {
	return fmt.Appendf(request, "POST /v1/notices HTTP/1.1\r\nHost: %s\r\nX-API-Key: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n",
		address, n.keys[project], length)
}

func (n noticeLoad) sender() sender {
	var body []byte
	var frequent *rand.Zipf
	header := n.header
	if header == nil {
		header = n.noticeHeader
	}
	return func(request []byte, address string, r *rand.Rand) ([]byte, int) {
		if frequent == nil {
			frequent = rand.NewZipf(r, traffic.Zipf, 1, uint64(len(n.kinds[0])-1))
		}
		project := r.IntN(len(n.keys))
		body = n.kinds[project][frequent.Uint64()].Fill(body, r)
		request = header(request, address, project, len(body))
		return append(request, body...), len(body)
	}
}

// envelopes are the same load as events of Sentry.
func (n noticeLoad) envelopes() (e noticeLoad) {
	r := rand.New(rand.NewPCG(1, 2))
	e.keys, e.ids = n.keys, n.ids
	for project := range n.keys {
		e.kinds = append(e.kinds, traffic.EnvelopeKinds(r, project))
	}
	e.header = func(request []byte, address string, project, length int) []byte {
		return fmt.Appendf(request, "POST /api/%d/envelope/ HTTP/1.1\r\nHost: %s\r\nX-Sentry-Auth: Sentry sentry_version=7, sentry_key=%s, sentry_client=sentry.ruby.rails/5.28.0\r\nUser-Agent: sentry-ruby/5.28.0\r\n"+
			"Content-Type: application/x-sentry-envelope\r\nContent-Length: %d\r\n\r\n", e.ids[project], address, e.keys[project], length)
	}
	return e
}
