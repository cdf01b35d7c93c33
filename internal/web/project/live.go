package project

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strconv"
	"time"

	"sett/internal/sett"
	"sett/internal/web"
)

// livePage is what comes in right now.
type livePage struct {
	web.Shell
	Notices []tailed
	Stream  string // path of the stream
	Setup   string // path of the page that says how to connect an app
}

// tailed is a notice that came in, as a row.
type tailed struct {
	sett.TailedNotice
	ProjectID int64
	When      web.Moment
}

// UUID names the notice in addresses.
func (n tailed) UUID() string { return n.Key.UUID().String() }

// How much of the past a live page shows, and how many notices a second it takes: of more, the newest.
const (
	liveBefore = 15 * time.Minute
	liveMost   = 50
)

func (p *pages) live(w http.ResponseWriter, r *http.Request) error {
	id, now := web.Project(r), p.Now()
	found, err := p.Store.NoticesAfter(r.Context(), id, sett.NoticeIDAt(now.Add(-liveBefore)), liveMost)
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

// streamPath is the path of a stream that begins behind a notice.
func streamPath(path string, last sett.NoticeID) string {
	return path + "?after=" + strconv.FormatInt(int64(last), 10)
}

// lastSeen is the notice behind which a stream goes on: the last one that the browser got, or that its page shows, but none
// that is long ago.
func lastSeen(r *http.Request, now time.Time) sett.NoticeID {
	text := cmp.Or(r.Header.Get("Last-Event-ID"), r.URL.Query().Get("after"))
	id, _ := strconv.ParseInt(text, 10, 64) // what is no number is long ago
	return max(sett.NoticeID(id), sett.NoticeIDAt(now.Add(-liveBefore)))
}

// liveEvents sends a row for each notice that comes in.
func (p *pages) liveEvents(w http.ResponseWriter, r *http.Request) error {
	last := lastSeen(r, p.Now())
	return p.Listen(w, r, func(ctx context.Context, e web.Events) (bool, error) {
		found, err := p.Store.NoticesAfter(ctx, web.Project(r), last, liveMost)
		for _, n := range slices.Backward(found) {
			if err := p.sendNotice(e, web.Project(r), n); err != nil {
				return false, err
			}
			last = n.Key
		}
		return false, err
	})
}

func (p *pages) sendNotice(e web.Events, project int64, n sett.TailedNotice) error {
	row, err := p.Part("live", "tailed", tailed{n, project, web.Moment{Now: p.Now(), At: n.CreatedAt()}})
	if err != nil {
		return err
	}
	return e.Send("row", strconv.FormatInt(int64(n.Key), 10), row)
}
