package project

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strconv"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/faults"
	"sett/internal/web"
)

// livePage shows events as they arrive.
type livePage struct {
	web.Shell
	Notices []tailed
	Stream  string // path of the stream
	Setup   string // path of the page that explains how to connect an app
}

// tailed is the row of a notice that arrived.
type tailed struct {
	faults.TailedNotice
	ProjectID int64
	When      web.Moment
}

// UUID returns the ID of the notice for URLs.
func (n tailed) UUID() string { return n.Key.UUID().String() }

// How much of the past a live page shows, and how many notices per second: if there are more, the newest.
const (
	liveBefore = 15 * time.Minute
	liveMost   = 50
)

func (p *pages) live(w http.ResponseWriter, r *http.Request) error {
	id, now := web.Project(r), p.Now()
	found, err := p.Faults.NoticesAfter(r.Context(), id, sett.NoticeIDAt(now.Add(-liveBefore)), liveMost)
	if err != nil {
		return err
	}
	page := livePage{Shell: p.Shell(r, "Live").In("faults"), Setup: setupPath(id)}
	last := sett.NoticeIDAt(now)
	for i, n := range found {
		if i == 0 {
			last = max(last, n.Key)
		}
		page.Notices = append(page.Notices, tailed{n, id, page.Moment(n.CreatedAt())})
	}
	page.Stream = streamPath(page.Here+"/events", last)
	return p.Show(w, r, http.StatusOK, "live", page)
}

// streamPath returns the path of a stream that starts after a notice.
func streamPath(path string, last sett.NoticeID) string {
	return path + "?after=" + strconv.FormatInt(int64(last), 10)
}

// lastSeen returns the notice after which a stream continues: the last one that the browser received or that its page shows,
// but no older one than the page would show.
func lastSeen(r *http.Request, now time.Time) sett.NoticeID {
	text := cmp.Or(r.Header.Get("Last-Event-ID"), r.URL.Query().Get("after"))
	id, _ := strconv.ParseInt(text, 10, 64) // an invalid number counts as old
	return max(sett.NoticeID(id), sett.NoticeIDAt(now.Add(-liveBefore)))
}

// liveEvents sends a row for each notice that arrives.
func (p *pages) liveEvents(w http.ResponseWriter, r *http.Request) error {
	last := lastSeen(r, p.Now())
	return p.Listen(w, r, func(ctx context.Context, e web.Events) (bool, error) {
		found, err := p.Faults.NoticesAfter(ctx, web.Project(r), last, liveMost)
		for _, n := range slices.Backward(found) {
			if err := p.sendNotice(r, e, n); err != nil {
				return false, err
			}
			last = n.Key
		}
		return false, err
	})
}

func (p *pages) sendNotice(r *http.Request, e web.Events, n faults.TailedNotice) error {
	row, err := p.Part("live", "tailed", tailed{n, web.Project(r), web.Moment{Now: p.NowFor(r), At: n.CreatedAt()}})
	if err != nil {
		return err
	}
	return e.Send("row", strconv.FormatInt(int64(n.Key), 10), row)
}
