package app

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/store"
)

// Begin is New, also for a server that is started while PostgreSQL does not respond: if it has run before, it accepts reports for its spool until
// PostgreSQL responds. Other servers get the error: their settings may be wrong.
func Begin(ctx context.Context, cfg Config, log *slog.Logger, options ...Option) (*App, error) {
	a, err := New(ctx, cfg, log, options...)
	var listener *keptListener
	for err != nil && ctx.Err() == nil {
		e, opened := openEarly(ctx, cfg, log, err, options...)
		if opened != nil {
			break
		}
		if listener, opened = e.run(ctx, listener); opened != nil {
			err = opened
			break
		}
		a, err = New(ctx, cfg, log, append(slices.Clip(options), func(a *App) { a.listener = listener.Listener })...)
	}
	if err != nil && listener != nil {
		err = errors.Join(err, listener.Listener.Close())
	}
	return a, err
}

// How the database is looked for.
const (
	lookForDatabase = time.Second
	endEarly        = 10 * time.Second // for requests that run when it is found
)

// early accepts reports for the spool while the database has not responded since the start.
type early struct{ *App }

// openEarly returns an early for a server whose start has ended with an error, or that error if waiting does not help, or no spool knows any keys.
func openEarly(ctx context.Context, cfg Config, log *slog.Logger, why error, options ...Option) (*early, error) {
	if cfg.Database == "" || cfg.SpoolBytes == 0 || cfg.ACME.Listen != "" {
		return nil, why
	}
	a := &App{cfg: cfg, log: log, now: time.Now, bodies: serve.NewBodies()}
	for _, o := range options {
		o(a)
	}
	var err error
	later := cfg.storage()
	later.Later, later.Replica = true, ""
	if a.store, err = store.Open(ctx, later); err != nil {
		return nil, why
	}
	e := &early{a}
	if sett.CodeOf(a.store.Explain(why)) != sett.Unavailable {
		return nil, errors.Join(why, a.store.Close())
	}
	a.openIntake(ctx)
	if a.spool == nil || !a.knowsKeys {
		return nil, errors.Join(why, e.close(ctx))
	}
	a.spool.Hold()
	a.readinessProbe.look = func(context.Context) map[string]error { return map[string]error{"database": errNotYet} }
	return e, nil
}

// run accepts reports until the database responds, or ctx ends. The listener is that of an earlier run; nil: there was none.
func (e *early) run(ctx context.Context, listener *keptListener) (*keptListener, error) {
	if listener == nil {
		opened, err := e.listen()
		if err != nil {
			return nil, errors.Join(err, e.close(ctx))
		}
		listener = &keptListener{Listener: opened}
	}
	e.server = e.newServer(e.handler())
	ended := make(chan error, 1)
	go func() { ended <- e.server.Serve(listener) }()
	e.log.Info("sett accepts reports, and waits for the database", "address", BaseURLOf(listener.Addr().String()))
	for ctx.Err() == nil && !e.responds(ctx) {
		select {
		case <-ctx.Done():
		case <-time.After(lookForDatabase):
		}
	}
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), endEarly)
	defer cancel()
	err := errors.Join(e.server.Shutdown(limited), e.close(limited))
	if served := <-ended; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return listener, errors.Join(err, listener.open())
}

// responds reports whether the database does, be it with an error that waiting does not help against.
func (e *early) responds(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, endEarly)
	defer cancel()
	s, err := store.Open(ctx, e.cfg.storage())
	if err != nil {
		return sett.CodeOf(e.store.Explain(err)) != sett.Unavailable
	}
	return s.Close() == nil
}

// close ends what openIntake has begun.
func (e *early) close(ctx context.Context) error {
	e.buffer.Close()
	e.pings.Close()
	e.events.Close()
	e.maps.Close()
	return errors.Join(e.closeSpool(ctx), e.store.Close())
}

// notKept are the beginnings of the names of routes whose requests no spool keeps.
var notKept = []string{"reportEvents", "uploadSourceMap", "feedback", "sentryDialog", "sentryCheckIn", "sentryKeyed", "sentryMinidump", "sentryUnreal"}

// handler takes what the spool keeps, says how full it is, and asks all others to come again.
func (e *early) handler() http.Handler {
	proxies := serve.Proxies{Trusted: e.cfg.TrustedProxies}
	intake := e.intake(e.uploads, proxies)
	metrics := e.serveMetrics(proxies, e.intakeMetrics(&figures{app: e.App, early: true}))
	routes := slices.Concat(intake.Routes(), intake.RoutesOfOthers(), e.systemRoutes(proxies, metrics))
	routes = slices.DeleteFunc(routes, func(r serve.Route) bool {
		return slices.ContainsFunc(notKept, func(begin string) bool { return strings.HasPrefix(r.Name, begin) })
	})
	wrap := func(route serve.Route, next serve.Handler) serve.Handler {
		if route.Name == serve.NotFound {
			return func(http.ResponseWriter, *http.Request) error { return errNotYet }
		}
		return next
	}
	return serve.NewMux(routes, serve.MuxOptions{Wrap: wrap, Log: e.log, Bodies: e.bodies, Answers: &e.responses, Addresses: e.cfg.addresses()})
}

var errNotYet = &sett.Error{Code: sett.Unavailable, Message: "The database does not respond. Try again in a moment.", RetryAfter: 5 * time.Second}

// keptListener is a listener that servers use one after the other. Connections that come between two of them wait.
type keptListener struct{ net.Listener }

// Close ends Accept, and keeps the listener for the next server; see open.
func (l *keptListener) Close() error { return l.until(time.Now()) }

// open lets the next server accept.
func (l *keptListener) open() error { return l.until(time.Time{}) }

func (l *keptListener) until(at time.Time) error {
	tcp, ok := l.Listener.(*net.TCPListener)
	if !ok {
		return errors.New("keep listener: it is none of TCP")
	}
	return tcp.SetDeadline(at)
}
