package fault

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/triage"
	"sett/internal/store/faultdb"
	"sett/internal/store/searchdb"
	"sett/internal/web"
)

// bulkDone are the keys of the messages after a bulk action.
var bulkDone = map[triage.BulkAction]string{
	triage.BulkResolve: "bulk_resolved", triage.BulkUnresolve: "bulk_reopened", triage.BulkIgnore: "bulk_ignored", triage.BulkUnignore: "bulk_unignored",
	triage.BulkAssign: "bulk_assigned", triage.BulkPause: "bulk_paused", triage.BulkUnpause: "bulk_unpaused", triage.BulkTag: "bulk_tagged", triage.BulkUntag: "bulk_untagged", triage.BulkDelete: "bulk_deleted",
}

// bulkDeleting is the key for a deletion that continues after the response.
const bulkDeleting = "bulk_deleting"

// showWaiting adds the number of errors that are still to be changed to the message of a page.
func (p *pages) showWaiting(r *http.Request, s *web.Shell) error {
	done, some := strings.CutSuffix(r.URL.Query().Get("done"), "_some")
	if !strings.HasPrefix(done, "bulk_") || s.Done == "" {
		return nil
	}
	n, err := p.waiting(r)
	switch {
	case err != nil || n == 0:
	case done == bulkDeleting:
		s.Done = deletingText(n, some)
	default:
		s.Done += " " + changingText(n)
	}
	return err
}

// waiting returns how many faults of a list are still to be changed.
func (p *pages) waiting(r *http.Request) (sum int64, err error) {
	projects, err := p.projectsOf(r, asked{})
	for _, project := range projects {
		n, err := p.Faults.FaultsWaiting(r.Context(), project)
		if sum += n; err != nil {
			return sum, err
		}
	}
	return sum, err
}

// changingText says how many errors are still to be changed.
func changingText(n int64) string {
	return "The server is still changing " + web.Count(n, "error") + ", also if you leave this page."
}

// deletingText says how many errors are still to be deleted, and whether some are kept.
func deletingText(n int64, some bool) string {
	text := "Deleting 1 error. It disappears from the list shortly."
	if n > 1 {
		text = "Deleting " + web.Count(n, "error") + ". They disappear from the list one by one."
	}
	if some {
		text += " Errors that have changed since then are kept."
	}
	return text
}

// bulk is the form of an action on many faults.
type bulk struct {
	asked
	ids    []int64
	of     map[int64][]int64 // those of a list of all projects, by project
	boxes  []string          // the same as they were sent
	all    bool              // all that match the search, instead of the selected ones
	asOf   time.Time
	part   sett.Page // of the list that the form is in
	change triage.BulkChange
}

func readBulk(form url.Values) bulk {
	b := bulk{asked: asked{Q: form.Get("q"), Environment: form.Get("environment"), Order: form.Get("order"), View: form.Get("view"), Project: form.Get("project"), Given: true}, all: form.Get("all") != "", ids: []int64{}, of: map[int64][]int64{}}
	for text := range strings.SplitSeq(strings.Join(form["id"], ","), ",") { // the box of a page has the ids of all its errors
		project, fault, every := strings.Cut(text, ".") // of a list of all projects
		if !every {
			project, fault = "0", text
		}
		id, err := strconv.ParseInt(fault, 10, 64)
		if of, wrong := strconv.ParseInt(project, 10, 64); err == nil && wrong == nil {
			b.ids, b.of[of], b.boxes = append(b.ids, id), append(b.of[of], id), append(b.boxes, text)
		}
	}
	slices.Sort(b.ids)
	b.ids = slices.Compact(b.ids)
	b.part = sett.Page{Mark: form.Get("page"), Back: form.Get("back") != ""}
	b.asOf, _ = time.Parse(time.RFC3339Nano, form.Get("as_of"))
	b.change = triage.BulkChange{Action: sett.Some(form.Get("action")), Pause: sett.Some(pauseOf(form.Get("for"))), Tags: sett.Some(tagsOf(form.Get("tags")))}
	if !b.all {
		b.change.FaultIDs = sett.Some(b.ids)
	}
	if b.change.AssigneeID = (sett.Optional[int64]{Sent: true, Null: true}); form.Get("assignee_id") != "" {
		id, err := strconv.ParseInt(form.Get("assignee_id"), 10, 64)
		if b.change.AssigneeID = sett.Some(id); err != nil {
			b.change.AssigneeID.Bad = "must be the id of a user"
		}
	}
	return b
}

// tagsOf reads comma-separated tags.
func tagsOf(text string) (tags []string) {
	for tag := range strings.SplitSeq(text, ",") {
		if tag = strings.TrimSpace(tag); tag != "" {
			tags = append(tags, tag)
		}
	}
	return tags
}

// choice returns which faults are selected in a project of which some are.
func (b bulk) choice(ids []int64, user int64, now time.Time) (searchdb.Choice, error) {
	if !b.all {
		if len(ids) == 0 {
			return searchdb.Choice{}, errNoneSelected()
		}
		return searchdb.Choice{IDs: ids, AsOf: b.asOf}, nil
	}
	var problems sett.Problems
	f := b.filter(&problems, user, now)
	return searchdb.Choice{Filter: f, AsOf: b.asOf}, problems.Refusal()
}

