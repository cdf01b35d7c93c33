package app

import (
	"context"
	"crypto/subtle"
	"net/http"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"sett/internal/serve"
	"sett/internal/serve/auth"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/store/db"
)

// metricsRoute serves what Prometheus collects: the process, the Go runtime, the notices, the checks of sites, and
// the deliveries of alerts.
func (a *App) metricsRoute(proxies serve.Proxies) serve.Route {
	registry := a.intakeMetrics(&figures{app: a})
	registry.MustRegister(
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "sett_notices_waiting_for_block", Help: "Stored notices of all projects that are in no block yet. Searches read them one by one.",
		}, func() float64 { return float64(a.compaction.Waiting()) }),
		checksGauge("sett_sites", "Sites checked by this process.", func() float64 { return float64(a.sites.Stats().Targets) }),
		checksGauge("sett_checks_running", "Checks that are running or waiting for another check of the same host.", func() float64 { return float64(a.sites.Stats().Running) }),
		checksGauge("sett_check_lateness_seconds", "Longest delay of a check since startup.",
			func() float64 { return a.sites.Stats().Late.Seconds() }),
		checksTotal("up", func() int64 { s := a.sites.Stats(); return s.Done - s.Failed - s.Unseen }),
		checksTotal("down", func() int64 { return a.sites.Stats().Failed }),
		checksTotal("unseen", func() int64 { return a.sites.Stats().Unseen }),
		deliveriesTotal("sent", func() int64 { return a.dispatcher.Tally().Sent }),
		deliveriesTotal("again", func() int64 { return a.dispatcher.Tally().Again }),
		deliveriesTotal("failed", func() int64 { return a.dispatcher.Tally().Failed }),
	)
	a.registerReplica(registry)
	return a.serveMetrics(proxies, registry)
}

// intakeMetrics returns the metrics of the process and of what comes in, which need no database.
func (a *App) intakeMetrics(f *figures) *prometheus.Registry {
	registry := prometheus.NewRegistry()
	registry.MustRegister(
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "sett_notices_queued", Help: "Notices waiting to be stored.",
		}, func() float64 { return float64(a.buffer.Queued()) }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "sett_request_body_bytes", Help: "Bytes reserved for request bodies in flight.",
		}, func() float64 { return float64(a.bodies.Held()) }),
		f,
	)
	for _, outcome := range []accounts.Outcome{accounts.Stored, accounts.Ignored, accounts.Limited, accounts.InvalidNotice} {
		registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "sett_notices_total", Help: "Notices since startup, by outcome.",
			ConstLabels: prometheus.Labels{"outcome": string(outcome)},
		}, func() float64 { return float64(a.buffer.Ended(outcome)) }))
	}
	return registry
}

func (a *App) serveMetrics(proxies serve.Proxies, registry *prometheus.Registry) serve.Route {
	return serve.Route{
		Method: "GET", Path: "/metrics", Name: "metrics", Tag: "System", Permission: accounts.ReadFigures, Quiet: true,
		Status: http.StatusOK, Media: "text/plain", Doc: "Metrics in the Prometheus text format.",
		Handle: a.guardFigures(proxies, serve.FromHTTP(promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))),
	}
}

// guardFigures lets in requests that carry the token of the settings, or come from one of its networks.
func (a *App) guardFigures(proxies serve.Proxies, next serve.Handler) serve.Handler {
	networks := serve.Proxies{Trusted: a.cfg.MetricsNetworks}
	return func(w http.ResponseWriter, r *http.Request) error {
		switch {
		case networks.Has(proxies.ClientAddress(r)) && !proxies.Unknown(r):
		case a.cfg.MetricsToken != "" && isToken(r, a.cfg.MetricsToken):
		case a.cfg.MetricsToken == "" && len(a.cfg.MetricsNetworks) == 0:
			return sett.Errorf(sett.Forbidden, "The metrics of this server are not accessible. The operator can set SETT_METRICS_TOKEN or SETT_METRICS_NETWORKS.")
		default:
			return sett.Errorf(sett.Unauthenticated, "The metrics of this server require the value of SETT_METRICS_TOKEN as a Bearer token.")
		}
		return next(w, r)
	}
}

