// Package archive writes what a project or an account has into a file, and stores it again from such a file. The file is a
// zip archive that any program can read: export.json says what it holds, a file of JSON lines for each noun has the
// records, folders beside them have files that clients uploaded, and schema.json describes all records. The package takes
// the stores of a server and a file; it returns a report of what came. It changes nothing on the server of an export, and
// sends nothing to anyone.
package archive

import (
	"archive/zip"
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"sett/internal/sett"
	"sett/internal/store/archivedb"
)

// Format is the version of the form of exports. It grows when an older sett cannot read the new one.
const Format = 1

// The members of an archive beside those of the nouns.
const (
	headerName = "export.json"
	schemaName = "schema.json"
)

// Header says what an export holds.
type Header struct {
	Format  int       `json:"format"`
	ID      string    `json:"id"`      // random: an export comes once
	Sett    string    `json:"sett"`    // version of the program that wrote it
	MadeAt  time.Time `json:"made_at"` // what was stored before is in it
	Account string    `json:"account"` // id
	Whole   bool      `json:"whole"`   // the account with all that it has; otherwise one project
	Secrets bool      `json:"secrets"` // it has passwords and tokens of channels, sites and subscribers
	Files   []File    `json:"files"`
}

// File is a file of records.
type File struct {
	Name    string `json:"name"` // without .jsonl
	Holds   string `json:"holds"`
	Records int64  `json:"records"`
	FirstID int64  `json:"first_id,omitempty"` // the smallest and the largest of the ids of its records
	LastID  int64  `json:"last_id,omitempty"`
}

func (h Header) file(name string) File {
	for _, f := range h.Files {
		if f.Name == name {
			return f
		}
	}
	return File{Name: name}
}

// eventRecord is a record of events.jsonl.
type eventRecord struct {
	ID       string          `json:"id"` // a UUID
	Fault    int64           `json:"fault_id"`
	Project  int64           `json:"project_id"`
	At       int64           `json:"at"` // microseconds since 1970 UTC: when it was received
	Class    string          `json:"class"`
	Location string          `json:"location"`
	User     string          `json:"user"`
	Revision string          `json:"revision"`
	Format   string          `json:"format"`
	Body     json.RawMessage `json:"body"`
}

// attachmentRecord is a record of attachments.jsonl.
type attachmentRecord struct {
	ID      int64  `json:"id"`
	Project int64  `json:"project_id"`
	Event   string `json:"event_id"`
	Name    string `json:"name"`
	Type    string `json:"type"`
	Bytes   int64  `json:"bytes"`
	Hash    []byte `json:"hash"`
}

// fileName is the name of the file of a record.
func fileName(noun string, key int64) string { return noun + "/" + strconv.FormatInt(key, 10) }

// mostLine and mostFile are how long a record and a file may be, in bytes: a strange archive must not fill the memory.
const (
	mostLine   = 8 << 20
	mostFile   = 256 << 20
	mostHeader = 4 << 20
)

// Reader reads an export.
type Reader struct {
	Header
	members map[string]*zip.File
}

// Open reads what an export holds. A file that is no export, or one of a newer sett, is an Invalid error.
func Open(r io.ReaderAt, size int64) (*Reader, error) {
	noExport := sett.Errorf(sett.Invalid, "The file is not an export of sett, or it is damaged. Choose a file that sett export wrote.")
	z, err := zip.NewReader(r, size)
	if err != nil {
		return nil, fmt.Errorf("%w (%w)", noExport, err)
	}
	a := &Reader{members: map[string]*zip.File{}}
	for _, f := range z.File {
		a.members[f.Name] = f
	}
	text, err := a.read(headerName, mostHeader)
	if err == nil {
		err = json.Unmarshal(text, &a.Header)
	}
	if err == nil && a.Format > Format {
		return nil, sett.Errorf(sett.Invalid, "The export was written by sett %.40s, in a form that this version does not know. Use that version or a newer one.", a.Sett)
	}
	if err != nil || a.Format < 1 || a.ID == "" || len(a.ID) > 100 {
		return nil, noExport
	}
	return a, nil
}

// read returns a whole member.
func (a *Reader) read(name string, most int64) ([]byte, error) {
	f := a.members[name]
	if f == nil {
		return nil, fmt.Errorf("%s is missing", name)
	}
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	text, err := io.ReadAll(io.LimitReader(r, most+1))
	if err == nil && int64(len(text)) > most {
		err = fmt.Errorf("%s is too long", name)
	}
	return text, err
}

// each calls yield with each line of the records of a noun, from a number on.
func (a *Reader) each(noun string, from int64, yield func(number int64, line []byte) error) error {
	f := a.members[noun+".jsonl"]
	if f == nil {
		return nil
	}
	r, err := f.Open()
	if err != nil {
		return damaged(noun, err)
	}
	defer r.Close()
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 64<<10), mostLine)
	number := int64(0)
	for lines.Scan() {
		number++
		if number <= from {
			continue
		}
		if err := yield(number, lines.Bytes()); err != nil {
			return err
		}
	}
	if err := lines.Err(); err != nil {
		return damaged(noun, err)
	}
	return nil
}

func damaged(noun string, err error) error {
	if errors.Is(err, bufio.ErrTooLong) {
		err = fmt.Errorf("a record is longer than %d bytes", mostLine)
	}
	return sett.Errorf(sett.Invalid, "%s.jsonl cannot be read: %v. What came so far stays. Get the file again, and run the same command.", noun, err)
}

// nounsOf returns the nouns of an export, with the two that are no tables where they are read.
func nounsOf(s archivedb.Scope) (nouns []archivedb.Noun) {
	for _, n := range archivedb.Nouns() {
		if s.Has(n) {
			nouns = append(nouns, n)
		}
	}
	return nouns
}