// changeMany completes the change even if the browser disconnects: it may take long for many faults.
func (p *pages) changeMany(w http.ResponseWriter, r *http.Request) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	b := readBulk(form)
	parts, err := p.partsOf(r, b, "changeFaultsPage")
	if err != nil {
		return p.listAgain(w, r, b.asked, err, nil)
	}
	if form.Get("action") == "merge" {
		return p.mergeIn(w, r, b, parts, form.Get("into_id"))
	}
	err = b.change.Validate(p.Now())
	action := triage.BulkAction(b.change.Action.Value)
	if err == nil && action == triage.BulkDelete && form.Get("sure") == "" {
		return p.confirmDelete(w, r, b, parts)
	}
	now, done := p.Now(), faultdb.BulkOutcome{}
	if err == nil {
		done, err = p.changeParts(b, parts, now)
	}
	if err != nil {
		return p.listAgain(w, r, b.asked, err, nil)
	}
	word := bulkDone[action]
	if done.Waiting > 0 && action == triage.BulkDelete {
		word = bulkDeleting
	}
	if done.Left > 0 {
		word += "_some"
	}
	to := listPathIn(web.Project(r)) + b.Query() + partQuery(b.part)
	return p.doneAt(w, to, word+counted(word, done.Changed), now, done.Changed > 0)
}

// changeParts changes the faults of each project, in a transaction for each.
func (p *pages) changeParts(b bulk, parts []bulkPart, now time.Time) (sum faultdb.BulkOutcome, err error) {
	for _, part := range parts {
		user := web.Who(part.r).User.ID
		choice, err := b.choice(part.ids, user, now)
		if err != nil {
			return sum, err
		}
		if !b.all {
			b.change.FaultIDs = sett.Some(part.ids)
		}
		done, err := p.Search.ChangeFaults(context.WithoutCancel(part.r.Context()), now, user, web.Project(part.r), choice, b.change)
		if err != nil {
			return sum, err
		}
		sum.Changed, sum.Left, sum.Waiting = sum.Changed+done.Changed, sum.Left+done.Left, sum.Waiting+done.Waiting
	}
	return sum, nil
}

// mergeIn merges selected faults, which must be of one project.
func (p *pages) mergeIn(w http.ResponseWriter, r *http.Request, b bulk, parts []bulkPart, into string) error {
	if len(parts) > 1 {
		return p.listAgain(w, r, b.asked, sett.Errorf(sett.Invalid, "Select errors of one project to merge them."), nil)
	}
	id, _ := strconv.ParseInt(into, 10, 64) // none: it is asked for
	b.ids, b.Project = parts[0].ids, ""
	return p.mergeMany(w, parts[0].r, b, id)
}

// partQuery returns the parameters that follow in the URL of a part of a list.
func partQuery(p sett.Page) (query string) {
	if p.Mark != "" {
		query = "&page=" + url.QueryEscape(p.Mark)
	}
	if p.Back {
		query += "&back=1"
	}
	return query
}

// ofErrors is how messages begin that say the number of errors instead, if it is in the URL.
const ofErrors = "Errors "

// counted returns the parameter with the number of errors for the message of a change, or "".
func counted(word string, n int64) string {
	if word == bulkDeleting || !strings.HasPrefix(doneTexts[strings.TrimSuffix(word, "_some")], ofErrors) {
		return ""
	}
	return fmt.Sprintf("&n=%d", n)
}

// showCount replaces the beginning of the message of a change by the number of errors.
func showCount(r *http.Request, s *web.Shell) {
	n, err := strconv.ParseInt(r.URL.Query().Get("n"), 10, 64)
	if rest, ok := strings.CutPrefix(s.Done, ofErrors); ok && err == nil && n >= 0 {
		s.Done = web.Count(n, "error") + " " + rest
	}
}

// markOf formats a time exactly; the zero time as "".
func markOf(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.UTC().Format(time.RFC3339Nano)
}

// deletion is the page that asks for confirmation before it deletes many faults.
type deletion struct {
	web.Shell
	ProjectID int64
	Asked     asked
	Count     int64
	IDs       []string
	All       bool
	AsOf      string
	Back      string
}

// List is the path of the list.
func (d deletion) List() string { return listPathIn(d.ProjectID) }

func (p *pages) confirmDelete(w http.ResponseWriter, r *http.Request, b bulk, parts []bulkPart) error {
	page := deletion{Shell: p.Shell(r, "Delete errors").In("faults"), ProjectID: web.Project(r), Asked: b.asked, Count: int64(len(b.ids)), All: b.all, AsOf: markOf(b.asOf)}
	page.Back, page.Address = p.listAddress(page.ProjectID, b.asked), page.List()
	if page.IDs = b.boxes; b.all {
		page.Count, page.IDs = 0, nil
		for _, part := range parts {
			choice, err := b.choice(part.ids, web.Who(r).User.ID, p.Now())
			if err == nil {
				var n int64
				n, err = p.Search.CountChosen(r.Context(), p.Now(), web.Project(part.r), choice)
				page.Count += n
			}
			if err != nil {
				return p.listAgain(w, r, b.asked, err, nil)
			}
		}
	}
	return p.Show(w, r, http.StatusOK, "faults_delete", page)
}
