// Package app starts and stops sett, and is the only package that imports all others. It reads the configuration, opens the store, connects
// the parts and runs them. From settings it makes a running server, the credentials of a first set-up, or a migrated database. It holds no
// rule of the product: it only connects what is decided elsewhere.
package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"sett/internal/api"
	"sett/internal/api/apiv3"
	"sett/internal/api/sentryapi"
	"sett/internal/app/operate"
	"sett/internal/base/about"
	"sett/internal/base/dial"
	"sett/internal/base/loop"
	"sett/internal/ingest"
	"sett/internal/ingest/unminify"
	"sett/internal/ingest/upload"
	"sett/internal/monitor/watch"
	"sett/internal/notify"
	"sett/internal/notify/relay"
	"sett/internal/serve"
	"sett/internal/serve/acme"
	"sett/internal/serve/auth"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/store"
	"sett/internal/store/db"
	"sett/internal/web"
	"sett/internal/web/admin"
	"sett/internal/web/events"
	"sett/internal/web/fault"
	"sett/internal/web/finder"
	"sett/internal/web/manual"
	"sett/internal/web/people"
	"sett/internal/web/project"
	"sett/internal/web/settings"
	"sett/internal/web/statusadmin"
	"sett/internal/web/statuspage"
	"sett/internal/web/uptime"
	"sett/internal/web/user"
)

// App is a whole sett.
type App struct {
	cfg            Config
	log            *slog.Logger
	now            func() time.Time
	store          *store.Store
	keys           *auth.Keys
	buffer         *ingest.Buffer
	pings          *ingest.Pings
	spool          *ingest.Spool          // nil: there is none
	knowsKeys      bool                   // of an earlier process
	savedKeys      []byte                 // what the spool has of the keys; used by one goroutine at a time
	listener       net.Listener           // nil: Start opens one
	objects        *operate.ObjectStorage // nil: there is none
	scrubbing      ingest.Scrubbing
	discards       ingest.Discards
	responses      serve.Answers
	heartbeat      heartbeat
	sessions       ingest.Sessions
	events         *ingest.Events
	relay          *relay.Relay   // of projects that move here
	reports        *ingest.Ingest // from Start on
	maps           *unminify.Maps
	uploads        *upload.Desk
	sites          *watch.Sites
	compaction     *watch.Compaction
	dispatcher     *notify.Dispatcher
	statusNotifier *notify.StatusNotifier
	mailer         *notify.Mailer
	lease          *notify.Lease
	status         *statuspage.Pages
	pages          *web.Pages
	setupToken     string // of the link that makes the first account; "" where there is one
	server         *http.Server
	secure         *http.Server // nil without --tls-listen, as certificates
	certificates   *acme.Certificates
	addr           atomic.Value // string
	own            dial.Own     // what is listened at
	bodies         *serve.Bodies
	grpc           *http.Server  // nil without --otlp-grpc-listen
	calls          []serve.Route // that it takes
	proxies        hourly        // warns of proxies that are not trusted
	prefaces       hourly        // warns of clients that speak HTTP/2
	loops          *loop.Group   // from New on
	work           *loop.Group   // from Start on
	draining       atomic.Bool
	readinessProbe readinessProbe
	backingUp      sync.Mutex // while a backup is made at the pages
	cancelBackup   atomic.Pointer[context.CancelFunc]
	failed         chan error
	passwordCost   auth.Cost
	demo           *demonstration // nil: what is served is real
}

// Option changes how an App is built.
type Option func(*App)

// WithClock makes the App take its time from now instead of the system, for tests that push a clock.
func WithClock(now func() time.Time) Option { return func(a *App) { a.now = now } }

// WithPasswordCost makes the App hash passwords at another cost than auth.PasswordCost, for tests that sign in.
func WithPasswordCost(c auth.Cost) Option { return func(a *App) { a.passwordCost = c } }

