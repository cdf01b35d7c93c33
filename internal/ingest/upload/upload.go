// Package upload takes source maps in, whatever protocol they came with: it lets few uploads run at a time, decodes each map once, so that a
// damaged one is refused while its build can be corrected, and stores it. In come requests that wait for their turn, and maps with what they
// are found by; out go stored maps or errors for those who sent them. The package never reads a request, and never decides who may upload.
package upload

import (
	"context"
	"errors"
	"net/http"
	"time"

	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/sourcemap"
	sourcemaps "sett/internal/store/sourcemap"
)

// The bounds on uploads. A build sends many at once, so those beyond atOnce wait for their turn.
const (
	atOnce     = 2 // requests of a process that are read, decoded and stored
	waiting    = 100
	longestTry = 50 * time.Second // until a request gets its turn
	readWithin = 2 * time.Minute  // then, until its body has arrived
	Patience   = time.Minute      // then, until it is stored
)

// Desk is where all uploads of a process arrive. It is safe for concurrent use.
type Desk struct {
	store    *sourcemaps.Store
	slots    chan struct{} // one for each upload that is read and stored
	waiting  chan struct{} // one for each that waits for a slot
	decoding chan struct{} // one: a decoded map is much larger than its text
}

// NewDesk returns a Desk that stores maps in s.
func NewDesk(s *sourcemaps.Store) *Desk {
	return &Desk{s, make(chan struct{}, atOnce), make(chan struct{}, waiting), make(chan struct{}, 1)}
}

// Enter waits until the body of a request may be read, and gives it the time for that, and then some time to answer. The sender of the
// request is known, and its caller bounds what it reads. Leave frees the place.
func (d *Desk) Enter(w http.ResponseWriter, r *http.Request, answer time.Duration) (leave func(), err error) {
	control := http.NewResponseController(w)
	_ = control.SetWriteDeadline(time.Now().Add(longestTry + readWithin + answer)) // a test's writer has no deadlines
	if leave, err = d.enter(r.Context()); err != nil {
		return nil, err
	}
	_ = control.SetReadDeadline(time.Now().Add(readWithin))
	serve.Unbudgeted(r.Context())
	return leave, nil
}

func (d *Desk) enter(ctx context.Context) (leave func(), err error) {
	select {
	case d.waiting <- struct{}{}:
		defer func() { <-d.waiting }()
	default:
		return nil, errBusy()
	}
	ctx, cancel := context.WithTimeout(ctx, longestTry)
	defer cancel()
	select {
	case d.slots <- struct{}{}:
		return func() { <-d.slots }, nil
	case <-ctx.Done():
		return nil, errBusy()
	}
}

func errBusy() error {
	return &sett.Error{Code: sett.Unavailable, Message: "The server is busy with other uploads of source maps. Upload again in a minute.", RetryAfter: time.Minute}
}

// Save decodes a map and stores it. The error is Invalid if the map cannot be used, or one of sourcemaps.Store.Save.
func (d *Desk) Save(ctx context.Context, now time.Time, u sourcemaps.Upload) error {
	if err := d.describe(ctx, &u); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, Patience)
	defer cancel()
	_, err := d.store.Save(ctx, now, u)
	return err
}

// describe notes what a map says of itself, one at a time. An upload may know the debug id already.
func (d *Desk) describe(ctx context.Context, u *sourcemaps.Upload) error {
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
	return nil
}
