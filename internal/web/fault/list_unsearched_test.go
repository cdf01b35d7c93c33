package fault_test

import (
	"context"
	"net/url"
	"strings"
	"testing"
	"time"

	"sett/internal/sett"
	"sett/internal/store"
	"sett/internal/store/block"
)

// A search by fields of events that runs out of time says so, shows what it has found, and leads to a search for the rest.
func TestListSaysWhatWasNotSearched(t *testing.T) {
	t.Parallel()
	o := open(t)
	stored := o.App.Store()
	stored.Blocks.Sizes = block.Sizes{Most: 2, Least: 2}
	o.report(`{"error":{"class":"Old"},"server":{"hostname":"web-1"}}`)
	o.report(`{"error":{"class":"Old"},"server":{"hostname":"web-1"}}`)
	if err := stored.Intake.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	rest := func(context.Context, time.Duration) error { return nil }
	done, err := stored.Compact(t.Context(), store.Purge{Now: time.Now, Rest: rest})
	if err != nil || done.Blocks != 1 {
		t.Fatalf("%+v, %v", done, err)
	}
	o.report(`{"error":{"class":"New"},"server":{"hostname":"web-1"}}`)
	var last int64
	if err := stored.Read.QueryRowContext(t.Context(), `SELECT max(last_id) FROM blocks`).Scan(&last); err != nil {
		t.Fatal(err)
	}
	older := "occurred.before:" + sett.NoticeID(last+1).Time().Add(time.Minute).Format(`"2006-01-02 15:04"`)

	const late, damaged = "ran out of time", "are damaged"
	// Each search is another one: what was found in a block is kept.
	lacks(t, o.member.Get(o.list()+"?q=hostname%3Awe*").Want(200, "<strong>Old</strong>", "<strong>New</strong>").CheckPage().Body, late, damaged)

	stored.Search.SearchTime = -time.Second
	page := o.member.Get(o.list()+"?q=hostname%3Aweb-*").Want(200, "<strong>New</strong>", late, "Search older events", strings.ReplaceAll(url.QueryEscape(older), "+", "&#43;")).CheckPage()
	lacks(t, page.Body, "<strong>Old</strong>", damaged)
	page = o.member.Get(o.list()+"?q=hostname%3Aweb-*+occurred.after%3Ayesterday").Want(200, late, "search a shorter time").CheckPage()
	lacks(t, page.Body, "Search older events")
	lacks(t, o.member.Get(o.list()+"?q=class%3AOld").Want(200, "<strong>Old</strong>").Body, late)

	stored.Search.SearchTime = time.Minute
	if _, err := stored.Write.ExecContext(t.Context(), `UPDATE blocks SET notices = substr(notices, 1, 2)`); err != nil {
		t.Fatal(err)
	}
	page = o.member.Get(o.list()+"?q=hostname%3Aw*").Want(200, "<strong>New</strong>", damaged).CheckPage()
	lacks(t, page.Body, "<strong>Old</strong>", late)
}
