package faultdb_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/store"
	"sett/internal/store/faultdb"
	"sett/internal/store/storetest"
)

func TestACommentFromCreationToDeletion(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("E"), d.Report("E"), d.Report("Other"))
		nameless := d.User("", accounts.Admin) // shown by their address
		fault := d.FaultID("E")
		first, second := d.Comment(d.UserID, "E", "Is it\nthe cache?"), d.Comment(nameless, "E", "It is.")
		want := []faults.Comment{
			{ID: first.ID, FaultID: fault, Source: faults.FromWeb, NoticesCount: 2, CreatedAt: storetest.Noon, AuthorID: d.UserID, Author: "Olga", Body: "Is it\nthe cache?"},
			{ID: second.ID, FaultID: fault, Source: faults.FromWeb, NoticesCount: 2, CreatedAt: storetest.Noon, AuthorID: nameless, Author: "@example.test", Body: "It is."},
		}
		if diff := cmp.Diff(want, []faults.Comment{first, second}); diff != "" {
			t.Errorf("made (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(want, d.History("E")); diff != "" {
			t.Errorf("listed (-want +got):\n%s", diff)
		}
		if got, err := d.Faults.CommentByID(t.Context(), d.ProjectID, fault, second.ID); err != nil || got != second {
			t.Errorf("the second is %+v, %v", got, err)
		}
		if n := d.Fault("E").CommentsCount; n != 2 {
			t.Errorf("the fault has %d comments", n)
		}

		if err := d.Faults.UpdateComment(t.Context(), d.UserID, d.ProjectID, fault, first.ID, faults.CommentChange{Body: sett.Some("It was the cache.")}); err != nil {
			t.Fatal(err)
		}
		if err := d.Faults.DeleteComment(t.Context(), nameless, d.ProjectID, fault, second.ID); err != nil {
			t.Fatal(err)
		}
		want[0].Body = "It was the cache."
		if diff := cmp.Diff(want[:1], d.History("E")); diff != "" {
			t.Errorf("left (-want +got):\n%s", diff)
		}
		if n := d.Fault("E").CommentsCount; n != 1 {
			t.Errorf("the fault has %d comments left", n)
		}
		if left := d.History("Other"); len(left) > 0 || d.Fault("Other").CommentsCount != 0 {
			t.Errorf("another fault has %+v", left)
		}
	})
}

func TestCommentsThatAreNotThere(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("E"), d.Report("Other"))
		c := d.Comment(d.UserID, "E", "Mine.")
		ctx, project, fault, other := t.Context(), d.ProjectID, d.FaultID("E"), d.FaultID("Other")
		text := faults.CommentChange{Body: sett.Some("x")}
		list := func(project, fault int64) error {
			_, _, err := d.Faults.ListComments(ctx, project, fault, sett.Page{Size: 25})
			return err
		}
		create := func(project, fault int64) error {
			_, err := d.Faults.CreateComment(ctx, storetest.Noon, d.UserID, project, fault, text)
			return err
		}
		find := func(project, fault, id int64) error {
			_, err := d.Faults.CommentByID(ctx, project, fault, id)
			return err
		}
		for name, c := range map[string]struct {
			err  error
			says string
		}{
			"list of another project":   {list(project+1, fault), "Fault not found"},
			"list of no fault":          {list(project, 999), "Fault not found"},
			"create in another project": {create(project+1, fault), "Fault not found"},
			"create for no fault":       {create(project, 999), "Fault not found"},
			"find in another project":   {find(project+1, fault, c.ID), "Comment not found"},
			"find in another fault":     {find(project, other, c.ID), "Comment not found"},
			"update in another project": {d.Faults.UpdateComment(ctx, d.UserID, project+1, fault, c.ID, text), "Comment not found"},
			"update in another fault":   {d.Faults.UpdateComment(ctx, d.UserID, project, other, c.ID, text), "Comment not found"},
			"delete in another project": {d.Faults.DeleteComment(ctx, d.UserID, project+1, fault, c.ID), "Comment not found"},
			"delete in another fault":   {d.Faults.DeleteComment(ctx, d.UserID, project, other, c.ID), "Comment not found"},
			"delete of no comment":      {d.Faults.DeleteComment(ctx, d.UserID, project, fault, 999), "Comment not found"},
		} {
			if sett.CodeOf(c.err) != sett.NotFound || c.err.Error() != c.says {
				t.Errorf("%s: %v", name, c.err)
			}
		}
		if diff := cmp.Diff([]faults.Comment{c}, d.History("E")); diff != "" || d.Fault("E").CommentsCount != 1 {
			t.Errorf("the comment (-before +after):\n%s", diff)
		}
	})
}

func TestOnlySomeMayChangeAComment(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("E"))
		author, member, admin := d.User("author", accounts.Member), d.User("member", accounts.Member), d.User("admin", accounts.Admin)
		_, stranger := d.Stranger()
		d.Team(d.ProjectID, author, member)
		c := d.Comment(author, "E", "Mine.")
		d.Update("E", faults.FaultChange{Resolved: sett.Some(true)})
		entry := d.History("E")[1]
		ctx, project, fault := t.Context(), d.ProjectID, d.FaultID("E")
		for _, c := range []struct {
			name     string
			user, id int64
			want     sett.Code
		}{
			{"its author", author, c.ID, ""},
			{"another member", member, c.ID, sett.Forbidden},
			{"an admin", admin, c.ID, ""},
			{"the owner", d.UserID, c.ID, ""},
			{"the owner of another account", stranger, c.ID, sett.NotFound},
			{"who caused an entry", d.UserID, entry.ID, sett.Forbidden},
			{"an admin who wants to change an entry", admin, entry.ID, sett.Forbidden},
		} {
			err := d.Faults.UpdateComment(ctx, c.user, project, fault, c.id, faults.CommentChange{Body: sett.Some(c.name)})
			if checked := d.Faults.CheckComment(ctx, c.user, project, fault, c.id); sett.CodeOf(err) != c.want || sett.CodeOf(checked) != c.want {
				t.Errorf("%s: %v, checked before: %v", c.name, err, checked)
			}
			if c.want != "" {
				if err := d.Faults.DeleteComment(ctx, c.user, project, fault, c.id); sett.CodeOf(err) != c.want {
					t.Errorf("%s deletes it: %v", c.name, err)
				}
			}
		}
		c.Body = "the owner"
		if diff := cmp.Diff([]faults.Comment{c, entry}, d.History("E")); diff != "" {
			t.Errorf("comments (-want +got):\n%s", diff)
		}
	})
}

