package db

import (
	"testing"
	"time"
)

// Pings are written by collecting.
func TestRowsAreCollectedWithoutAllocatingForEach(t *testing.T) {
	var name string
	var count int64
	var ok bool
	var at time.Time
	rows := Columns{At("name", &name), At("count", &count), At("ok", &ok), At("at", TimeIn(&at))}.Collector()
	if allocated := testing.AllocsPerRun(1000, func() {
		count, at = count+1000, at.Add(time.Hour)
		rows.Add()
	}); allocated != 0 {
		t.Errorf("%v allocations for a collected row", allocated)
	}
	if counts := rows.Rows()[1].([]int64); counts[0] != 1000 || counts[1000] != 1_001_000 {
		t.Errorf("collected %d, …, %d", counts[0], counts[1000])
	}
}