// New opens the database, brings its schema up to date and connects the parts. Nothing is served before Start.
func New(ctx context.Context, cfg Config, log *slog.Logger, options ...Option) (*App, error) {
	a := &App{cfg: cfg, log: log, now: time.Now, passwordCost: auth.PasswordCost, failed: make(chan error, 1), bodies: serve.NewBodies()}
	for _, o := range options {
		o(a)
	}
	var err error
	if a.store, err = store.Open(ctx, a.storage()); err != nil {
		return nil, err
	}
	limitStore(a.store, cfg)
	from, to, err := a.store.Migrate(ctx)
	if err != nil {
		return nil, errors.Join(err, a.store.Close())
	}
	switch {
	case from == 0:
		log.Info("the database was created", "to_schema", to)
	case from != to:
		log.Info("the database was changed for this version", "from_schema", from, "to_schema", to, "copy", a.store.CopyBefore())
	}
	if err := unlock(ctx, a.store, log); err != nil {
		return nil, errors.Join(err, a.store.Close())
	}
	counted, err := a.store.Intake.Recover(ctx)
	if err == nil {
		err = a.store.ReserveRoom()
	}
	if err != nil {
		return nil, errors.Join(err, a.store.Close())
	}
	if counted > 0 {
		log.Info("counted the events that the server had stored before it was stopped", "events", counted)
	}
	if err := a.openObjects(ctx); err != nil {
		return nil, errors.Join(err, a.store.Close())
	}
	a.openIntake(ctx)
	a.heartbeat.url = cfg.HeartbeatURL
	a.loops = loop.Start(context.Background(), a.takeover(), a.rateWindows(), a.projectKeys(), a.believedKeys(), a.intakeCounts(), a.sessionSums(), a.sourceMapUse(), a.spooled())
	return a, nil
}

// openIntake wires what accepts reports. It asks the database nothing.
func (a *App) openIntake(ctx context.Context) {
	a.readinessProbe.look, a.readinessProbe.log = a.lookAtStore, a.log
	a.keys = auth.NewKeys(a.store.Accounts, a.now)
	a.maps = unminify.New(a.store.SourceMaps, a.now)
	a.uploads = upload.NewDesk(a.store.SourceMaps, a.cfg.Data)
	a.buffer = ingest.NewBuffer(a.store.Intake, a.limits(), a.now, a.log)
	if a.cfg.MetricsProjects {
		a.buffer.CountProjects()
	}
	a.relay = a.newRelay()
	a.pings = ingest.NewPings(a.store.Uptime, a.now, a.log)
	a.openSpool(ctx)
	a.events = ingest.NewEvents(a.store.Insights, a.cfg.InsightBytes, a.now, a.log)
}

// storage is where this server's data is.
func (a *App) storage() db.Options {
	o := a.cfg.storage()
	o.MadeUp = a.demo != nil
	return o
}

func OpenStore(ctx context.Context, cfg Config) (*store.Store, error) {
	s, err := store.Open(ctx, cfg.storage())
	if err != nil {
		return nil, err
	}
	limitStore(s, cfg)
	return s, nil
}

// limitStore sets how much a store may keep of what has a limit of its own.
func limitStore(s *store.Store, cfg Config) {
	s.SourceMaps.MostBytes, s.Attachments.MostBytes = cfg.SourceMapBytes, cfg.AttachmentBytes
}

func (a *App) limits() accounts.Limits {
	return accounts.Limits{MonthlyQuota: a.cfg.MonthlyQuota, ProjectThrottle: a.cfg.ProjectThrottle}
}

// The server's bounds on slow clients.
const (
	headerTimeout = 10 * time.Second
	readTimeout   = 30 * time.Second
	writeTimeout  = 60 * time.Second
	idleTimeout   = 2 * time.Minute
	headerBytes   = 64 << 10
)

// issuerTimeout bounds what an issuer of OpenID Connect is asked, while a browser waits.
const issuerTimeout = 10 * time.Second

// Start listens and serves; it returns once connections are accepted. If there is no user yet, the log says how to create
// the first.
func (a *App) Start() error {
	hasUsers, err := a.store.Accounts.HasUsers(context.Background())
	if err != nil {
		return err
	}
	listener, err := a.listen()
	if err != nil {
		return err
	}
	a.addr.Store(listener.Addr().String())
	a.own.Add(listener.Addr())
	if a.cfg.BaseURL == "" {
		a.cfg.BaseURL = BaseURLOf(a.Addr())
	}
	if a.cfg.ReportURL == "" {
		a.cfg.ReportURL = a.cfg.BaseURL
	}
	if !hasUsers {
		a.setupToken = sett.NewWebSecret()
	}
	a.sites = a.newSites()
	a.compaction = watch.NewCompaction(a.upkeep())
	handler, err := a.handler()
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	background, err := a.background()
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	if handler, err = a.serveTLS(listener, handler); err != nil {
		return errors.Join(err, listener.Close())
	}
	if err := a.serveGRPC(); err != nil {
		return errors.Join(err, a.stopTLS(context.Background()), listener.Close())
	}
	if a.demo == nil {
		a.sites.Start()
	}
	a.work = loop.Start(context.Background(), slices.Concat(background, a.showing(), a.certifying())...)
	a.server = a.newServer(handler)
	a.server.RegisterOnShutdown(a.sites.Drain)
	a.server.RegisterOnShutdown(a.pages.Drain)
	go func() {
		if err := a.server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			a.failed <- fmt.Errorf("serve: %w", err)
		}
	}()
	a.log.Info("sett is ready", "address", a.cfg.BaseURL, "listen", a.Addr(), "database", a.store.Engine())
	if !hasUsers {
		a.log.Warn("there is no account yet", "hint", "open the link, or run the command, to create the first one", "link", a.cfg.BaseURL+"/setup?token="+a.setupToken, "command", operate.SetupCommand(a.cfg.storage()))
	}
	return nil
}

