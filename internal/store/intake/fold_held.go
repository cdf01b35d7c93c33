package intake

import (
	"errors"
	"time"

	"sett/internal/store/db"
)

// mostOverdue is how many times more may be pending when rows are held that folds write than else: what is recorded must
// not wait for another transaction that holds the row of one project.
const mostOverdue = 16

// heldFor is how long batches skip the fold after rows were held.
const heldFor = 10 * time.Second

// noteFold remembers whether a fold met rows that are held.
func (d *digests) noteFold(now time.Time, err error) {
	switch {
	case err == nil:
		d.heldAt.Store(0)
	case errors.Is(err, db.ErrHeld):
		d.heldAt.Store(now.UnixNano())
	}
}

func (d *digests) heldLately() bool {
	at := d.heldAt.Load()
	return at != 0 && time.Since(time.Unix(0, at)) < heldFor
}
