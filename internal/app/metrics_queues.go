package app

import (
	"context"
	"strconv"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"sett/internal/base/about"
	"sett/internal/sett/stats"
	"sett/internal/store/queue"
)

// Queues of the database are counted at most once in backlogEvery, however often metrics are read.
const (
	backlogEvery = 5 * time.Second
	backlogLasts = 2 * time.Second
)

// The descriptions of metrics whose labels are only known when they are read.
var (
	queueWaiting   = describe("sett_queue_waiting", "What waits, by queue: in the memory of this process; for spool, in its file; or, for deliveries, mails and status_notices, in the database, counted up to 10,000; alerts that wait behind an older one about the same subject are not counted.", "queue")
	queueLag       = describe("sett_queue_lag_seconds", "How long the oldest entry of a queue in the database has been due, or was in the spool.", "queue")
	answersTotal   = describe("sett_http_responses_total", "Responses since startup, by chapter of the API reference and status.", "chapter", "code")
	droppedTotal   = describe("sett_dropped_total", "What was received and not stored since startup, by reason; checks are results of uptime checks that were lost, spool is reports from the spool that the database did not take.", "reason")
	loopFailures   = describe("sett_loop_failures", "Failures in a row of a background job; 0 after a success.", "loop")
	loopAge        = describe("sett_loop_age_seconds", "Time since a background job that runs on a schedule began its last round.", "loop")
	projectNotices = describe("sett_project_notices_total", "Notices since startup by project and outcome, with --metrics-projects; project 0 is all beyond 1,000 projects.", "project", "outcome")
	spoolBytes     = describe("sett_spool_bytes", "Bytes of reports that the spool holds until the database takes them; absent without a spool.")
	spoolLimit     = describe("sett_spool_limit_bytes", "Bytes of reports that the spool may hold (--spool-bytes); absent without a spool.")
	blocksNow      = describe("sett_blocks", "Blocks of events by place: database, or object_storage; absent without --blocks.", "place")
	blockBytes     = describe("sett_block_bytes", "Bytes of the blocks of events by place: database, or object_storage; absent without --blocks.", "place")
	blockOldest    = describe("sett_block_oldest_waiting_seconds", "Age of the newest event of the first block that is not in object storage yet; 0: all are. Absent without --blocks.")
	deadObjects    = describe("sett_objects_to_delete", "Objects that are to be deleted from object storage; absent without --blocks.")
	objectErrors   = describe("sett_object_errors_total", "Calls of object storage that failed since startup; absent without --blocks.")
	objectUp       = describe("sett_object_storage_up", "1 when object storage responded to the last call of this process; absent without --blocks.")
	cacheReads     = describe("sett_block_cache_reads_total", "Reads of object storage since startup, by result: hit, from the cache on the disk, or miss; absent without --blocks.", "result")
	cacheBytes     = describe("sett_block_cache_bytes", "Bytes in the cache of object storage on the disk; absent without --blocks.")
	readyNow       = describe("sett_ready", "1 when the server can handle requests, as /readyz says.")
	heartbeatUp    = describe("sett_heartbeat_up", "1 when the last heartbeat was accepted, 0 when not; absent without --heartbeat-url.")
	heartbeatLast  = describe("sett_heartbeat_timestamp_seconds", "When a heartbeat was last accepted; 0: never.")
	buildInfo      = describe("sett_build_info", "Always 1, with the version.", "version")
)

func describe(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc(name, help, labels, nil)
}

// figures are the metrics that are collected when they are read.
type figures struct {
	app   *App
	early bool // of a server that waits for its database: only what it has by then

	mu       sync.Mutex // while the database is looked at
	at       time.Time
	backlogs map[string]queue.Backlog // by table; nil: the database did not respond
}

func (f *figures) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{queueWaiting, queueLag, answersTotal, droppedTotal, loopFailures, loopAge, projectNotices, spoolBytes, spoolLimit, blocksNow, blockBytes, blockOldest, deadObjects, objectErrors, objectUp, cacheReads, cacheBytes, readyNow, heartbeatUp, heartbeatLast, buildInfo} {
		to <- d
	}
}

func (f *figures) Collect(to chan<- prometheus.Metric) {
	gauge := func(d *prometheus.Desc, value float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, labels...)
	}
	total := func(d *prometheus.Desc, value int64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(value), labels...)
	}
	f.intake(gauge, total)
	if f.early {
		return
	}
	gauge(queueWaiting, float64(f.app.sites.Unstored()), "checks")
	for table, b := range f.inDatabase() {
		gauge(queueWaiting, float64(b.Waiting), table)
		gauge(queueLag, b.Lag.Seconds(), table)
	}
	total(droppedTotal, f.app.sites.Lost(), "checks")
	f.jobs(gauge)
	f.objects(gauge, total)
}