// ReleaseMemory returns memory to the system that Start used: several times what the server needs then. It collects the
// garbage of the whole process.
func (a *App) ReleaseMemory(ctx context.Context) {
	if err := a.store.ReleaseMemory(ctx); err != nil {
		a.log.Warn("memory that was used at startup is still in use", "error", err, "hint", "restart the server if it has little memory")
	}
	debug.FreeOSMemory()
}

// newServer serves a handler, with bounds on slow clients.
func (a *App) newServer(handler http.Handler) *http.Server {
	return &http.Server{
		Handler: handler, ReadHeaderTimeout: headerTimeout, ReadTimeout: readTimeout, WriteTimeout: writeTimeout,
		IdleTimeout: idleTimeout, MaxHeaderBytes: headerBytes, ErrorLog: slog.NewLogLogger(a.log.Handler(), slog.LevelDebug),
	}
}

// background are the loops that run without requests. A demo checks nothing and sends no notifications.
func (a *App) background() ([]*loop.Loop, error) {
	email, domain, err := a.email()
	if err != nil {
		return nil, err
	}
	a.setUpNotifications(email, domain)
	if a.demo != nil {
		return a.goingOn()
	}
	return slices.Concat(a.watching(), a.notificationLoops(email), a.beating()), nil
}

// handler is everything that is served.
func (a *App) handler() (http.Handler, error) {
	proxies := serve.Proxies{Trusted: a.cfg.TrustedProxies}
	passkeys, err := auth.NewPasskeys(a.cfg.BaseURL)
	if err != nil {
		return nil, err
	}
	email, _, err := a.email()
	if err != nil {
		return nil, err
	}
	if a.status, err = a.newStatusPages(proxies); err != nil {
		return nil, err
	}
	passwords := auth.NewPasswords(a.passwordCost)
	sessions := auth.NewSessions(a.store.Accounts, proxies, a.now, a.cfg.BaseURL)
	throttle := auth.NewThrottle(a.store.Accounts, proxies, a.now)
	desk := a.desk(proxies, throttle)
	a.pages, err = web.New(web.Options{
		Store: a.store, DB: a.store.DB, Accounts: a.store.Accounts, Status: a.store.Status, Uptime: a.store.Uptime, Faults: a.store.Faults, Search: a.store.Search, Intake: a.store.Intake, Releases: a.store.Releases, Repos: a.store.Repos, Deliveries: a.store.Deliveries, Insights: a.store.Insights, Alarms: a.store.Alarms, Dashboards: a.store.Dashboards, Sheets: a.store.Sheets, Attachments: a.store.Attachments, SourceMaps: a.store.SourceMaps, Maps: a.maps, Moves: a.store.Moves, InsightBytes: a.cfg.InsightBytes, Sessions: sessions, Passwords: passwords,
		Throttle: throttle, Passkeys: passkeys, OIDC: a.oidc(), OAuth: desk, SAML: a.identityProviders(), LookupTXT: a.cfg.dns().LookupTXT,
		ProxyHeader: auth.NewProxyHeader(proxies, a.cfg.SignIn.ProxyHeader), Proxies: proxies, Now: a.now, BaseURL: a.cfg.BaseURL, ReportURL: a.cfg.ReportURL, Log: a.log,
		Plan: accounts.Plan(a.cfg.Plan), Locations: a.cfg.LocationLabels.With(a.cfg.ownLocation()), StatusHost: a.cfg.statusHost(), StatusPreview: a.status.Preview, SetupToken: a.setupToken, Limits: a.limits(), Keys: a.keys,
		Version: about.Current().Version, Mail: a.cfg.SMTPURL != "", TestMail: a.testMail(email), Jobs: a.Jobs, Spooled: a.inSpool, Objects: a.objectState, Backup: a.backups(),
	}, user.Area, fault.Area, project.Area, events.Area, uptime.Area, settings.Area, statusadmin.Area, people.Area, finder.Area, manual.Area, admin.Area)
	if err != nil {
		return nil, err
	}
	tokens, limiter := auth.NewTokens(a.store.Accounts, proxies, a.now), auth.NewLimiter(a.store.Intake, a.cfg.APIRateLimit)
	management := api.New(api.Options{
		DB: a.store.DB, Accounts: a.store.Accounts, Status: a.store.Status, Uptime: a.store.Uptime, Faults: a.store.Faults, Search: a.store.Search, Intake: a.store.Intake, Releases: a.store.Releases, Repos: a.store.Repos, Deliveries: a.store.Deliveries, Attachments: a.store.Attachments, SourceMaps: a.store.SourceMaps, Maps: a.maps, Insights: a.store.Insights, Alarms: a.store.Alarms, Dashboards: a.store.Dashboards, Tokens: tokens, Keys: a.keys, Limiter: limiter,
		DeleteProject: a.store.DeleteProject, Erasures: a.store, Limits: a.limits(), Now: a.now, BaseURL: a.cfg.BaseURL, ReportURL: a.cfg.ReportURL, Proxies: proxies,
		IdentityHeader: a.cfg.SignIn.ProxyHeader, Passwords: passwords, Plan: accounts.Plan(a.cfg.Plan), StatusHost: a.cfg.statusHost(),
	})
	third := apiv3.New(apiv3.Options{
		DB: a.store.DB, Accounts: a.store.Accounts, Faults: a.store.Faults, Keys: a.keys, Tokens: tokens, Limiter: limiter, Now: a.now, BaseURL: a.cfg.BaseURL,
		Version: about.Current().Version, Routes: management.Routes(), Answer: management.Answer,
	})
	agents := a.agents(desk, tokens, management)
	intake := a.intake(a.uploads, proxies)
	a.reports = intake
	directories, err := a.directoryRoutes(proxies)
	if err != nil {
		return nil, err
	}
	sentry := sentryapi.New(sentryapi.Options{
		DB: a.store.DB, Accounts: a.store.Accounts, Faults: a.store.Faults, Search: a.store.Search, Releases: a.store.Releases, Uptime: a.store.Uptime, SourceMaps: a.store.SourceMaps, Uploads: a.uploads, Maps: a.maps,
		Tokens: tokens, Keys: a.keys, Limiter: limiter, Now: a.now, Proxies: proxies, ReportURL: a.cfg.ReportURL,
	})
	routes := slices.Concat(intake.Routes(), management.Routes(), a.sites.Routes(), a.systemRoutes(proxies, a.metricsRoute(proxies)))
	routes = slices.Concat(routes, intake.RoutesOfOthers(), sentry.Routes(), third.Routes(), agents.Routes(), desk.Routes(), directories, a.documentRoutes(routes), a.pages.Routes(), a.status.Routes(), a.demoRoutes(sessions))
	wrap := func(route serve.Route, next serve.Handler) serve.Handler {
		if route.Name == serve.NotFound {
			next = intake.AtOldAddress(ingest.AllowOrigins(ingest.Foreign(a.log, a.now, next)))
		}
		return third.Wrap(route, a.fromReplica(route, a.refuseOwn(route, a.pages.Wrap(route, management.Wrap(route, next)))))
	}
	mux := serve.NewMux(routes, serve.MuxOptions{
		Wrap: wrap, Log: a.log, Error: a.pages.Error, Bodies: a.bodies, Answers: &a.responses, HTTPS: strings.HasPrefix(a.cfg.BaseURL, "https://"), Addresses: a.cfg.addresses(),
	})
	a.calls = intake.GRPCRoutes()
	return a.noteGRPC(a.noteProxies(proxies, a.status.ByHost(mux))), nil
}

