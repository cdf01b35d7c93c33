package uptimedb

import (
	"context"
	"time"

	"sett/internal/store/db"
)

const insertCertWarning = `-- uptimedb.warnOfCertificate
INSERT INTO cert_warnings (site_id, fingerprint, threshold, at) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`

// warnOfCertificate records that a certificate of a site has passed a threshold, and reports whether this is the first record: if
// locations see different certificates, each has its own warnings.
func (t Tx) warnOfCertificate(ctx context.Context, now time.Time, number int64, fingerprint string, days int64) (first bool, err error) {
	n, err := t.Changed(ctx, insertCertWarning, number, fingerprint, days, db.Micros(now))
	return n > 0, err
}
