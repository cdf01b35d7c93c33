package attachmentdb_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/sett/scrub"
	"sett/internal/store"
	"sett/internal/store/attachmentdb"
	"sett/internal/store/storetest"
)

type desk struct{ *storetest.Desk }

func engines(t *testing.T, f func(t *testing.T, d *desk)) {
	t.Helper()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		s.Attachments.MostBytes = 1 << 30
		f(t, &desk{storetest.NewDesk(t, s)})
	})
}

// event records a notice with a public id, and returns that.
func (d *desk) event(project int64, class string, token byte) sett.UUID {
	d.T.Helper()
	id := sett.UUID{15: token}
	d.Record(storetest.Noon, accounts.Limits{}, d.Report(class, func(r *faults.Report) { r.ProjectID, r.Token = project, id }))
	return id
}

// files returns the attachments of a notice, as name and content.
func (d *desk) files(project int64, notice sett.UUID) (all []string) {
	d.T.Helper()
	n, err := d.Faults.NoticeByUUID(d.T.Context(), project, notice)
	if err != nil {
		d.T.Fatal(err)
	}
	found, err := d.Attachments.List(d.T.Context(), project, n.Key)
	if err != nil {
		d.T.Fatal(err)
	}
	for _, a := range found {
		same, body, err := d.Attachments.File(d.T.Context(), project, n.Key, a.ID)
		if err != nil || same != a || int64(len(body)) != a.Bytes || a.Type != "text/plain" {
			d.T.Errorf("%+v and %+v with %d bytes, %v", a, same, len(body), err)
		}
		all = append(all, fmt.Sprintf("%s: %.20s", a.Name, body))
		if _, _, err := d.Attachments.File(d.T.Context(), project+1, n.Key, a.ID); sett.CodeOf(err) != sett.NotFound {
			d.T.Errorf("in another project: %v", err)
		}
		if _, _, err := d.Attachments.File(d.T.Context(), project, n.Key+1, a.ID); sett.CodeOf(err) != sett.NotFound {
			d.T.Errorf("with another notice: %v", err)
		}
	}
	return all
}

func (d *desk) want(what string, got, want any) {
	d.T.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		d.T.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func TestAttachmentsOfANotice(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, d *desk) {
		other := d.Project("Other").ID
		id, theirs := d.event(d.ProjectID, "A", 1), d.event(other, "A", 1) // clients of two projects chose one id
		d.want("stored", d.Attach(d.ProjectID, id, "a.txt", "one"), attachmentdb.Saved{Stored: 1})
		d.want("stored again", d.Attach(d.ProjectID, id, "a.txt", "one"), attachmentdb.Saved{Stored: 1})
		d.want("with another content", d.Attach(d.ProjectID, id, "a.txt", "two"), attachmentdb.Saved{Stored: 1})
		d.want("with another name", d.Attach(d.ProjectID, id, "b.txt", "one"), attachmentdb.Saved{Stored: 1})
		d.want("an empty one", d.Attach(d.ProjectID, id, "empty", ""), attachmentdb.Saved{Stored: 1})
		d.want("of another project", d.Attach(other, theirs, "c.txt", "three"), attachmentdb.Saved{Stored: 1})
		d.want("of no notice", d.Attach(d.ProjectID, sett.UUID{15: 9}, "c.txt", "three"), attachmentdb.Saved{NoNotice: 1})
		d.want("files", d.files(d.ProjectID, id), []string{"a.txt: one", "a.txt: two", "b.txt: one", "empty: "})
		d.want("files of the other", d.files(other, theirs), []string{"c.txt: three"})
	})
}

