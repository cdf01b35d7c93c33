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
		log.Info("the key that encrypts secrets was created", "file", u.MadeFile, "hint", "keep a copy apart from your backups; every server of this database needs it")
	}
	if u.Sealed > 0 {
		log.Info("encrypted the secrets that an earlier version stored in plain text", "secrets", u.Sealed, "hint", "older backups and copies still contain them")
	}
	if u.LeftOver != nil {
		log.Warn("the database files may still contain readable copies of old secrets", "error", u.LeftOver, "hint", "run: sett secrets wipe")
	}
	copies, err := s.PlainCopies()
	if len(copies) > 0 {
		log.Warn("copies of the database contain secrets in plain text", "files", copies, "hint", "delete them when you no longer need to return to an earlier version")
	}
	return err
}
