package operate

import (
	"context"
	"errors"
	"fmt"
	"os"

	"sett/internal/base/seal"
	"sett/internal/sett"
	"sett/internal/store"
	"sett/internal/store/db"
)

// NewSecretKey returns a key for the first line of a key file.
func NewSecretKey() string { return seal.NewKey().Text() }

// withSecrets lets do work on the database of in, whose schema is brought up to date.
func withSecrets[T any](ctx context.Context, in Installation, do func(*store.Store) (T, error)) (result T, err error) {
	s, err := store.Open(ctx, in.existing())
	if err != nil {
		return result, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if _, _, err := s.Migrate(ctx); err != nil {
		return result, err
	}
	return do(s)
}

// RotateSecretKey changes the key that secrets are encrypted with; see store.RotateKey.
func RotateSecretKey(ctx context.Context, in Installation) (db.Rotation, error) {
	return withSecrets(ctx, in, func(s *store.Store) (db.Rotation, error) { return s.RotateKey(ctx) })
}

// ForgetSecrets forgets what was encrypted with a key that is lost; see store.ForgetLost.
func ForgetSecrets(ctx context.Context, in Installation) ([]db.ForgottenValues, error) {
	return withSecrets(ctx, in, func(s *store.Store) ([]db.ForgottenValues, error) { return s.ForgetLost(ctx) })
}

// WipeSecrets leaves no readable copies of old secrets in the files of the database; see store.WipeOld. It returns the copies
// of the database that still have some.
func WipeSecrets(ctx context.Context, in Installation) (copies []string, err error) {
	return withSecrets(ctx, in, func(s *store.Store) ([]string, error) {
		if _, err := s.Unlock(ctx); err != nil {
			return nil, err
		}
		if err := s.WipeOld(ctx); err != nil {
			return nil, err
		}
		return s.PlainCopies()
	})
}

// secrets looks whether the server has the key that the database needs, and who can read it and the database.
func (d *doctor) secrets(ctx context.Context) {
	const check = "secrets"
	if !d.current(ctx) {
		return
	}
	file, err := d.store.CheckKeys(ctx)
	if d.failed(check, err) {
		return
	}
	others, err := seal.Readable(file)
	left, unknown := d.store.LeftOver(ctx)
	open := d.store.OpenFiles()
	copies, unlisted := d.store.PlainCopies()
	switch {
	case file == "" || seal.Missing(err):
		d.found(check, Warn, "there is no key file yet; sett serve creates it; keep a copy, because backups do not contain it")
	case d.failed(check, errors.Join(err, unknown, unlisted)):
	case len(open) > 0:
		d.found(check, Fails, "other users can read or change %s; run chmod 600 on the files as their owner", fmt.Sprintf("%q", open))
	case others:
		d.found(check, Warn, "other users can read or change the key file %s; run chmod 600 on it", file)
	case left:
		d.found(check, Warn, "the database files may still contain readable copies of old secrets; run sett secrets wipe")
	case len(copies) > 0:
		d.found(check, Warn, "%q contain unencrypted secrets; delete them when you no longer need to return to an earlier version", copies)
	default:
		d.found(check, Fine, "the key file %s matches the database; keep a copy of it separate from the backups", file)
	}
}

// errNoForgetting is the error of forgetting without a word that it is meant.
var errNoForgetting = sett.Errorf(sett.Invalid, "this deletes every secret that the key file cannot decrypt; add --yes to confirm")

// CheckForgetting returns an error unless an operator has said that they mean it.
func CheckForgetting(yes bool) error {
	if !yes {
		return errNoForgetting
	}
	return nil
}

// MissingKeyFile returns the name of the key file that a server of the installation looks for, where it is not there.
func MissingKeyFile(in Installation) string {
	file := in.SecretKeyFile()
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		return ""
	}
	return file
}