func TestCommentsPageByPage(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("E"))
		var want []string
		for _, body := range []string{"a", "b", "c", "d", "e", "f", "g"} {
			want = append(want, d.Comment(d.UserID, "E", body).Body)
		}
		page := func(p sett.Page) (bodies []string, marks sett.Marks) {
			comments, marks, err := d.Faults.ListComments(t.Context(), d.ProjectID, d.FaultID("E"), p)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range comments {
				bodies = append(bodies, c.Body)
			}
			return bodies, marks
		}
		first, marks := page(sett.Page{Size: 3})
		second, marks := page(sett.Page{Size: 3, Mark: marks.Next})
		third, last := page(sett.Page{Size: 3, Mark: marks.Next})
		back, marks := page(sett.Page{Size: 3, Mark: marks.Prev, Back: true})
		offset, _ := page(sett.Page{Size: 3, Offset: 3})
		if diff := cmp.Diff([][]string{want[:3], want[3:6], want[6:], want[:3], want[3:6]}, [][]string{first, second, third, back, offset}); diff != "" {
			t.Errorf("pages (-want +got):\n%s", diff)
		}
		if last.Next != "" || marks.Prev != "" || marks.Next == "" {
			t.Errorf("marks of the last page %+v, of the first %+v", last, marks)
		}
		if _, _, err := d.Faults.ListComments(t.Context(), d.ProjectID, d.FaultID("E"), sett.Page{Size: 3, Mark: "x"}); sett.CodeOf(err) != sett.Invalid {
			t.Errorf("a mark that is none: %v", err)
		}
	})
}

// The number of comments is the number of rows, even if comments are written and deleted at the same time.
func TestCommentsAreCountedUnderLoad(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("E"))
		fault := d.FaultID("E")
		first := d.Comment(d.UserID, "E", "first")
		failed := make(chan error, 12)
		for range 6 {
			go func() {
				_, err := d.Faults.CreateComment(t.Context(), storetest.Noon.Add(time.Second), d.UserID, d.ProjectID, fault, faults.CommentChange{Body: sett.Some("more")})
				failed <- err
			}()
			go func() {
				err := d.Faults.DeleteComment(t.Context(), d.UserID, d.ProjectID, fault, first.ID)
				if sett.CodeOf(err) == sett.NotFound {
					err = nil
				}
				failed <- err
			}()
		}
		for range cap(failed) {
			if err := <-failed; err != nil {
				t.Error(err)
			}
		}
		if n, rows := d.Fault("E").CommentsCount, len(d.History("E")); n != 6 || rows != 6 {
			t.Errorf("counted %d comments, there are %d, want 6", n, rows)
		}
	})
}

func TestFeedbackOfAFault(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		token := sett.UUID{15: 7}
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("E", func(r *faults.Report) { r.Token = token }))
		add := func(projectID int64, notice sett.UUID, id byte) faultdb.FeedbackOutcome {
			t.Helper()
			outcome, err := s.Faults.AddFeedback(t.Context(), storetest.Noon, faultdb.Feedback{ProjectID: projectID, Notice: notice, ID: sett.UUID{14: 1, 15: id}, Author: "Ines", Body: "It hangs @Olga."})
			if err != nil {
				t.Fatal(err)
			}
			return outcome
		}
		other := d.Project("Other").ID
		for _, c := range []struct {
			projectID int64
			notice    sett.UUID
			want      faultdb.FeedbackOutcome
		}{
			{d.ProjectID, token, faultdb.FeedbackAdded},
			{d.ProjectID, token, faultdb.FeedbackKnown},
			{0, token, faultdb.FeedbackKnown},
			{other, token, faultdb.FeedbackOfNothing},
			{d.ProjectID, sett.UUID{15: 8}, faultdb.FeedbackOfNothing},
		} {
			if got := add(c.projectID, c.notice, 0); got != c.want {
				t.Errorf("of project %d and notice %s: %d, want %d", c.projectID, c.notice, got, c.want)
			}
		}
		want := []faults.Comment{{FaultID: d.FaultID("E"), Source: faults.FromUser, NoticesCount: 1, CreatedAt: storetest.Noon, Author: "Ines", Body: "It hangs @Olga."}}
		if diff := cmp.Diff(want, d.History("E"), cmpopts.IgnoreFields(faults.Comment{}, "ID")); diff != "" {
			t.Errorf("history (-want +got):\n%s", diff)
		}
		for n := range byte(99) {
			if got := add(0, token, n+1); got != faultdb.FeedbackAdded {
				t.Fatalf("feedback %d, in the same words: %d", n, got)
			}
		}
		if got := add(0, token, 100); got != faultdb.FeedbackTooMany {
			t.Errorf("beyond the limit: %d", got)
		}
		if n := d.Fault("E").CommentsCount; n != 100 {
			t.Errorf("the fault counts %d comments", n)
		}
	})
}
