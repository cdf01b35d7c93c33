package archive

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"sett/internal/base/progress"
	"sett/internal/event/payload"
	"sett/internal/ingest/event"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/move"
	"sett/internal/store/archivedb"
	"sett/internal/store/movedb"
)

// Target is where an export is stored.
type Target struct {
	Archive   *archivedb.Store
	Moves     *movedb.Store
	AccountID string // that gets the projects; "" makes the account of the export
	Now       time.Time

	Audited func(ctx context.Context, project string) context.Context // of the change that makes a project
}

// Import stores an export. It can be cut off at any moment and run again: it goes on where it was, and nothing comes twice.
// The report is of what came so far, also with an error.
func Import(ctx context.Context, from *Reader, to Target) (*move.Report, error) {
	report := &move.Report{}
	whole := from.Whole && to.AccountID == ""
	if to.AccountID == "" {
		to.AccountID = from.Account
	}
	i, err := to.Archive.NewImport(ctx, archivedb.Target{
		Export: from.ID, MadeAt: from.MadeAt, Now: to.Now, AccountID: to.AccountID, Whole: from.Whole,
	})
	if err != nil {
		return report, err
	}
	r := &importer{ctx: ctx, from: from, to: to, in: i, whole: whole, report: report}
	return report, r.do()
}

type importer struct {
	ctx    context.Context //nolint:containedctx // it lives as long as one call
	from   *Reader
	to     Target
	in     *archivedb.Import
	whole  bool // the account comes too
	report *move.Report
	step   *progress.Step
}

func (r *importer) do() error {
	scope := archivedb.Scope{}
	if !r.from.Whole {
		scope.ProjectID = -1 // any
	}
	nouns := nounsOf(scope)
	for _, n := range nouns {
		if err := r.reserve(n); err != nil {
			return err
		}
	}
	switch deleted, err := r.in.Deleted(r.ctx, projects); {
	case err != nil:
		return err
	case deleted:
		return sett.Errorf(sett.Conflict, "This export came before, and its projects were deleted here since. Write another export to store them again.")
	}
	total := int64(0)
	for _, f := range r.from.Files {
		total += f.Records
	}
	r.step = progress.Begin(r.ctx, "storing records", progress.Rows, total)
	defer r.step.End()
	for _, n := range nouns {
		var err error
		switch {
		case n.Name == "users":
			err = r.users(n)
		case n.Name == "accounts" && !r.whole:
		default:
			err = r.noun(n)
		}
		if err != nil {
			return err
		}
	}
	if err := r.events(); err != nil {
		return err
	}
	if err := r.attachments(); err != nil {
		return err
	}
	r.leave()
	return nil
}

