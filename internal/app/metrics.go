package app

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"sett/internal/serve"
	"sett/internal/sett"
)

// metricsRoute serves what Prometheus collects: the process, the Go runtime, and the notices.
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
	return serve.Route{
		Method: "GET", Path: "/metrics", Name: "metrics", Tag: "System", Permission: sett.Public, Quiet: true,
		Status: http.StatusOK, Media: "text/plain", Doc: "Figures for Prometheus, as text.",
		Handle: serve.FromHTTP(promhttp.HandlerFor(registry, promhttp.HandlerOpts{})),
	}
}
