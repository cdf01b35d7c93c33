package app

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"
)

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
		f.app.log.Warn("metrics lack the blocks in object storage", "error", err)
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