// fromReplica lets a route that only reads use the read replica, and the primary if the replica does not finish a query.
func (a *App) fromReplica(route serve.Route, next serve.Handler) serve.Handler {
	if !a.store.HasReplica() || !route.ReadsWhole() {
		return next
	}
	return serve.Again(next, db.FromReplica, func(err error) bool { return errors.Is(err, db.ErrReplica) })
}

// intake is what takes reports of clients.
func (a *App) intake(uploads *upload.Desk, proxies serve.Proxies) *ingest.Ingest {
	return ingest.New(ingest.Options{Keys: a.keys, Buffer: a.buffer, Pings: a.pings, Events: a.events, Spool: a.spool, DB: a.store.DB, Faults: a.store.Faults, Uptime: a.store.Uptime, Uploads: a.uploads, Maps: a.maps, Scrubbing: &a.scrubbing, Attachments: a.store.Attachments, Discards: &a.discards, Sessions: &a.sessions, Forward: a.relay.Send, Repositories: a.store.Repos, RecordDelivery: a.store.RecordDelivery, Tracker: a.store.Deliveries.TrackerByID, Now: a.now, Proxies: proxies, BaseURL: a.cfg.BaseURL})
}

// listen opens the listener, unless reports were accepted by one already.
func (a *App) listen() (net.Listener, error) {
	if a.listener != nil {
		return a.listener, nil
	}
	listener, err := net.Listen("tcp", a.cfg.Listen)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", a.cfg.Listen, err)
	}
	return listener, nil
}

