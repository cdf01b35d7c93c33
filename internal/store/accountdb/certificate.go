package accountdb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"sett/internal/sett"
	"sett/internal/store/db"
)

// CertificateFile is a file of the certificate store, such as a certificate, its key, or an account at an issuer.
type CertificateFile struct {
	Name       string // with / as the separator
	Content    []byte
	ModifiedAt time.Time
}

const saveCertificateFile = `-- accountdb.SaveCertificateFile
INSERT INTO certificates (name, content, modified_at) VALUES ($1, $2, $3)
ON CONFLICT (name) DO UPDATE SET content = excluded.content, modified_at = excluded.modified_at`

// SaveCertificateFile stores a file; it replaces one with the same name.
func (s *Store) SaveCertificateFile(ctx context.Context, f CertificateFile) error {
	return s.inTx(ctx, "save certificate file", func(t Tx) error {
		t.KeepsCaches = true
		content, err := t.Seal(ctx, sealedFile, string(f.Content), f.Name)
		if err != nil {
			return err
		}
		_, err = t.Exec(ctx, saveCertificateFile, f.Name, []byte(content), db.Micros(f.ModifiedAt))
		return err
	})
}

const certificateFile = `-- accountdb.CertificateFile
SELECT content, modified_at FROM certificates WHERE name = $1`

// CertificateFile returns a file, or a NotFound error.
func (s *Store) CertificateFile(ctx context.Context, name string) (CertificateFile, error) {
	f := CertificateFile{Name: name}
	var at int64
	err := s.db.Read.QueryRowContext(ctx, s.db.Text(certificateFile), name).Scan(&f.Content, &at)
	if errors.Is(err, sql.ErrNoRows) {
		return f, sett.Errorf(sett.NotFound, "Certificate file not found")
	}
	if err != nil {
		return f, s.db.Explain(db.Wrap("read certificate file", err))
	}
	f.ModifiedAt = db.FromMicros(at)
	content, err := s.db.Reveal(sealedFile, string(f.Content), name)
	f.Content = []byte(content)
	return f, err
}

const certificateFilesBelow = `-- accountdb.CertificateFilesBelow
SELECT name FROM certificates WHERE substr(name, 1, $1) = $2 ORDER BY name`

// CertificateFilesBelow returns the names of all files in a directory and those below it; "" is the root.
func (s *Store) CertificateFilesBelow(ctx context.Context, dir string) (names []string, err error) {
	if dir != "" {
		dir += "/"
	}
	rows, err := s.db.Read.QueryContext(ctx, s.db.Text(certificateFilesBelow), utf8.RuneCountInString(dir), dir)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var name string
		err := rows.Scan(&name)
		names = append(names, name)
		return err
	})
	if err != nil {
		return nil, s.db.Explain(fmt.Errorf("list certificate files: %w", err))
	}
	return names, nil
}

const deleteCertificateFiles = `-- accountdb.DeleteCertificateFiles
DELETE FROM certificates WHERE name = $1 OR substr(name, 1, $2) = $3`

// DeleteCertificateFiles deletes a file, or a directory with its content, if it exists.
func (s *Store) DeleteCertificateFiles(ctx context.Context, name string) error {
	return s.inTx(ctx, "delete certificate files", func(t Tx) error {
		t.KeepsCaches = true
		_, err := t.Exec(ctx, deleteCertificateFiles, name, utf8.RuneCountInString(name)+1, name+"/")
		return err
	})
}

// CertificateLease is the name of the lease for work on certificates.
func CertificateLease(what string) string { return "certificate " + what }

// TakeCertificateLease takes or renews a CertificateLease until the given time, and reports whether the holder has it.
func (s *Store) TakeCertificateLease(ctx context.Context, what, holder string, now, until time.Time) (held bool, err error) {
	err = s.inTx(ctx, "take certificate lease", func(t Tx) error {
		t.KeepsCaches = true
		held, err = t.Lease(ctx, CertificateLease(what), holder, now, until)
		return err
	})
	return held, err
}
