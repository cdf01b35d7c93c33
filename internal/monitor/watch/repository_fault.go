package watch

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"sett/internal/monitor/host"
	"sett/internal/sett"
	"sett/internal/sett/faults"
	"sett/internal/sett/release"
	"sett/internal/sett/repo"
	"sett/internal/store/faultdb"
)

const (
	mostWithFiles = 30 // commits of a deploy whose files are asked for
	oneDay        = 24 * time.Hour
	suspectsHour  = 100 // that are looked for in a project in an hour: a flood of errors must not use up what a host answers
)

// errBusy delays work.
var errBusy = errors.New("many suspect commits were looked for in the last hour")

// origin is where an error was: the code that ran, and the lines of its trace.
type origin struct {
	fault            faults.Fault
	notice           faults.Notice
	revision, before string // that ran, and that ran before it; "" if not known
	frames           []repo.Frame
}

// first returns when the error began. One that is older than a day came back: what broke it may be newer than its first event.
func (o origin) first() time.Time {
	if o.notice.CreatedAt().Sub(o.fault.CreatedAt) < oneDay {
		return o.fault.CreatedAt
	}
	return o.notice.CreatedAt()
}

// fault finds the commit that an error most likely came from, and stores what was found.
func (r *Repositories) fault(ctx context.Context, w repo.Work) error {
	all, err := r.Store.Repos.List(ctx, w.ProjectID)
	if err != nil || len(all) == 0 {
		return err
	}
	n, err := r.Store.Repos.SuspectsSince(ctx, w.ProjectID, r.Now().Add(-time.Hour))
	if err != nil {
		return err
	}
	if n >= suspectsHour {
		return errBusy
	}
	o, err := r.originOf(ctx, w)
	if err != nil {
		return err
	}
	f := repo.Finding{FaultID: w.SubjectID, ProjectID: w.ProjectID, Revision: o.revision, FoundAt: r.Now()}
	s, at, err := r.suspect(ctx, all, o)
	if err != nil && w.Tries < repo.MostTries {
		return err
	}
	if err != nil {
		s = repo.Suspect{Outcome: repo.Unknown, Reason: repo.NotRead, Problems: []string{err.Error()}}
	}
	f.Outcome, f.Why = s.Outcome, s.Why()
	if len(s.Problems) > 0 {
		f.Why += " " + strings.Join(s.Problems, " ")
	}
	if s.Outcome == repo.Found {
		f.RepositoryID, f.Commit = at.ID, s.Commit
		f.Change, err = r.changeOf(ctx, at, o, s)
	}
	return errors.Join(err, r.Store.Repos.SetSuspect(ctx, f))
}

// originOf reads where the newest event of an error was.
func (r *Repositories) originOf(ctx context.Context, w repo.Work) (o origin, err error) {
	f, n, err := r.Store.Faults.FaultWithNotice(ctx, w.ProjectID, w.SubjectID, "")
	if err != nil {
		return o, err
	}
	o.fault = f
	if n == nil {
		return o, sett.Errorf(sett.NotFound, "the events of the error are not stored any longer")
	}
	o.notice, o.revision, o.frames = *n, n.Environment.Revision, repo.FramesOf(n.Payload)
	filter := faultdb.DeployFilter{Revision: o.revision, CreatedBefore: n.CreatedAt().Add(1)}
	filter.Size = 50
	deploys, _, err := r.Store.Faults.ListDeploys(ctx, w.ProjectID, filter)
	if err != nil {
		return o, err
	}
	i := slices.IndexFunc(deploys, func(d faults.Deploy) bool { return d.Environment == "" || d.Environment == f.Environment })
	if i < 0 {
		return o, nil
	}
	o.revision = deploys[i].Revision
	o.before, err = r.Store.Faults.PreviousRevision(ctx, w.ProjectID, deploys[i].ID)
	return o, err
}

// suspect looks in each repository, and returns the first commit that is found; otherwise what was found out about the last.
func (r *Repositories) suspect(ctx context.Context, all []repo.Repository, o origin) (s repo.Suspect, at repo.Repository, err error) {
	if o.revision == "" {
		return repo.Suspect{Outcome: repo.Unknown, Reason: repo.NotRead, Problems: []string{"Neither the event nor a deploy before it says which revision ran."}}, at, nil
	}
	for _, at = range all {
		if at.Token == "" {
			s, err = r.suspectHeard(ctx, at, o)
		} else {
			err = r.ask(ctx, at, func(h host.Host) (err error) {
				s, err = suspectAsked(ctx, h, at, o)
				return err
			})
		}
		if err != nil || s.Outcome == repo.Found {
			return s, at, err
		}
	}
	return s, at, nil
}