// Addr returns the host and port that are listened on.
func (a *App) Addr() string {
	addr, _ := a.addr.Load().(string)
	return addr
}

// BaseURL returns the URL for users.
func (a *App) BaseURL() string { return a.cfg.BaseURL }

// Store returns the open store, for tests that look behind the interface.
func (a *App) Store() *store.Store { return a.store }

// Err reports a listener that died.
func (a *App) Err() <-chan error { return a.failed }

// Stop takes no more connections, finishes the requests that run and stores what was accepted, then closes the
// database. What is not finished when ctx ends is cut off.
func (a *App) Stop(ctx context.Context) error {
	a.draining.Store(true)
	a.endBackup()
	ctx, cancel := a.whileAnswering(ctx)
	defer cancel()
	var err error
	if a.server != nil {
		if err = a.server.Shutdown(ctx); err != nil {
			err = errors.Join(err, a.server.Close())
		}
	}
	err = errors.Join(err, a.stopTLS(ctx), a.stopGRPC(ctx))
	ended := make(chan error, 1)
	go func() { ended <- a.finish(ctx) }()
	select {
	case finished := <-ended:
		return errors.Join(err, finished)
	case <-patience(ctx, time.Second): // for what ends with ctx to say so
		return errors.Join(err, errors.New("the database did not respond in time; recent writes may be lost"))
	}
}

// finish stores what was accepted, ends background work and closes the database. It waits for a database that hangs.
func (a *App) finish(ctx context.Context) (err error) {
	a.buffer.Close()
	a.pings.Close()
	a.events.Close()
	a.stopForwarding(ctx)
	err = errors.Join(a.saveIntakeCounts(ctx), a.saveSessions(ctx), a.maps.SaveUse(ctx))
	a.maps.Close()
	if a.work != nil {
		err = errors.Join(err, a.work.Stop(ctx), a.stopNotifications(ctx))
	}
	if a.work != nil && a.demo == nil {
		err = errors.Join(err, a.sites.Stop(ctx))
	}
	if a.certificates != nil {
		a.certificates.Stop()
	}
	return errors.Join(err, a.loops.Stop(ctx), a.closeSpool(ctx), a.store.Close())
}

// A stop waits for the database, but not for one that has gone for so long.
const (
	goneFor   = 2 * time.Second
	askWhile  = time.Second // with one question
	askAgain  = 250 * time.Millisecond
	goneError = "the database does not respond, so the server stops without finishing its writes"
)

// whileAnswering returns a context that also ends when the database does not answer.
func (a *App) whileAnswering(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		for answered := time.Now(); ctx.Err() == nil; {
			if a.answers(ctx) {
				answered = time.Now()
			} else if time.Since(answered) > goneFor {
				a.log.Error(goneError, "hint", "the next start completes the counts; check PostgreSQL")
				cancel()
			}
			select {
			case <-ctx.Done():
			case <-time.After(askAgain):
			}
		}
	}()
	return ctx, cancel
}

func (a *App) answers(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, askWhile)
	defer cancel()
	return a.store.Ping(ctx) == nil
}

// patience returns a channel that is closed some time after ctx has ended.
func patience(ctx context.Context, more time.Duration) <-chan struct{} {
	over := make(chan struct{})
	context.AfterFunc(ctx, func() { time.AfterFunc(more, func() { close(over) }) })
	return over
}