// isToken reports whether a request shows a token, as Bearer or as the password of Basic authentication.
func isToken(r *http.Request, token string) bool {
	_, shown, ok := r.BasicAuth()
	if !ok {
		_, shown, _ = strings.Cut(r.Header.Get("Authorization"), " ")
	}
	return subtle.ConstantTimeCompare(auth.HashToken(shown), auth.HashToken(token)) == 1
}

func checksGauge(name, help string, value func() float64) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, value)
}

func checksTotal(outcome string, count func() int64) prometheus.Collector {
	return prometheus.NewCounterFunc(prometheus.CounterOpts{
		Name: "sett_checks_total", Help: "Site checks by this process since startup; unseen ones had no result for the site.",
		ConstLabels: prometheus.Labels{"outcome": outcome},
	}, func() float64 { return float64(count()) })
}

func deliveriesTotal(outcome string, count func() int64) prometheus.Collector {
	return prometheus.NewCounterFunc(prometheus.CounterOpts{
		Name: "sett_delivery_attempts_total", Help: "Delivery attempts of alerts since startup, by result; 'again' will be retried.",
		ConstLabels: prometheus.Labels{"outcome": outcome},
	}, func() float64 { return float64(count()) })
}

// registerReplica adds the figures of the read replica, if there is one.
func (a *App) registerReplica(registry *prometheus.Registry) {
	if !a.store.HasReplica() {
		return
	}
	reads := func(where, cause string, count func(db.ReplicaUse) int64) prometheus.Collector {
		return prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "sett_replica_reads_total", Help: "Reads of pages and of the API since startup, by where they went; with the cause if the replica could not be used.",
			ConstLabels: prometheus.Labels{"from": where, "cause": cause},
		}, func() float64 { return float64(count(a.store.ReplicaCounts())) })
	}
	registry.MustRegister(reads("replica", "", func(u db.ReplicaUse) int64 { return u.OnReplica }))
	for cause := range a.store.ReplicaCounts().OnPrimary {
		registry.MustRegister(reads("primary", cause, func(u db.ReplicaUse) int64 { return u.OnPrimary[cause] }))
	}
	registry.MustRegister(&replicaLag{a})
}

// replicaLag collects how far the replica is behind. While the replica cannot be used, only sett_replica_up is there.
type replicaLag struct{ app *App }

var (
	replicaUp     = prometheus.NewDesc("sett_replica_up", "1 if the read replica follows the primary.", nil, nil)
	replicaBehind = prometheus.NewDesc("sett_replica_lag_bytes", "Bytes of log that the read replica has not replayed.", nil, nil)
	replicaDelay  = prometheus.NewDesc("sett_replica_lag_seconds", "Age of the last transaction that the read replica has replayed; 0 if it has replayed all.", nil, nil)
)

// Describe implements prometheus.Collector.
func (l *replicaLag) Describe(c chan<- *prometheus.Desc) {
	c <- replicaUp
	c <- replicaBehind
	c <- replicaDelay
}

// Collect implements prometheus.Collector.
func (l *replicaLag) Collect(c chan<- prometheus.Metric) {
	u := l.app.store.Replica(context.Background())
	if u.Err != nil {
		c <- prometheus.MustNewConstMetric(replicaUp, prometheus.GaugeValue, 0)
		return
	}
	c <- prometheus.MustNewConstMetric(replicaUp, prometheus.GaugeValue, 1)
	c <- prometheus.MustNewConstMetric(replicaBehind, prometheus.GaugeValue, float64(u.Behind))
	c <- prometheus.MustNewConstMetric(replicaDelay, prometheus.GaugeValue, u.Delay.Seconds())
}
