package settings

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/scrub"
	"sett/internal/web"
)

const (
	mostErasures = 50

	// How long a preview counts events, and how long a new erasure may take before the page is shown.
	previewPatience = 5 * time.Second
	erasurePatience = 5 * time.Second
)

// erasureList is the page of the erasures of a project.
type erasureList struct {
	page
	Fields   web.Fields // of the user to erase
	Preview  *erasurePreview
	Erasures []erasureRow
	Pager    web.Pager
}

// erasurePreview is what an erasure would delete.
type erasurePreview struct {
	scrub.ErasurePreview
	Entered string // what names the user
}

// None reports whether there is nothing to delete.
func (e erasurePreview) None() bool { return e.Notices == 0 && e.Events == 0 && !e.More }

// erasureRow is an erasure in the list.
type erasureRow struct {
	scrub.Erasure
	Is web.State
	By string
}

func newErasureRow(e scrub.Erasure) erasureRow {
	row := erasureRow{Erasure: e, Is: web.State{Mood: web.Fine, Word: "finished"}, By: "the server's operator or a deleted user"}
	switch e.State() {
	case scrub.ErasureRunning:
		row.Is = web.State{Mood: web.Info, Word: "running"}
		if e.Left > 0 {
			row.Is.Word = fmt.Sprintf("running, %d left", e.Left)
		}
	case scrub.ErasureDeleted:
		row.Is = web.State{Mood: web.Info, Word: "deleted"}
	case scrub.ErasureFinished:
	}
	if e.MadeBy != nil {
		row.By = e.MadeBy.Called()
	}
	return row
}

func (p *pages) newErasureList(r *http.Request, user string) (*erasureList, error) {
	list := &erasureList{page: p.newPage(r, "Erase users", "erasures"), Fields: web.Fields{
		{Name: "user", Label: "User", Kind: "text", Value: user, Hint: "ID, email address or name, as your application reports it. Upper and lower case are the same."},
	}}
	found, marks, err := p.Store.ListErasures(r.Context(), list.ProjectID, web.PageOf(r, mostErasures))
	for _, e := range found {
		list.Erasures = append(list.Erasures, newErasureRow(e))
	}
	list.Pager = p.NewPager(r, marks)
	return list, err
}

func (p *pages) erasuresPage(w http.ResponseWriter, r *http.Request) error {
	list, err := p.newErasureList(r, "")
	if err != nil {
		return err
	}
	return p.Show(w, r, http.StatusOK, "settings_erasures", list)
}

// previewErasure counts what would be deleted. It is a form that is posted, because the address of a page gets into logs.
func (p *pages) previewErasure(w http.ResponseWriter, r *http.Request) error {
	return p.erasureForm(w, r, func(form url.Values, change scrub.ErasureChange) error {
		ctx, cancel := context.WithTimeout(r.Context(), previewPatience)
		defer cancel()
		found, err := p.Store.PreviewErasure(ctx, web.Project(r), change)
		if err != nil {
			return err
		}
		list, err := p.newErasureList(r, form.Get("user"))
		if err != nil {
			return err
		}
		list.Preview = &erasurePreview{found, form.Get("user")}
		return p.Show(w, r, http.StatusOK, "settings_erasures", list)
	})
}

func (p *pages) eraseUser(w http.ResponseWriter, r *http.Request) error {
	return p.erasureForm(w, r, func(_ url.Values, change scrub.ErasureChange) error {
		e, err := p.Store.CreateErasure(r.Context(), p.Now(), web.Who(r).User.ID, web.Project(r), change)
		if err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(r.Context(), erasurePatience)
		defer cancel()
		if e, err = p.Store.AwaitErasure(ctx, e.ProjectID, e.ID); err != nil {
			return err
		}
		if e.State() == scrub.ErasureRunning {
			return p.Done(w, to(r, "/erasures"), "user_erasing")
		}
		return p.Done(w, to(r, "/erasures"), "user_erased")
	})
}

// erasureForm reads the form of the page, and shows it again if do refuses it.
func (p *pages) erasureForm(w http.ResponseWriter, r *http.Request, do func(url.Values, scrub.ErasureChange) error) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	err = do(form, scrub.ErasureChange{User: sett.Some(form.Get("user"))})
	if sett.CodeOf(err) != sett.Invalid {
		return err
	}
	again, failed := p.newErasureList(r, form.Get("user"))
	if failed != nil {
		return failed
	}
	again.Fields.Explain(sett.ProblemsOf(err))
	return p.Again(w, r, err, "settings_erasures", again)
}
