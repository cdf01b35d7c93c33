// Package upload accepts source maps in any protocol. It lets few uploads run at a time, and keeps the bodies of the others on the disk
// until it is their turn. It decodes each map once, so that a damaged one is refused while its build can still be corrected, and stores it.
// The package never decides who may upload.
package upload

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"sett/internal/base/turn"
	"sett/internal/event/sourcemap"
	"sett/internal/event/sourcemap/function"
	"sett/internal/sett"
	"sett/internal/store/sourcemapdb"
)

// The bounds on uploads. A build sends many at once, so those beyond atOnce wait for their turn. The turns go round among senders.
const (
	atOnce     = 2                // requests of a process that are decoded and stored
	longestTry = 50 * time.Second // until a request gets its turn
	Patience   = time.Minute      // then, until it is stored
)

// Desk is where all uploads of a process arrive. It is safe for concurrent use.
type Desk struct {
	store    *sourcemapdb.Store
	bodies   bodies
	slots    *turn.Places
	decoding chan struct{} // one: a decoded map is much larger than its text
}

// NewDesk returns a Desk that stores maps in s, and keeps the bodies of requests in a directory until they are read.
func NewDesk(s *sourcemapdb.Store, dir string) *Desk {
	return &Desk{s, bodies{dir: dir, of: map[int64]kept{}}, turn.New(atOnce, atOnce), make(chan struct{}, 1)}
}

// Enter reads the body of a request to its end, and then waits until it may be decoded and stored: so a body that arrives slowly keeps no other
// upload waiting. It gives the request some time to answer. The sender of the request is known by an id, and its caller bounds the body, which is
// nil if it was read. Leave frees the place.
func (d *Desk) Enter(w http.ResponseWriter, r *http.Request, sender int64, body io.Reader, answer time.Duration) (whole io.Reader, leave func(), err error) {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(longestTry + longestBody + answer)) // a test's writer has no deadlines
	free := func() {}
	if body != nil {
		if whole, free, err = d.Receive(w, r, sender, body); err != nil {
			return nil, nil, err
		}
	}
	left, err := d.enter(r.Context(), sender)
	if err != nil {
		free()
		return nil, nil, err
	}
	return whole, func() { left(); free() }, nil
}

func (d *Desk) enter(ctx context.Context, sender int64) (leave func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, longestTry)
	defer cancel()
	if leave, err = d.slots.Take(ctx, sender); err != nil {
		return nil, errBusy()
	}
	return leave, nil
}

func errBusy() error {
	return &sett.Error{Code: sett.Unavailable, Message: "The server is busy with other uploads. Upload again in a minute.", RetryAfter: time.Minute}
}

// Save decodes a map and stores it, with the functions of the minified file if that is there. The error is Invalid if the map cannot be used, or
// one of sourcemaps.Store.Save.
func (d *Desk) Save(ctx context.Context, now time.Time, u sourcemapdb.Upload, minified []byte) error {
	_, err := d.save(ctx, now, u, minified)
	return err
}

// Add is Save for a map from another server, which is older than what clients have uploaded here. It reports whether it was stored.
func (d *Desk) Add(ctx context.Context, now time.Time, u sourcemapdb.Upload, minified []byte) (stored bool, err error) {
	u.Older = true
	id, err := d.save(ctx, now, u, minified)
	return id != 0, err
}

func (d *Desk) save(ctx context.Context, now time.Time, u sourcemapdb.Upload, minified []byte) (id int64, err error) {
	if err := d.describe(ctx, &u, minified); err != nil {
		return 0, err
	}
	ctx, cancel := context.WithTimeout(ctx, Patience)
	defer cancel()
	return d.store.Save(ctx, now, u)
}

// describe notes what a map says of itself and its minified file, one at a time. An upload may know the debug id already.
func (d *Desk) describe(ctx context.Context, u *sourcemapdb.Upload, minified []byte) error {
	select {
	case d.decoding <- struct{}{}:
		defer func() { <-d.decoding }()
	case <-ctx.Done():
		return ctx.Err()
	}
	m, err := sourcemap.Parse(u.Map, sourcemap.Largest)
	if e, ok := errors.AsType[*sourcemap.Error](err); ok {
		return sett.Errorf(sett.Invalid, "%s.", e.Text)
	}
	if err != nil {
		return err
	}
	names, contained := m.Sources()
	u.Sources, u.Contained = len(names), contained
	if u.DebugID == "" {
		u.DebugID = m.DebugID
	}
	if table := function.Of(minified, m); table != nil {
		u.Functions = table.Encode()
	}
	return nil
}
