package serve

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
)

type firstTry struct{}

// A request is handled again only if it failed in the way that calls for it, before its response began.
func TestAgain(t *testing.T) {
	t.Parallel()
	lost, other := errors.New("lost"), errors.New("other")
	for name, tt := range map[string]struct {
		fails error
		write bool
		tries int
	}{
		"it succeeds":        {nil, true, 1},
		"it is lost":         {lost, false, 2},
		"it fails otherwise": {other, false, 1},
		"it has begun":       {lost, true, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tries := 0
			handle := Again(func(w http.ResponseWriter, r *http.Request) error {
				if tries++; r.Context().Value(firstTry{}) == nil {
					return nil
				}
				if tt.write {
					_, _ = w.Write([]byte("x"))
				}
				return tt.fails
			}, func(ctx context.Context) context.Context { return context.WithValue(ctx, firstTry{}, true) }, func(err error) bool { return errors.Is(err, lost) })
			err := handle(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil))
			if tries != tt.tries || tt.tries == 1 && !errors.Is(err, tt.fails) || tt.tries == 2 && err != nil {
				t.Errorf("%d tries, %v; want %d", tries, err, tt.tries)
			}
		})
	}
}

func TestRoutesThatReadWhole(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		route Route
		want  bool
	}{
		{Route{Method: "GET", Path: "/v2/projects"}, true},
		{Route{Method: "GET", Path: "/projects", Media: "text/html"}, true},
		{Route{Method: "POST", Path: "/v2/projects"}, false},
		{Route{Method: "GET", Path: "/unsubscribe", NoHead: true}, false},
		{Route{Method: "GET", Path: "/v1/check_in/{id}"}, false},
		{Route{Method: "GET", Path: "/live", Media: "text/event-stream"}, false},
	} {
		if got := tt.route.ReadsWhole(); got != tt.want {
			t.Errorf("%s %s: %v, want %v", tt.route.Method, tt.route.Path, got, tt.want)
		}
	}
}