// reserve decides the ids of the rows of a noun.
func (r *importer) reserve(n archivedb.Noun) error {
	f := r.from.file(n.Name)
	for _, other := range archivedb.Nouns() {
		if other.Of != n.Name {
			continue
		}
		if o := r.from.file(other.Name); o.Records > 0 {
			f.FirstID, f.LastID = lowest(f.FirstID, o.FirstID), max(f.LastID, o.LastID)
		}
	}
	var owns []any
	if n.Own != "" {
		err := r.from.each(n.Name, 0, func(number int64, line []byte) error {
			record, err := decode(n.Name, number, line)
			if err != nil {
				return err
			}
			own, err := r.in.Own(n, record)
			if owns = append(owns, own); len(owns) > mostOwns {
				return sett.Errorf(sett.Invalid, "The export has more than %d %s.", mostOwns, n.Name)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return r.in.Reserve(r.ctx, n, archivedb.Range{First: f.FirstID, Last: f.LastID}, owns)
}

// mostOwns is how many rows with identifiers of their own a noun may have: these are in memory together.
const mostOwns = 1_000_000

func lowest(a, b int64) int64 {
	if a == 0 || b == 0 {
		return max(a, b)
	}
	return min(a, b)
}

// decode reads a record.
func decode(noun string, number int64, line []byte) (record map[string]any, err error) {
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	if err := d.Decode(&record); err != nil || record == nil {
		return nil, sett.Errorf(sett.Invalid, "%s.jsonl: line %d is no JSON object. What came so far stays.", noun, number)
	}
	return record, nil
}

// noun stores the records of a noun that are not stored yet.
func (r *importer) noun(n archivedb.Noun) error {
	done, err := r.in.Done(r.ctx, n.Name)
	if err != nil {
		return err
	}
	r.step.Add(done)
	var lot []map[string]any
	var came, number int64
	store := func() error {
		if len(lot) == 0 {
			return nil
		}
		ctx := r.ctx
		if n.Name == projects {
			name, _ := lot[0]["name"].(string)
			ctx = r.to.Audited(ctx, name)
		}
		n, err := r.in.Add(ctx, n, lot, number)
		came += n
		r.step.Add(int64(len(lot)))
		lot = lot[:0]
		return err
	}
	bytes := 0
	err = r.from.each(n.Name, done, func(at int64, line []byte) error {
		record, err := decode(n.Name, at, line)
		if err != nil {
			return err
		}
		bytes += len(line)
		if n.File != "" {
			key, err := r.in.Key(n, record)
			if err != nil {
				return err
			}
			body, err := r.from.read(fileName(n.Name, key), mostFile)
			if err != nil {
				return sett.Errorf(sett.Invalid, "A file of the export cannot be read: %v.", err)
			}
			bytes += len(body)
			record[n.File] = body
		}
		lot, number = append(lot, record), at
		if n.Name != projects && len(lot) < archivedb.MostRows && bytes < mostAtOnce {
			return nil
		}
		bytes = 0
		return store()
	})
	if err == nil {
		err = store()
	}
	r.report.Add(n.Name, r.from.file(n.Name).Records, came, done)
	return err
}

// projects is the noun of which each leaves an entry in the audit log.
const projects = "projects"

// mostAtOnce is about how many bytes of records one transaction stores.
const mostAtOnce = 4 << 20

func (r *importer) users(n archivedb.Noun) error {
	var all []map[string]any
	err := r.from.each(n.Name, 0, func(number int64, line []byte) error {
		record, err := decode(n.Name, number, line)
		if all = append(all, record); len(all) > mostUsers {
			return sett.Errorf(sett.Invalid, "The export has more than %d users.", mostUsers)
		}
		return err
	})
	if err != nil {
		return err
	}
	made, err := r.in.Users(r.ctx, n, all)
	if err == nil {
		r.report.Add(n.Name, int64(len(all)), made, int64(len(all))-made)
	}
	return err
}

// mostUsers is how many users an export may have: they are in memory together.
const mostUsers = 1000

// leave says what did not come.
func (r *importer) leave() {
	if !r.from.Secrets {
		r.report.Leave(
			move.Left{Noun: "secrets of channels", Why: "The export has no secrets: channels are off until you enter them.", Page: move.ChannelsPage},
			move.Left{Noun: "passwords and headers of sites", Why: "The export has no secrets.", Page: "Uptime → the site → Edit"},
		)
	}
	r.report.Leave(move.Left{Noun: "passwords of users", Why: "Users who are new here set one with a link from the sign-in page.", Page: "Sign in → Forgot password"})
	for _, n := range []string{"personal tokens", "public links", "messages that were sent", "the audit log", "forwarding"} {
		r.report.Leave(move.Left{Noun: n, Why: "They stay with the server of the export."})
	}
}

// reader makes reports of the events of a project.
type reader struct {
	project accounts.KeyedProject
	facets  event.Facets
}

func (r *importer) events() error {
	done, err := r.in.Done(r.ctx, archivedb.Events)
	if err != nil {
		return err
	}
	r.step.Add(done)
	var lot []movedb.ImportedEvent
	var came, unread, project, number int64
	store := func() error {
		if len(lot) > 0 {
			n, err := r.to.Moves.Events(r.ctx, r.to.Now, project, lot)
			if err != nil {
				return err
			}
			came += n
		}
		lot = nil
		return r.in.NoteDone(r.ctx, archivedb.Events, number)
	}
	read := &reader{}
	err = r.from.each(archivedb.Events, done, func(at int64, line []byte) error {
		var e eventRecord
		if err := json.Unmarshal(line, &e); err != nil {
			return sett.Errorf(sett.Invalid, "events.jsonl: line %d is no event. What came so far stays.", at)
		}
		r.step.Add(1)
		of, err := r.in.Project(e.Project)
		if err != nil {
			return err
		}
		if of != project || len(lot) == movedb.MostEvents {
			if err := store(); err != nil {
				return err
			}
		}
		if of != project {
			if read.project, _, err = r.to.Moves.Keyed(r.ctx, of); err != nil {
				return err
			}
			project = of
		}
		number = at
		fault, err := r.in.Fault(e.Fault)
		if err != nil {
			return err
		}
		if imported, err := read.event(e, fault); err == nil {
			lot = append(lot, imported)
		} else {
			unread++
		}
		return nil
	})
	if err == nil {
		err = store()
	}
	r.report.Add(archivedb.Events, r.from.file(archivedb.Events).Records, came, done)
	if unread > 0 {
		r.report.Leave(move.Left{Noun: archivedb.Events, Why: fmt.Sprintf("%d of them cannot be read.", unread)})
	}
	return err
}

// event makes the report of an event with the parser of intake, so that searches find it as before. What was counted of it
// is as it was.
func (r *reader) event(e eventRecord, fault int64) (movedb.ImportedEvent, error) {
	at := time.UnixMicro(e.At).UTC()
	id, err := sett.ParseUUID(e.ID)
	if err != nil {
		return movedb.ImportedEvent{}, err
	}
	report, _, err := event.Parse(e.Body, event.Options{Project: r.project, Now: at}, &r.facets)
	if err != nil {
		return movedb.ImportedEvent{}, err
	}
	report.Token, report.ReceivedAt, report.Format = id, at, payload.Format(strings.ToValidUTF8(e.Format, ""))
	report.Class, report.Component, report.Action = e.Class, e.Location, ""
	report.User, report.Revision = e.User, e.Revision
	return movedb.ImportedEvent{Report: report, FaultID: fault, At: at}, nil
}

func (r *importer) attachments() error {
	done, err := r.in.Done(r.ctx, archivedb.Attachments)
	if err != nil {
		return err
	}
	r.step.Add(done)
	came := int64(0)
	err = r.from.each(archivedb.Attachments, done, func(at int64, line []byte) error {
		var a attachmentRecord
		if err := json.Unmarshal(line, &a); err != nil {
			return sett.Errorf(sett.Invalid, "attachments.jsonl: line %d is no attachment. What came so far stays.", at)
		}
		body, err := r.from.read(fileName(archivedb.Attachments, a.ID), mostFile)
		if err != nil {
			return sett.Errorf(sett.Invalid, "A file of the export cannot be read: %v.", err)
		}
		id, err := sett.ParseUUID(a.Event)
		if err != nil {
			return sett.Errorf(sett.Invalid, "attachments.jsonl: line %d names no event.", at)
		}
		r.step.Add(1)
		ok, err := r.in.AddAttachment(r.ctx, archivedb.Attachment{ProjectID: a.Project, Event: id, Name: a.Name, Type: a.Type, Bytes: a.Bytes, Hash: a.Hash, Body: body}, at)
		if ok {
			came++
		}
		return err
	})
	r.report.Add(archivedb.Attachments, r.from.file(archivedb.Attachments).Records, came, done)
	return err
}
