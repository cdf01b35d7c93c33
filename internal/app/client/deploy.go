package client

import (
	"context"
	"net/http"
)

// Deploy is what is reported of a deploy; the revision is needed.
type Deploy struct {
	Environment string `json:"environment,omitempty"`
	Revision    string `json:"revision"`
	Repository  string `json:"repository,omitempty"`
	User        string `json:"local_username,omitempty"`
}

// Report records a deploy with an API key; without one, with that of the project, which the user's token reads.
func (s Server) Report(ctx context.Context, key string, d Deploy) error {
	if key == "" {
		var err error
		if key, err = s.projectKey(ctx); err != nil {
			return err
		}
	}
	return s.send(ctx, http.MethodPost, "/v1/deploys", map[string]any{"deploy": d}, nil, func(r *http.Request) { r.Header.Set("X-API-Key", key) })
}

// projectKey returns the API key of the project that was chosen.
func (s Server) projectKey(ctx context.Context) (string, error) {
	if s.key != "" {
		return s.key, nil
	}
	path, err := s.project(ctx)
	if err != nil {
		return "", err
	}
	var p struct{ Token string }
	err = s.call(ctx, http.MethodGet, path, nil, &p)
	return p.Token, err
}
