package app

import (
	"context"
	"log/slog"

	"sett/internal/store"
)

// unlock has the secrets of a database encrypted, and logs what the operator has to know of it.
func unlock(ctx context.Context, s *store.Store, log *slog.Logger) error {
	u, err := s.Unlock(ctx)
	if err != nil {
		return err
	}
	if u.MadeFile != "" {
		log.Info("secret key created: keep this file, and keep a copy separate from backups of the database; every server of this database needs it", "file", u.MadeFile)
	}
	if u.Sealed > 0 {
		log.Info("encrypted secrets that an earlier version had stored in plain text; older backups and copies still contain them", "values", u.Sealed)
	}
	if u.LeftOver != nil {
		log.Warn("the database files may still contain readable copies of old secrets", "error", u.LeftOver)
	}
	copies, err := s.PlainCopies()
	if len(copies) > 0 {
		log.Warn("copies of the database contain unencrypted secrets: delete them when you no longer need to return to an earlier version", "files", copies)
	}
	return err
}
