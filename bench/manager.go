package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
)

// manager calls the API of the server under test.
type manager struct {
	base, token string
}

// project is a project that was made for the measurement.
type project struct {
	ID    int64
	Token string // its API key
}

// createProject makes a project.
func (m manager) createProject(ctx context.Context, name string) (made project, err error) {
	body := map[string]any{"project": map[string]string{"name": name}}
	return made, m.do(ctx, http.MethodPost, "/v2/projects", body, &made)
}

// do sends a body, and reads the answer into v unless that is nil.
func (m manager) do(ctx context.Context, method, path string, body, v any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, method, m.base+path, bytes.NewReader(text))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	r.SetBasicAuth(m.token, "")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	said, err := io.ReadAll(answer.Body)
	switch {
	case err != nil:
		return err
	case answer.StatusCode >= 300:
		return fmt.Errorf("%s %s: status %d %s", method, path, answer.StatusCode, said)
	case v == nil:
		return nil
	}
	return json.Unmarshal(said, v)
}
