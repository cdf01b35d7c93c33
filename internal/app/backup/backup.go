// Package backup reads and writes backup files: a compressed tar archive of three members, which tar and sha256sum can read. It takes a
// copy of the database and its metadata, and gives them back only if nothing is missing or changed. The package uses no database, and
// writes only to the given places.
package backup

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"time"

	"github.com/klauspost/compress/zstd"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
)

// format is the version of the archive's form. It grows when an older sett cannot read the new one.
const format = 1

// The members of an archive, in their order.
const (
	headerName   = "backup.json"
	databaseName = "sett.db"
	sumsName     = "SHA256SUMS"
)

// mostHeader is how long the header and the sums may be, in bytes.
const mostHeader = 64 << 10

// Header says what a backup holds.
type Header struct {
	Format int       `json:"format"`
	Sett   string    `json:"sett"`    // version of the program that made it
	Schema int64     `json:"schema"`  // version of the schema of the database
	At     time.Time `json:"made_at"` // when it was begun: what was stored before is in it
	Bytes  int64     `json:"bytes"`   // of the database

	Tables []accounts.TableSum `json:"tables,omitempty"` // what the tables hold; none in backups of earlier versions
}

// Write writes a backup of a database of h.Bytes bytes.
func Write(w io.Writer, h Header, database io.Reader) (err error) {
	packed, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(true))
	if err != nil {
		return err
	}
	a := archive{Writer: tar.NewWriter(packed), at: h.At}
	h.Format = format
	header, err := json.Marshal(h)
	if err != nil {
		return err
	}
	err = a.add(headerName, append(header, '\n'))
	if err == nil {
		err = a.copy(databaseName, h.Bytes, database)
	}
	if err == nil {
		err = a.add(sumsName, []byte(a.sums))
	}
	return errors.Join(err, a.Close(), packed.Close())
}

// archive is one that is being written.
type archive struct {
	*tar.Writer
	at   time.Time
	sums string // of the members so far, as sha256sum writes them
}

func (a *archive) add(name string, text []byte) error {
	return a.copy(name, int64(len(text)), bytes.NewReader(text))
}

func (a *archive) copy(name string, size int64, from io.Reader) error {
	err := a.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o600, Size: size, ModTime: a.at, Format: tar.FormatPAX})
	if err != nil {
		return err
	}
	sum := sha256.New()
	if _, err := io.CopyN(io.MultiWriter(a, sum), from, size); err != nil {
		return err
	}
	a.sums += line(sum, name)
	return nil
}

// line is what sha256sum writes of a file.
func line(sum hash.Hash, name string) string {
	return hex.EncodeToString(sum.Sum(nil)) + "  " + name + "\n"
}

// Reader reads a backup from its beginning.
type Reader struct {
	Header
	packed *zstd.Decoder
	tar    *tar.Reader
	sums   string
}

// Open reads the header of a backup. A file that is not a backup, or has a newer format, is an Invalid error. Close must be
// called.
func Open(r io.Reader) (*Reader, error) {
	packed, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(64<<20))
	if err != nil {
		return nil, err
	}
	b := &Reader{packed: packed, tar: tar.NewReader(packed)}
	text, err := b.short(headerName)
	if err == nil {
		err = json.Unmarshal(text, &b.Header)
	}
	if err == nil && b.Format > format {
		err = sett.Errorf(sett.Invalid, "The backup was created by sett %s, in a format that this version does not support. Use that version or a newer one.", b.Sett)
		packed.Close()
		return nil, err
	}
	if err != nil || b.Format < 1 || b.Bytes < 0 {
		packed.Close()
		return nil, sett.Errorf(sett.Invalid, "The file is not a sett backup, or its start is damaged.")
	}
	return b, nil
}

// Close lets go of memory.
func (b *Reader) Close() { b.packed.Close() }

// damaged is the error of any damage: which one it is does not help the operator.
func damaged(err error) error {
	return fmt.Errorf("%w (%w)", sett.Errorf(sett.Invalid, "The backup is damaged or incomplete. Nothing was restored. Use another backup."), err)
}

// Database writes the database to w and returns without an error only if it is what the backup was made of, whole. What
// is damaged is an Invalid error; an error of w comes back as it is.
func (b *Reader) Database(w io.Writer) error {
	if err := b.member(databaseName, b.Bytes); err != nil {
		return damaged(err)
	}
	sum, out := sha256.New(), &sink{w: w}
	_, err := io.CopyN(io.MultiWriter(out, sum), b.tar, b.Bytes)
	if out.err != nil {
		return out.err
	}
	if err != nil {
		return damaged(err)
	}
	want := b.sums + line(sum, databaseName)
	text, err := b.short(sumsName)
	if err == nil && string(text) != want {
		err = errors.New("the checksums differ")
	}
	if err == nil {
		err = b.end()
	}
	if err != nil {
		return damaged(err)
	}
	return nil
}

// end makes sure that nothing follows, and that all checks of the compression hold.
func (b *Reader) end() error {
	if _, err := b.tar.Next(); !errors.Is(err, io.EOF) {
		return errors.Join(errors.New("unexpected data at the end"), err)
	}
	more, err := io.Copy(io.Discard, b.packed)
	if more > 0 {
		err = errors.Join(err, errors.New("unexpected data at the end"))
	}
	return err
}

// member goes on to the next member, which must have a name and a size.
func (b *Reader) member(name string, size int64) error {
	h, err := b.tar.Next()
	if err != nil {
		return err
	}
	if h.Name != name || h.Typeflag != tar.TypeReg || size >= 0 && h.Size != size {
		return fmt.Errorf("found %q instead of %s", h.Name, name)
	}
	return nil
}

// short reads a member of a few lines.
func (b *Reader) short(name string) ([]byte, error) {
	if err := b.member(name, -1); err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(b.tar, mostHeader))
	if err != nil {
		return nil, err
	}
	sum := sha256.New()
	sum.Write(text)
	b.sums += line(sum, name)
	return text, nil
}

// sink remembers that it could not be written to, so that a full disk is not taken for a damaged backup.
type sink struct {
	w   io.Writer
	err error
}

func (s *sink) Write(p []byte) (n int, err error) {
	n, err = s.w.Write(p)
	s.err = errors.Join(s.err, err)
	return n, err
}
