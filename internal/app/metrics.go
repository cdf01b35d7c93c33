package app

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"sett/internal/serve"
	"sett/internal/sett"
)

// metricsRoute serves what Prometheus collects: the process, the Go runtime, the notices, the checks of sites, and
// the deliveries of alerts.
func (a *App) metricsRoute() serve.Route {
	registry := prometheus.NewRegistry()
	registry.MustRegister(
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "sett_notices_queued", Help: "Notices that wait to be stored.",
		}, func() float64 { return float64(a.buffer.Queued()) }),
	)
	for _, outcome := range []sett.Outcome{sett.Stored, sett.Ignored, sett.Limited, sett.InvalidNotice} {
		registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "sett_notices_total", Help: "Notices since the start, by how they ended.",
			ConstLabels: prometheus.Labels{"outcome": string(outcome)},
		}, func() float64 { return float64(a.buffer.Ended(outcome)) }))
	}
	registry.MustRegister(
		checksGauge("sett_sites", "Sites that are checked from here.", func() float64 { return float64(a.sites.Stats().Targets) }),
		checksGauge("sett_checks_running", "Checks that run or wait for another of the same host.", func() float64 { return float64(a.sites.Stats().Running) }),
		checksGauge("sett_check_lateness_seconds", "The longest since the start that a check began after it was due.",
			func() float64 { return a.sites.Stats().Late.Seconds() }),
		checksTotal("up", func() int64 { s := a.sites.Stats(); return s.Done - s.Failed - s.Unseen }),
		checksTotal("down", func() int64 { return a.sites.Stats().Failed }),
		checksTotal("unseen", func() int64 { return a.sites.Stats().Unseen }),
	)
	registry.MustRegister(
		deliveriesTotal("sent", func() int64 { return a.courier.Tally().Sent }),
		deliveriesTotal("again", func() int64 { return a.courier.Tally().Again }),
		deliveriesTotal("failed", func() int64 { return a.courier.Tally().Failed }),
	)
	return serve.Route{
		Method: "GET", Path: "/metrics", Name: "metrics", Tag: "System", Permission: sett.Public, Quiet: true,
		Status: http.StatusOK, Media: "text/plain", Doc: "Figures for Prometheus, as text.",
		Handle: serve.FromHTTP(promhttp.HandlerFor(registry, promhttp.HandlerOpts{})),
	}
}

func checksGauge(name, help string, value func() float64) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, value)
}

func checksTotal(outcome string, count func() int64) prometheus.Collector {
	return prometheus.NewCounterFunc(prometheus.CounterOpts{
		Name: "sett_checks_total", Help: "Checks of sites from here since the start; unseen are those that said nothing of their site.",
		ConstLabels: prometheus.Labels{"outcome": outcome},
	}, func() float64 { return float64(count()) })
}

func deliveriesTotal(outcome string, count func() int64) prometheus.Collector {
	return prometheus.NewCounterFunc(prometheus.CounterOpts{
		Name: "sett_delivery_attempts_total", Help: "Tries to deliver an alert since the start; again are those that will be made once more.",
		ConstLabels: prometheus.Labels{"outcome": outcome},
	}, func() float64 { return float64(count()) })
}
