package app

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"

	"sett/internal/dial"
)

// AskReady asks the server that listens with these settings on this machine whether it is ready. The error says why not.
func AskReady(ctx context.Context, cfg Config) error {
	address := strings.Replace(BaseURLOf(cfg.Listen), "//localhost:", "//127.0.0.1:", 1) // a container may have no /etc/hosts
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address+"/readyz", http.NoBody)
	if err != nil {
		return fmt.Errorf("ask %s: %w", address, err)
	}
	response, err := dial.New(dial.Anywhere()).Client(lookPatience).Do(request) // the operator has set it
	if err != nil {
		return fmt.Errorf("no server answers at %s (%w)", address, reason(err))
	}
	defer response.Body.Close()
	var found Readiness
	if err := json.NewDecoder(io.LimitReader(response.Body, 1<<16)).Decode(&found); err != nil {
		return fmt.Errorf("another server responds at %s, with status %d", address, response.StatusCode)
	}
	if !found.Ready {
		return fmt.Errorf("the server is not ready: %s", problems(found.Checks))
	}
	return nil
}

// problems are the checks that are not ok, in order of their names.
func problems(checks map[string]string) string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(checks)) {
		if checks[name] != "ok" {
			all = append(all, name+" "+checks[name])
		}
	}
	return strings.Join(all, "; ")
}
