package archive

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"io"

	"sett/internal/base/progress"
	"sett/internal/sett"
	"sett/internal/store/archivedb"
	"sett/internal/store/db"
)

// Source is a copy of a database that no one else uses, and what opens its secrets.
type Source struct {
	Copy  *archivedb.Store
	Keys  *db.DB
	Scope archivedb.Scope
}

// Write writes an export. The header says what it is; Write fills in its files.
func Write(ctx context.Context, to io.Writer, from Source, h Header) (Header, error) {
	h.Format = Format
	w := &writer{ctx: ctx, zip: zip.NewWriter(to), from: from, header: h, step: progress.Begin(ctx, "writing records", progress.Rows, 0)}
	defer w.step.End()
	schema, err := from.Copy.Schema(ctx)
	if err != nil {
		return h, err
	}
	if err := w.add(schemaName, schema); err != nil {
		return h, err
	}
	for _, n := range nounsOf(from.Scope) {
		if err := w.noun(n); err != nil {
			return h, err
		}
	}
	if err := w.events(); err != nil {
		return h, err
	}
	if err := w.attachments(); err != nil {
		return h, err
	}
	text, err := json.MarshalIndent(w.header, "", "  ")
	if err == nil {
		err = w.add(headerName, append(text, '\n'))
	}
	if err == nil {
		err = w.zip.Close()
	}
	return w.header, err
}

type writer struct {
	ctx    context.Context //nolint:containedctx // it lives as long as one call
	zip    *zip.Writer
	from   Source
	header Header
	step   *progress.Step
}

// member begins a member. The time of all of them is that of the export, so that the same data gives the same file.
func (w *writer) member(name string, method uint16) (io.Writer, error) {
	return w.zip.CreateHeader(&zip.FileHeader{Name: name, Method: method, Modified: w.header.MadeAt})
}

func (w *writer) add(name string, text []byte) error {
	m, err := w.member(name, zip.Deflate)
	if err != nil {
		return err
	}
	_, err = m.Write(text)
	return err
}

// line writes a record.
func (w *writer) line(m io.Writer, text []byte) error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	w.step.Add(1)
	_, err := m.Write(append(text, '\n'))
	return err
}

// noun writes the records of a noun, and then its files: a zip archive is written one member after another.
func (w *writer) noun(n archivedb.Noun) error {
	m, err := w.member(n.Name+".jsonl", zip.Deflate)
	if err != nil {
		return err
	}
	f := File{Name: n.Name, Holds: n.Holds}
	var keys []int64
	err = w.from.Copy.Each(w.ctx, w.from.Keys, w.from.Scope, n, w.header.Secrets, func(r archivedb.Record) error {
		f.note(r.Key)
		if n.File != "" {
			keys = append(keys, r.Key)
		}
		return w.line(m, r.Line)
	})
	w.header.Files = append(w.header.Files, f)
	if err != nil || n.File == "" {
		return err
	}
	return w.from.Copy.Each(w.ctx, w.from.Keys, w.from.Scope, n, w.header.Secrets, func(r archivedb.Record) error {
		return w.file(n.Name, r.Key, r.File)
	})
}

// file writes a file as it is: it is compressed already.
func (w *writer) file(noun string, key int64, body []byte) error {
	m, err := w.member(fileName(noun, key), zip.Store)
	if err != nil {
		return err
	}
	_, err = m.Write(body)
	return err
}

// note counts a record.
func (f *File) note(key int64) {
	f.Records++
	if key != 0 && (f.FirstID == 0 || key < f.FirstID) {
		f.FirstID = key
	}
	f.LastID = max(f.LastID, key)
}

func (w *writer) events() error {
	m, err := w.member(archivedb.Events+".jsonl", zip.Deflate)
	if err != nil {
		return err
	}
	projects, err := w.from.Copy.Projects(w.ctx, w.from.Scope)
	if err != nil {
		return err
	}
	f := File{Name: archivedb.Events, Holds: "events of errors, as clients sent them and as data scrubbing left them"}
	var text bytes.Buffer
	lines := json.NewEncoder(&text)
	lines.SetEscapeHTML(false)
	for _, project := range projects {
		err := w.from.Copy.EachEvent(w.ctx, project, func(e archivedb.Event) error {
			text.Reset()
			err := lines.Encode(eventRecord{
				ID: e.Public.String(), Fault: e.FaultID, Project: project, At: sett.NoticeID(e.ID).Time().UnixMicro(),
				Class: e.Facts.Class, Location: e.Facts.Location, User: e.Facts.User, Revision: e.Facts.Revision, Format: string(e.Format), Body: e.JSON,
			})
			if err != nil {
				return err
			}
			f.note(0)
			return w.line(m, bytes.TrimSuffix(text.Bytes(), []byte("\n")))
		})
		if err != nil {
			return err
		}
	}
	w.header.Files = append(w.header.Files, f)
	return nil
}

func (w *writer) attachments() error {
	m, err := w.member(archivedb.Attachments+".jsonl", zip.Deflate)
	if err != nil {
		return err
	}
	projects, err := w.from.Copy.Projects(w.ctx, w.from.Scope)
	if err != nil {
		return err
	}
	f := File{Name: archivedb.Attachments, Holds: "files that clients sent with events, compressed with zstd"}
	each := func(yield func(archivedb.Attachment) error) error {
		for _, project := range projects {
			if err := w.from.Copy.EachAttachment(w.ctx, project, yield); err != nil {
				return err
			}
		}
		return nil
	}
	err = each(func(a archivedb.Attachment) error {
		f.note(a.ID)
		text, err := json.Marshal(attachmentRecord{ID: a.ID, Project: a.ProjectID, Event: a.Event.String(), Name: a.Name, Type: a.Type, Bytes: a.Bytes, Hash: a.Hash})
		if err != nil {
			return err
		}
		return w.line(m, text)
	})
	if err != nil {
		return err
	}
	w.header.Files = append(w.header.Files, f)
	return each(func(a archivedb.Attachment) error { return w.file(archivedb.Attachments, a.ID, a.Body) })
}
