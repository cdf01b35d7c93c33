package bench

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
)

// statusComponents is how many components the page has that is viewed.
const statusComponents = 10

// Status measures views of a status page: a bare net/http handler that answers as many bytes and sett, turn by turn, under
// the same load. Each view comes without an If-None-Match, so that all of the page is sent, compressed. The limit for each
// address is counted, but never reached.
func Status(ctx context.Context, o Options) (Result, error) {
	page := 0
	res, err := beside(ctx, o, func(ctx context.Context, m manager) ([]func() sender, error) {
		address, err := m.createStatusPage(ctx)
		if err != nil {
			return nil, err
		}
		if page, err = viewOf(ctx, m.base+address); err != nil {
			return nil, err
		}
		request := fmt.Sprintf("GET %s?bytes=%d HTTP/1.1\r\nAccept: text/html\r\nAccept-Encoding: gzip\r\nUser-Agent: Mozilla/5.0\r\nHost: ", address, page)
		return []func() sender{func() sender {
			return func(filled []byte, address string, _ *rand.Rand) ([]byte, int) {
				return append(append(append(filled, request...), address...), "\r\n\r\n"...), page
			}
		}}, nil
	})
	return res, err
}

// createStatusPage makes a page with components and returns its path.
func (m manager) createStatusPage(ctx context.Context) (path string, err error) {
	project, err := m.createProject(ctx, "Bench")
	if err != nil {
		return "", err
	}
	var checkIns, shown []map[string]string
	for i := range statusComponents {
		checkIns = append(checkIns, map[string]string{"slug": fmt.Sprintf("job-%d", i), "report_period": "1 hour"})
	}
	jobs := fmt.Sprintf("/v2/projects/%d/check_ins", project.ID)
	if err := m.do(ctx, http.MethodPut, jobs, map[string]any{"check_ins": checkIns}, nil); err != nil {
		return "", err
	}
	var made struct{ Results []struct{ ID string } }
	if err := m.do(ctx, http.MethodGet, jobs, nil, &made); err != nil {
		return "", err
	}
	for _, c := range made.Results {
		shown = append(shown, map[string]string{"check_in_id": c.ID})
	}
	var accounts struct{ Results []struct{ ID string } }
	if err := m.do(ctx, http.MethodGet, "/v2/accounts", nil, &accounts); err != nil {
		return "", err
	}
	var page struct{ URL string }
	body := map[string]any{"status_page": map[string]any{"name": "Bench", "check_ins": shown}}
	if err := m.do(ctx, http.MethodPost, "/v2/accounts/"+accounts.Results[0].ID+"/status_pages", body, &page); err != nil {
		return "", err
	}
	address, err := url.Parse(page.URL)
	if err != nil {
		return "", fmt.Errorf("read address of status page: %w", err)
	}
	return address.Path, nil
}

// viewOf returns how many bytes a page takes, compressed. It asks until the page is there, as that follows its creation.
func viewOf(ctx context.Context, address string) (size int, err error) {
	for ctx.Err() == nil {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
		if err != nil {
			return 0, err
		}
		r.Header.Set("Accept-Encoding", "gzip")
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			return 0, err
		}
		body, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil {
			return 0, err
		}
		if answer.StatusCode == http.StatusOK && answer.Header.Get("Content-Encoding") == "gzip" {
			return len(body), nil
		}
	}
	return 0, ctx.Err()
}
