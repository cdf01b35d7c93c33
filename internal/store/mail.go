package store

import (
	"context"
	"encoding/json"
	"time"

	"sett/internal/sett"
)

const queueMail = `-- store.queueMail
INSERT INTO mails (recipient, kind, fields, created_at, due_at) VALUES ($1, $2, $3, $4, $4)`

// queueMail stores a mail that is to be sent once the transaction has committed.
func (t *tx) queueMail(ctx context.Context, now time.Time, m sett.Mail) error {
	fields, err := json.Marshal(m.Fields)
	if err != nil {
		return err
	}
	_, err = t.exec(ctx, queueMail, m.To, string(m.Kind), string(fields), micros(now))
	return err
}