// What a notice, a project and the server may have is never exceeded, however often a file is sent.
func TestAttachmentsAreBounded(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, d *desk) {
		id := d.event(d.ProjectID, "A", 1)
		large := strings.Repeat("x", faults.MostAttachmentBytes)
		d.want("the largest", d.Attach(d.ProjectID, id, "a", large), attachmentdb.Saved{Stored: 1})
		d.want("the largest again", d.Attach(d.ProjectID, id, "a", large), attachmentdb.Saved{Stored: 1})
		d.want("a byte more", d.Attach(d.ProjectID, id, "b", "x"), attachmentdb.Saved{TooLarge: 1})
		second := d.event(d.ProjectID, "A", 2)
		for i := range faults.MostAttachments {
			d.want("a small one", d.Attach(d.ProjectID, second, fmt.Sprint(i), "x"), attachmentdb.Saved{Stored: 1})
		}
		d.want("one too many", d.Attach(d.ProjectID, second, "more", "x"), attachmentdb.Saved{TooLarge: 1})

		noise := make([]byte, 300<<10)
		_, _ = rand.Read(noise)
		d.Attachments.MostBytes = 600 << 10
		third, other := d.event(d.ProjectID, "A", 3), d.Project("Other").ID
		theirs := d.event(other, "A", 4)
		d.want("half of the server", d.Attach(d.ProjectID, third, "a", string(noise)), attachmentdb.Saved{Stored: 1})
		d.want("more than half", d.Attach(d.ProjectID, third, "b", "x"), attachmentdb.Saved{Full: 1})
		d.want("of another project", d.Attach(other, theirs, "a", string(noise)), attachmentdb.Saved{Stored: 1})
		d.want("more than the server has room for", d.Attach(d.Project("Third").ID, theirs, "a", "x"), attachmentdb.Saved{Full: 1})
	})
}

func (d *desk) count() int64 {
	d.T.Helper()
	return d.Numbers(`SELECT count(*) FROM attachments`, 1)[0]
}

// Attachments go with their notice, whatever deletes it.
func TestAttachmentsGoWithTheirNotice(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, d *desk) {
		const days = 24 * time.Hour
		ctx, other := t.Context(), d.Project("Other").ID
		purge := func(at time.Time) store.Purge {
			return store.Purge{Now: func() time.Time { return at }, Holder: "test", Rest: func(context.Context, time.Duration) error { return nil }}
		}
		fill := func(token byte) (fault int64) {
			t.Helper()
			for i := range byte(3) {
				id := d.event(d.ProjectID, "A", token+i)
				for j := range 10 {
					d.Attach(d.ProjectID, id, fmt.Sprint(j), "x")
				}
			}
			return d.FaultsOf(d.ProjectID)[0]
		}
		d.Attach(other, d.event(other, "A", 1), "a", "theirs")

		fault := fill(10)
		d.want("at first", d.count(), int64(31))
		if err := d.Faults.DeleteFault(ctx, d.ProjectID, fault); err != nil {
			t.Fatal(err)
		}
		d.want("after the fault is deleted", d.count(), int64(1))

		fill(20)
		if _, err := d.PurgeProjects(ctx, purge(storetest.Noon.Add(80*days))); err != nil {
			t.Fatal(err)
		}
		d.want("within retention", d.count(), int64(31))
		if err := d.Accounts.UpdateProject(ctx, d.ProjectID, accounts.ProjectChange{PurgeDays: sett.Some(int64(30))}); err != nil {
			t.Fatal(err)
		}
		if _, err := d.PurgeProjects(ctx, purge(storetest.Noon.Add(80*days))); err != nil {
			t.Fatal(err)
		}
		d.want("after retention", d.count(), int64(1))

		id := sett.UUID{15: 40}
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("A", func(r *faults.Report) {
			r.Token = id
			r.Facets += "context.user_email=ines@example.test\n"
		}))
		d.Attach(d.ProjectID, id, "a", "x")
		e, err := d.CreateErasure(ctx, storetest.Noon.Add(time.Hour), d.UserID, d.ProjectID, scrub.ErasureChange{User: sett.Some("ines@example.test")})
		if err != nil {
			t.Fatal(err)
		}
		if err := d.SweepErasures(ctx, purge(storetest.Noon.Add(time.Hour))); err != nil {
			t.Fatal(err)
		}
		d.want("after a user is erased", d.count(), int64(1))
		if e, err = d.ErasureByID(ctx, d.ProjectID, e.ID); err != nil || e.Notices != 1 {
			t.Errorf("%+v, %v", e, err)
		}

		fill(50)
		if err := d.DeleteProject(ctx, d.ProjectID, func() {}); err != nil {
			t.Fatal(err)
		}
		d.want("after the project is deleted", d.count(), int64(1))
	})
}

// What is read of attachments is looked up.
func TestAttachmentsAreLookedUp(t *testing.T) {
	t.Parallel()
	d := storetest.NewDesk(t, storetest.OpenSQLite(t))
	for name, statement := range attachmentdb.Statements {
		t.Run(name, func(*testing.T) { d.WantNoWholeTable(statement, 1, 2, 3) })
	}
}