// intake are the figures of what comes in, which need no database.
func (f *figures) intake(gauge func(d *prometheus.Desc, value float64, labels ...string), total func(d *prometheus.Desc, value int64, labels ...string)) {
	gauge(queueWaiting, float64(f.app.buffer.Queued()), "notices")
	gauge(queueWaiting, float64(f.app.pings.Queued()), "pings")
	gauge(queueWaiting, float64(f.app.events.Queued()), "events")
	if spool, ok := f.app.spool.State(); ok {
		lag := time.Duration(0)
		if !spool.Oldest.IsZero() {
			lag = f.app.now().Sub(spool.Oldest)
		}
		gauge(queueWaiting, float64(spool.Entries), "spool")
		gauge(queueLag, lag.Seconds(), "spool")
		gauge(spoolBytes, float64(spool.Bytes))
		gauge(spoolLimit, float64(f.app.cfg.SpoolBytes))
		total(droppedTotal, spool.Lost, "spool")
	}
	for _, reason := range stats.DroppedReasons {
		total(droppedTotal, f.app.discards.Dropped(reason), reason)
	}
	for of, n := range f.app.buffer.EndedByProject() {
		total(projectNotices, n, strconv.FormatInt(of.Project, 10), string(of.Outcome))
	}
	f.app.responses.Each(func(tag string, status int, n int64) { total(answersTotal, n, tag, strconv.Itoa(status)) })
	ready := 0.0
	if _, is := f.app.checks(context.Background()); is {
		ready = 1
	}
	gauge(readyNow, ready)
	gauge(buildInfo, 1, about.Current().Version)
}

// inDatabase returns what waits in the database, by table; nothing while it does not respond.
func (f *figures) inDatabase() map[string]queue.Backlog {
	f.mu.Lock()
	defer f.mu.Unlock()
	if time.Since(f.at) < backlogEvery {
		return f.backlogs
	}
	ctx, cancel := context.WithTimeout(context.Background(), backlogLasts)
	defer cancel()
	found := map[string]queue.Backlog{}
	for _, q := range []*queue.Queue{f.app.store.Deliveries.Queue, f.app.store.Outbox.Queue, f.app.store.Status.Queue} {
		b, err := q.Backlog(ctx, f.app.now())
		if err != nil {
			f.app.log.Warn("/metrics lacks the queues, because the database did not respond in time", "error", err, "hint", "check the database with: sett doctor")
			found = nil
			break
		}
		found[q.Table()] = b
	}
	f.at, f.backlogs = time.Now(), found
	return found
}

// jobs are the state of the background jobs, and of the heartbeat.
func (f *figures) jobs(gauge func(d *prometheus.Desc, value float64, labels ...string)) {
	for _, job := range f.app.Jobs() {
		gauge(loopFailures, float64(job.Failures), job.Name)
		if job.Every > 0 && !job.Began.IsZero() {
			gauge(loopAge, time.Since(job.Began).Seconds(), job.Name)
		}
	}
	f.heartbeat(gauge)
}

func (f *figures) heartbeat(gauge func(d *prometheus.Desc, value float64, labels ...string)) {
	on, sentAt, err := f.app.heartbeat.state()
	if !on {
		return
	}
	up, last := 1.0, 0.0
	if err != nil {
		up = 0
	}
	if !sentAt.IsZero() {
		last = float64(sentAt.Unix())
	}
	gauge(heartbeatUp, up)
	gauge(heartbeatLast, last)
}

// objects are the figures of object storage: what this process saw of it, and, while the database responds, what is in it.
func (f *figures) objects(gauge func(d *prometheus.Desc, value float64, labels ...string), total func(d *prometheus.Desc, value int64, labels ...string)) {
	o := f.app.objects
	if o == nil {
		return
	}
	cache, up := o.State(), 1.0
	if o.Failed() != nil {
		up = 0
	}
	total(objectErrors, o.Errors())
	gauge(objectUp, up)
	total(cacheReads, cache.Hits, "hit")
	total(cacheReads, cache.Misses, "miss")
	gauge(cacheBytes, float64(cache.Bytes))
	ctx, cancel := context.WithTimeout(context.Background(), backlogLasts)
	defer cancel()
	blocks, err := f.app.store.Blocks.ObjectFigures(ctx)
	if err != nil {
		f.app.log.Warn("/metrics lacks the figures of object storage, because the database did not respond in time", "error", err, "hint", "check the database with: sett doctor")
		return
	}
	gauge(blocksNow, float64(blocks.InDatabase), "database")
	gauge(blocksNow, float64(blocks.Blocks), "object_storage")
	gauge(blockBytes, float64(blocks.Waiting), "database")
	gauge(blockBytes, float64(blocks.Bytes), "object_storage")
	gauge(deadObjects, float64(blocks.Dead))
	oldest := 0.0
	if !blocks.OldestWaiting.IsZero() {
		oldest = f.app.now().Sub(blocks.OldestWaiting).Seconds()
	}
	gauge(blockOldest, oldest)
}
