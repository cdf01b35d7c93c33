package notify

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"sett/internal/store/deliverydb"
)

// However many filters could not be searched, the log has one line of it.
func TestUnsearchedFiltersAreLogged(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	c := NewDispatcher(DispatcherOptions{Now: time.Now, Log: slog.New(slog.NewTextHandler(&log, nil))})
	c.logUnsearched(nil)
	c.logUnsearched([]deliverydb.UnsearchedFilter{
		{ProjectID: 7, Query: "a", Err: errors.New("boom")}, {ProjectID: 7, Query: "b", Err: errors.New("bang")}, {ProjectID: 9, Query: "c", Err: errors.New("bang")},
	})
	const want = `level=WARN msg="channels were notified without their filters, because the filters could not be searched" filters=3 project_ids="[7 9]" error=boom hint="if it repeats, run: sett doctor"`
	if _, line, _ := strings.Cut(log.String(), " "); line != want+"\n" {
		t.Errorf("log:\n%s\nwant %s", log.String(), want)
	}
}
