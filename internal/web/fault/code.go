package fault

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"sett/internal/sett"
	"sett/internal/sett/repo"
	"sett/internal/store/sheet"
	"sett/internal/web"
)

// code is what the repositories of a project say of an error. What hosts say is hostile: only addresses of the web are links.
type code struct {
	Open    []codeChange // that people work on
	Changes []codeChange // open ones first
	More    int64        // that are not shown
	Suspect *codeCommit  // nil: none is known
	Quiet   string       // why no commit is known; "" if one is, or nothing was looked for
	Keyword string       // what a message says to fix the error
	Link    web.Field    // of the form
}

// codeChange is a change or commit that is about an error.
type codeChange struct {
	Name, Address string
	Title         string
	State         web.State
	Facts         string // checks, author and branch
	RepositoryID  int64
	Number        int64 // 0: a commit
}

// codeCommit is the commit that an error most likely came from.
type codeCommit struct {
	Name, Address string
	SHA           string
	Message       string
	Author        string
	At            web.Moment
	Change        string // its name; "" if that is not known
	ChangeAddress string
	Why           string
}

// Bounds of what a page shows of hosts.
const (
	mostChanges  = 10
	longestTitle = 120
	longestWhy   = 500
)

// showCode shows what the repositories of the project say, if it has any.
func (v *faultView) showCode(s *sheet.Fault) {
	if len(s.Repositories) == 0 {
		return
	}
	c := &code{Keyword: fmt.Sprintf("Fixes %s-%d", repo.Prefix, v.Fault.ID), Link: changeField()}
	for _, f := range s.Fixes {
		if at, ok := repositoryOf(s.Repositories, f.RepositoryID); ok {
			c.Changes = append(c.Changes, newCodeChange(at, f))
		}
	}
	slices.SortStableFunc(c.Changes, func(a, b codeChange) int { return rank(a) - rank(b) })
	for _, one := range c.Changes {
		if rank(one) == 0 {
			c.Open = append(c.Open, one)
		}
	}
	c.More = int64(max(0, len(c.Changes)-mostChanges))
	c.Changes, c.Open = c.Changes[:min(len(c.Changes), mostChanges)], c.Open[:min(len(c.Open), mostChanges)]
	c.showSuspect(v.Shell, s)
	v.Code = c
}

func rank(c codeChange) int {
	if c.State.Word == openWord {
		return 0
	}
	return 1
}

func repositoryOf(all []repo.Repository, id int64) (repo.Repository, bool) {
	i := slices.IndexFunc(all, func(r repo.Repository) bool { return r.ID == id })
	if i < 0 {
		return repo.Repository{}, false
	}
	return all[i], true
}

const openWord = "Open"

func newCodeChange(at repo.Repository, f repo.Fix) codeChange {
	c := codeChange{Name: cut(f.Name(at.Host), 40), Address: webLink(f.URL), Title: cut(f.Title, longestTitle), State: fixState(f), RepositoryID: f.RepositoryID, Number: f.Number}
	if f.Number > 0 && f.URL == "" {
		c.Address = webLink(at.ChangeURL(f.Number))
	}
	var facts []string
	branch := f.Branch
	if f.Change != nil {
		branch = f.Change.Branch
		if f.Change.Checks != repo.ChecksUnknown {
			facts = append(facts, "checks "+string(f.Change.Checks))
		}
	}
	if f.Author != "" {
		facts = append(facts, "by "+cut(f.Author, 60))
	}
	if branch != "" {
		facts = append(facts, "branch "+cut(branch, 60))
	}
	if !f.Fixes {
		facts = append(facts, "only names this error")
	}
	c.Facts = strings.Join(facts, " · ")
	return c
}

// fixState returns where a change or commit stands.
func fixState(f repo.Fix) web.State {
	standing := cut(f.Standing(), 80)
	s := web.State{Mood: web.Muted, Word: strings.ToUpper(standing[:1]) + standing[1:]}
	switch {
	case f.State == repo.Deployed:
		s.Mood = web.Fine
	case f.State == repo.Reverted:
		s.Mood = web.Critical
	case f.IsOpen() && f.Change.Draft:
		s.Word, s.Mood = "Draft", web.Info
	case f.IsOpen():
		s.Word, s.Mood = openWord, web.Info
	case f.LandedSHA != "":
		s.Mood = web.Info
	}
	return s
}

// showSuspect shows the commit that the error most likely came from, or why none is known. One of a repository that was removed is not shown.
func (c *code) showSuspect(shell web.Shell, s *sheet.Fault) {
	f := s.Suspect
	if f == nil {
		return
	}
	if f.Outcome != repo.Found {
		c.Quiet = "No suspect commit. " + cut(f.Why, longestWhy)
		if f.Outcome == repo.Unknown {
			c.Quiet = "The suspect commit is not known. " + cut(f.Why, longestWhy)
		}
		return
	}
	at, ok := repositoryOf(s.Repositories, f.RepositoryID)
	if !ok {
		return
	}
	message, _, _ := strings.Cut(strings.TrimSpace(f.Commit.Message), "\n")
	c.Suspect = &codeCommit{
		Name: cut(repo.Short(f.Commit.SHA), 40), SHA: cut(f.Commit.SHA, 64), Address: webLink(f.Commit.URL), Message: cut(orWord(message, "No message"), longestTitle),
		Author: cut(f.Commit.Author, 60), At: shell.Moment(f.Commit.At), Why: cut(f.Why, longestWhy),
	}
	if f.Change > 0 {
		c.Suspect.Change, c.Suspect.ChangeAddress = repo.Fix{Number: f.Change}.Name(at.Host), webLink(at.ChangeURL(f.Change))
	}
}

func changeField() web.Field {
	return web.Field{Name: "url", ID: "change-url", Label: "Address of a pull request", Kind: "url", Hint: "For example https://github.com/acme/shop/pull/12. A deploy that contains it resolves the error."}
}

func (p *pages) linkChange(w http.ResponseWriter, r *http.Request) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	all, err := p.Repos.List(r.Context(), web.Project(r))
	if err != nil {
		return err
	}
	sent := form.Get("url")
	at, number, err := repo.ChangeAt(all, sent)
	if err == nil {
		err = p.Repos.LinkChange(r.Context(), p.Now(), at, web.PathID(r, "fault_id"), number)
	}
	if err != nil {
		return p.again(w, r, err, func(v *faultView, why string) {
			if v.Code != nil {
				v.Code.Link.Value, v.Code.Link.Problem = sent, why
			}
		})
	}
	return p.Done(w, address(r), "change_linked")
}

func (p *pages) unlinkChange(w http.ResponseWriter, r *http.Request) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	repository, _ := strconv.ParseInt(form.Get("repository_id"), 10, 64)
	number, err := strconv.ParseInt(form.Get("number"), 10, 64)
	if err != nil {
		return p.again(w, r, sett.Refuse("number", "must be that of a pull request"), nil)
	}
	return p.changed(w, r, p.Repos.UnlinkChange(r.Context(), web.Project(r), web.PathID(r, "fault_id"), repository, number), "change_unlinked")
}
