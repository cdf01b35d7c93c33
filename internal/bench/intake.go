package bench

import (
	"context"
	"fmt"
	"math/rand/v2"
)

// Intake measures the intake of notices: a bare net/http handler and sett, turn by turn, under the same load.
func Intake(ctx context.Context, o Options) (Result, error) {
	return beside(ctx, o, func(ctx context.Context, m manager) (func() sender, error) {
		var f Filled
		for p := range projects {
			project, err := m.createProject(ctx, fmt.Sprintf("Bench %d", p))
			if err != nil {
				return nil, err
			}
			f.Projects = append(f.Projects, project)
		}
		return f.load().sender, nil
	})
}

// noticeLoad are notices to several projects.
type noticeLoad struct {
	keys  []string // of the projects
	kinds [][]kind
}

func (n noticeLoad) sender() sender {
	var body []byte
	var frequent *rand.Zipf
	return func(request []byte, address string, r *rand.Rand) ([]byte, int) {
		if frequent == nil {
			frequent = rand.NewZipf(r, zipf, 1, uint64(len(n.kinds[0])-1))
		}
		project := r.IntN(len(n.keys))
		body = n.kinds[project][frequent.Uint64()].fill(body, r)
		request = fmt.Appendf(request, "POST /v1/notices HTTP/1.1\r\nHost: %s\r\nX-API-Key: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n",
			address, n.keys[project], len(body))
		return append(request, body...), len(body)
	}
}
