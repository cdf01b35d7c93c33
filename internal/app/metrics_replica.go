package app

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"

	"sett/internal/store/db"
)

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
