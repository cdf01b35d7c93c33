package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"sett/internal/app/operate"
	"sett/internal/base/dial"
	"sett/internal/sett"
	"sett/internal/store/db"
)

// Bounds of the checks behind /readyz. However many requests ask, one check runs at a time, and a new one begins at most once in lookEvery.
const (
	lookEvery = time.Second
	lookLasts = 5 * time.Second // at most
	askLasts  = 2 * time.Second // then the caller gets an error
)

// readinessProbe checks whether requests can be served, for all callers.
type readinessProbe struct {
	look func(ctx context.Context) map[string]error // by check
	log  *slog.Logger

	mu      sync.Mutex
	running chan struct{} // closed when the look that is under way has ended; nil while none is
	at      time.Time     // when the last one began
	found   map[string]error
	ailing  bool
}

// see returns what a look has found that began at most lookEvery ago, or that nothing was found in time.
func (l *readinessProbe) see(ctx context.Context) map[string]error {
	ctx, cancel := context.WithTimeout(ctx, askLasts)
	defer cancel()
	running := l.begin()
	if running != nil {
		select {
		case <-running:
		case <-ctx.Done():
			return map[string]error{"database": errors.New("the database did not respond in time")}
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return maps.Clone(l.found)
}

// begin returns what is closed when the look to wait for has ended; nil when the last one will do.
func (l *readinessProbe) begin() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.running == nil && time.Since(l.at) < lookEvery {
		return nil
	}
	if l.running == nil {
		l.running, l.at = make(chan struct{}), time.Now()
		go l.run(l.running)
	}
	return l.running
}

func (l *readinessProbe) run(ended chan struct{}) {
	ctx, cancel := context.WithTimeout(context.Background(), lookLasts)
	defer cancel()
	found := l.look(ctx)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.found, l.running = found, nil
	l.note()
	close(ended)
}

// note logs when the server stops being ready, and when it is again.
func (l *readinessProbe) note() {
	var all []error
	for _, err := range l.found {
		all = append(all, err)
	}
	err := errors.Join(all...)
	switch was := l.ailing; {
	case err != nil && !was:
		l.log.Error("the server cannot serve requests", "error", err, "hint", "check the database and the disk with: sett doctor")
	case err == nil && was:
		l.log.Info("the server serves requests again")
	}
	l.ailing = err != nil
}

// What is wrong with the schema: a change of this version is missing, or a server of a newer version has changed it.
var (
	errOldSchema = &sett.Error{Code: sett.Unavailable, Message: "is not the one of this version; run sett migrate"}
	errNewSchema = &sett.Error{Code: sett.Unavailable, Message: "is from a newer version; stop this server and run the newer version"}
)

// lookAtStore checks the database with a write like those of intake.
func (a *App) lookAtStore(ctx context.Context) map[string]error {
	found := map[string]error{"database": a.store.Ping(ctx)}
	found["schema"] = a.lookAtSchema(ctx)
	found["writes"] = a.store.Intake.TryWrite(ctx, a.now())
	return found
}

// lookAtSchema returns an error unless the tables are those of this version.
func (a *App) lookAtSchema(ctx context.Context) error {
	current, err := a.store.Current(ctx)
	if err != nil {
		return err
	}
	if !current {
		return errOldSchema
	}
	version, err := a.store.SchemaVersion(ctx)
	if err == nil && version > db.NewestSchema() {
		err = errNewSchema
	}
	return err
}

// stateOf says how a check went: "ok", what clients may know of an error, or that it failed.
func stateOf(err error) string {
	if err == nil {
		return "ok"
	}
	if e, ok := errors.AsType[*sett.Error](err); ok {
		return e.Message
	}
	return "failed"
}

// askPatience is how long a server may take to say whether it is ready.
const askPatience = 5 * time.Second

// AskReady asks the server that listens with these settings on this machine whether it is ready. The error says why not.
func AskReady(ctx context.Context, cfg Config) error {
	address := strings.Replace(BaseURLOf(cfg.Listen), "//localhost:", "//127.0.0.1:", 1) // a container may have no /etc/hosts
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address+"/readyz", http.NoBody)
	if err != nil {
		return fmt.Errorf("ask %s: %w", address, err)
	}
	response, err := dial.New(dial.Anywhere()).Client(askPatience).Do(request) // the operator has set it
	if err != nil {
		return fmt.Errorf("no server answers at %s (%w)", address, operate.Reason(err))
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