// suspectHeard looks among what webhooks said: the commits of the deploy, and which files they touch.
func (r *Repositories) suspectHeard(ctx context.Context, at repo.Repository, o origin) (repo.Suspect, error) {
	e := repo.Evidence{First: o.first()}
	commits, known, err := r.Store.Repos.Between(ctx, at.ID, o.before, o.revision, release.MostCommits)
	if err != nil {
		return repo.Suspect{}, err
	}
	if !known {
		e.Problems = append(e.Problems, "The repository has no token, and its webhooks did not say which commits the deploy brought.")
		return repo.Choose(e), nil
	}
	var files []string
	for _, c := range commits {
		for _, file := range c.Files {
			if at.Path == "" || strings.HasPrefix(file, at.Path+"/") {
				files = append(files, file)
			}
		}
	}
	slices.Sort(files)
	slices.Reverse(commits)
	e.Deploys = &repo.Comparison{Order: repo.Ahead, Commits: commits, Complete: len(commits) < release.MostCommits}
	e.Places, _, _ = repo.NewTree(slices.Compact(files), true).Places(o.frames, at.Path, repo.Root{})
	if len(o.frames) > 0 && len(e.Places) == 0 {
		return repo.Suspect{Outcome: repo.None, Reason: repo.Untouched}, nil
	}
	return repo.Choose(e), nil
}

// suspectAsked asks the host who changed the lines of the trace last, and then what the deploy brought.
func suspectAsked(ctx context.Context, h host.Host, at repo.Repository, o origin) (s repo.Suspect, err error) {
	e := repo.Evidence{First: o.first()}
	if len(o.frames) == 0 {
		return repo.Choose(e), nil
	}
	paths, complete, err := h.Tree(ctx, o.revision)
	switch {
	case isMissing(err):
		e.Problems = append(e.Problems, err.Error())
		return repo.Choose(e), nil
	case err != nil:
		return s, err
	}
	e.Places, e.Missed, _ = repo.NewTree(paths, complete).Places(o.frames, at.Path, repo.Root{})
	for _, p := range e.Places {
		if p.Line == 0 {
			continue
		}
		blamed, err := h.Blame(ctx, o.revision, p.Path, p.Line, p.Line)
		line := repo.Line{Place: p, Blamed: blamed}
		if isMissing(err) {
			line.Problem, err = err.Error(), nil
		}
		if err != nil {
			return s, err
		}
		e.Lines = append(e.Lines, line)
	}
	if s = repo.Choose(e); s.Outcome == repo.Found || o.before == "" || len(e.Places) == 0 {
		return s, nil
	}
	c, err := h.Compare(ctx, o.before, o.revision)
	if err == nil {
		c, err = host.WithFiles(ctx, h, c, mostWithFiles)
	}
	switch {
	case isMissing(err):
		e.Problems = append(e.Problems, err.Error())
	case err != nil:
		return s, err
	default:
		e.Deploys = &c
	}
	return repo.Choose(e), nil
}

// changeOf returns the number of the change that brought a suspect commit, and comments on it, if the repository wants that.
func (r *Repositories) changeOf(ctx context.Context, at repo.Repository, o origin, s repo.Suspect) (number int64, err error) {
	err = r.ask(ctx, at, func(h host.Host) error {
		changes, err := h.ChangesOf(ctx, s.Commit.SHA)
		i := slices.IndexFunc(changes, func(c repo.Change) bool { return c.State == repo.Merged })
		if err != nil || i < 0 {
			return err
		}
		if number = changes[i].Number; !at.Comments {
			return nil
		}
		return h.Comment(ctx, number, fmt.Sprintf("fault-%d", o.fault.ID), r.comment(o, s))
	})
	if isMissing(err) {
		err = nil
	}
	return number, err
}

// comment is what a change is said to have brought. The message of the error is left out, as more people may read the repository than the errors; its
// class is a line of code, as strangers may have written it.
func (r *Repositories) comment(o origin, s repo.Suspect) string {
	f := o.fault
	return fmt.Sprintf("**An error most likely comes from this change.** %s\n\n%s\n\n%s/projects/%d/faults/%d\n\nIn the commit that repairs it, write `Fixes %s-%d`.\n",
		s.Why(), asCode(f.Class), r.BaseURL, f.ProjectID, f.ID, repo.Prefix, f.ID)
}

// asCode returns a text as one line of code in Markdown, cut to what a comment needs.
func asCode(text string) string {
	const most = 200
	runes := []rune(strings.Join(strings.Fields(strings.ReplaceAll(text, "`", "'")), " "))
	if len(runes) == 0 {
		return ""
	}
	return "`" + string(runes[:min(len(runes), most)]) + "`"
}
