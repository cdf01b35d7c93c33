package bench

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
)

// The traffic: 1,000 check-ins, all equally often; of ten pings four are by id, four by slug, and two contain a result.
const (
	benchCheckIns = 1000
	payloadOfTen  = 2
	slugOfTen     = 4
)

// Pings measures check-in pings: a bare net/http handler and sett, in turn, under the same load.
func Pings(ctx context.Context, o Options) (Result, error) {
	return beside(ctx, o, func(ctx context.Context, m manager) ([]func() sender, error) {
		p, err := newPingLoad(ctx, m)
		return []func() sender{p.sender}, err
	})
}

// pingLoad are pings to the check-ins of a project.
type pingLoad struct {
	key        string
	slugs, ids []string
	payload    string
}

func newPingLoad(ctx context.Context, m manager) (p pingLoad, err error) {
	project, err := m.createProject(ctx, "Bench")
	if err != nil {
		return p, err
	}
	p.key = project.Token
	p.payload = `{"check_in":{"status":"success","duration":1234,"exit_code":0,"stdout":"` + strings.Repeat(`copied 4711 files\n`, 40) + `","stderr":""}}`
	path := fmt.Sprintf("/v2/projects/%d/check_ins", project.ID)
	var list []map[string]string
	for i := range benchCheckIns {
		p.slugs = append(p.slugs, fmt.Sprintf("job-%d", i))
		list = append(list, map[string]string{"slug": p.slugs[i], "report_period": "1 hour", "grace_period": "5 minutes"})
	}
	if err := m.do(ctx, http.MethodPut, path, map[string]any{"check_ins": list}, nil); err != nil {
		return p, err
	}
	for page := 1; len(p.ids) < benchCheckIns; page++ {
		var found struct{ Results []struct{ ID string } }
		if err := m.do(ctx, http.MethodGet, fmt.Sprintf("%s?page=%d", path, page), nil, &found); err != nil {
			return p, err
		}
		for _, c := range found.Results {
			p.ids = append(p.ids, c.ID)
		}
	}
	return p, nil
}

func (p pingLoad) sender() sender {
	return func(request []byte, address string, r *rand.Rand) ([]byte, int) {
		at := r.IntN(benchCheckIns)
		switch kind := r.IntN(10); {
		case kind < payloadOfTen:
			request = fmt.Appendf(request, "POST /v1/check_in/%s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", p.ids[at], address, len(p.payload))
			return append(request, p.payload...), len(p.payload)
		case kind < payloadOfTen+slugOfTen:
			return fmt.Appendf(request, "GET /v1/check_in/%s/%s HTTP/1.1\r\nHost: %s\r\n\r\n", p.key, p.slugs[at], address), 0
		}
		return fmt.Appendf(request, "GET /v1/check_in/%s HTTP/1.1\r\nHost: %s\r\n\r\n", p.ids[at], address), 0
	}
}
