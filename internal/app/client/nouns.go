package client

import (
	"strconv"
	"strings"
	"time"

	"sett/internal/api"
)

// Limits of lists, unless another one is asked for: of those that grow without end, and of others.
const (
	fewListed = 25
	allListed = mostOfPage
)

// Nouns are what the reading commands list, in the order of their help.
func Nouns() []Noun {
	return []Noun{Errors(), Projects(), sitesNoun(), checkInsNoun(), deploysNoun(), releasesNoun(), statusPagesNoun(), searchesNoun()}
}

// Errors are the errors of a project.
func Errors() Noun {
	return of(Noun{
		Name: "errors", One: "error", About: "List the open errors of a project, last seen first", Limit: fewListed, path: "/faults", direct: true,
		Columns: []Column{
			{Name: "id", Doc: "number of the error"},
			{Name: "state", Doc: "open, paused, resolved or ignored"},
			{Name: "environment", Doc: "environment of its events"},
			{Name: "events", Doc: "number of all its events"},
			{Name: "last_seen", Doc: "time of its last event"},
			{Name: "class", Doc: "class of the error"},
			{Name: "message", Doc: "message of its first event"},
			{Name: "component", Doc: "part of the program", Wide: true},
			{Name: "action", Doc: "action of that part", Wide: true},
			{Name: "assignee", Doc: "email address of its assignee", Wide: true},
			{Name: "comments", Doc: "number of comments", Wide: true},
			{Name: "tags", Doc: "its tags", Wide: true},
			{Name: "first_seen", Doc: "time of its first event", Wide: true},
			{Name: "project_id", Doc: "number of its project", Wide: true},
			{Name: "url", Doc: "address of its page", Wide: true},
		},
	}, viewError)
}

func viewError(f api.Fault) Row {
	assignee := ""
	if f.Assignee != nil {
		assignee = f.Assignee.Email
	}
	return Row{ID: strconv.FormatInt(f.ID, 10), Page: f.URL, about: f.Klass + ": " + f.Message, Cells: []any{
		f.ID, stateOf(f), f.Environment, f.NoticesCount, timeOf(f.LastNoticeAt), f.Klass, f.Message, textOf(f.Component), textOf(f.Action), assignee,
		f.CommentsCount, f.Tags, f.CreatedAt, f.ProjectID, f.URL,
	}}
}

// stateOf is the state of an error in one word.
func stateOf(f api.Fault) string {
	switch {
	case f.Ignored:
		return "ignored"
	case f.Resolved:
		return "resolved"
	case f.Paused:
		return "paused"
	}
	return "open"
}

// Projects are those that the user can see.
func Projects() Noun {
	return of(Noun{
		Name: "projects", One: "project", About: "List your projects", Limit: allListed, path: "/projects", where: inServer,
		Columns: []Column{
			{Name: "id", Doc: "number of the project"},
			{Name: "name", Doc: "its name"},
			{Name: "open_errors", Doc: "number of errors that are not resolved"},
			{Name: "errors", Doc: "number of all errors"},
			{Name: "last_seen", Doc: "time of its last event"},
			{Name: "environments", Doc: "its environments"},
			{Name: "active", Doc: "false if its API key is refused", Wide: true},
			{Name: "account_id", Doc: "id of its account", Wide: true},
			{Name: "created", Doc: "when it was created", Wide: true},
		},
	}, viewProject)
}

func viewProject(p api.Project) Row {
	return Row{ID: strconv.FormatInt(p.ID, 10), Names: []string{p.Name, p.Token}, Cells: []any{
		p.ID, p.Name, p.UnresolvedFaultCount, p.FaultCount, timeOf(p.LastNoticeAt), p.Environments, p.Active, p.AccountID, p.CreatedAt,
	}}
}

func sitesNoun() Noun {
	return of(Noun{
		Name: "sites", One: "site", About: "List the sites of a project with their states", Limit: allListed, path: "/sites",
		Columns: []Column{
			{Name: "id", Doc: "id of the site"},
			{Name: "state", Doc: "up, down, pending or paused"},
			{Name: "name", Doc: "its name"},
			{Name: "address", Doc: "what is checked, without secrets"},
			{Name: "last_checked", Doc: "time of the last check"},
			{Name: "frequency", Doc: "minutes between two checks", Wide: true},
			{Name: "locations", Doc: "from where it is checked; none: from all", Wide: true},
			{Name: "certificate_expires", Doc: "when its certificate expires", Wide: true},
			{Name: "url", Doc: "address of its page", Wide: true},
		},
	}, func(s api.Site) Row {
		state := string(s.State)
		if !s.Active {
			state = "paused"
		}
		return Row{ID: s.ID, Names: []string{s.Name, s.URL}, Page: s.DetailsURL, Cells: []any{
			s.ID, state, s.Name, s.URL, timeOf(s.LastCheckedAt), s.Frequency, textsOf(s.Locations), timeOf(s.CertWillExpireAt), s.DetailsURL,
		}}
	})
}

func checkInsNoun() Noun {
	return of(Noun{
		Name: "check-ins", One: "check-in", About: "List the check-ins of a project with their states", Limit: allListed, path: "/check_ins",
		Columns: []Column{
			{Name: "id", Doc: "id of the check-in; with it, anyone can report"},
			{Name: "state", Doc: "pending, reporting, missing, failing or paused"},
			{Name: "name", Doc: "its name"},
			{Name: "schedule", Doc: "when reports are expected"},
			{Name: "last_reported", Doc: "when the last report arrived"},
			{Name: "expected", Doc: "when the next report is expected"},
			{Name: "slug", Doc: "its slug", Wide: true},
			{Name: "missed", Doc: "reports that were missed in a row", Wide: true},
			{Name: "url", Doc: "address of its page", Wide: true},
		},
	}, func(c api.CheckIn) Row {
		schedule := "every " + c.ReportPeriod
		if c.CronSchedule != "" {
			schedule = strings.TrimSpace(c.CronSchedule + " " + textOf(c.CronTimezone))
		}
		return Row{ID: c.ID, Names: []string{c.Name, c.Slug}, Page: c.DetailsURL, Cells: []any{
			c.ID, c.State, c.Name, schedule, timeOf(c.ReportedAt), timeOf(c.ExpectedAt), c.Slug, c.MissedCount, c.DetailsURL,
		}}
	})
}

func deploysNoun() Noun {
	return of(Noun{
		Name: "deploys", One: "deploy", About: "List the deploys of a project, newest first", Limit: fewListed, path: "/deploys", direct: true,
		Columns: []Column{
			{Name: "id", Doc: "number of the deploy"},
			{Name: "created", Doc: "when it was recorded"},
			{Name: "environment", Doc: "empty for the whole project"},
			{Name: "revision", Doc: "what was deployed"},
			{Name: "user", Doc: "who deployed"},
			{Name: "repository", Doc: "address of the repository", Wide: true},
			{Name: "project_id", Doc: "number of its project", Wide: true},
		},
	}, func(d api.Deploy) Row {
		return Row{ID: strconv.FormatInt(d.ID, 10), Names: []string{d.Revision}, Cells: []any{d.ID, d.CreatedAt, d.Environment, d.Revision, d.LocalUsername, d.Repository, d.ProjectID}}
	})
}

func releasesNoun() Noun {
	return of(Noun{
		Name: "releases", One: "release", About: "List the releases of a project with their errors, newest first", Limit: fewListed, path: "/releases", direct: true,
		Columns: []Column{
			{Name: "version", Doc: "what events and deploys call their revision"},
			{Name: "created", Doc: "when it was first named"},
			{Name: "new_errors", Doc: "errors whose first event is from it"},
			{Name: "reopened_errors", Doc: "resolved errors that occurred again in it"},
			{Name: "events", Doc: "number of its events"},
			{Name: "verdict", Doc: "first, too_early, better, worse or same, against the previous one"},
			{Name: "resolved_errors", Doc: "errors that its deploys resolved", Wide: true},
			{Name: "crash_free", Doc: "share of sessions without a crash, from 0 to 1", Wide: true},
			{Name: "last_seen", Doc: "time of its last event", Wide: true},
			{Name: "project_id", Doc: "number of its project", Wide: true},
		},
	}, func(r api.Release) Row {
		var share any
		if r.Sessions.CrashFree != nil {
			share = *r.Sessions.CrashFree
		}
		return Row{ID: r.Version, Cells: []any{
			r.Version, r.CreatedAt, r.NewFaultsCount, r.ReopenedFaultsCount, r.NoticesCount, r.Verdict.State, r.ResolvedFaultsCount, share,
			timeOf(r.LastSeenAt), r.ProjectID,
		}}
	})
}

func statusPagesNoun() Noun {
	return of(Noun{
		Name: "status-pages", One: "status page", About: "List the status pages of your accounts", Limit: allListed, path: "/status_pages", where: inAccount,
		Columns: []Column{
			{Name: "id", Doc: "id of the status page"},
			{Name: "name", Doc: "its name"},
			{Name: "sites", Doc: "number of sites on it"},
			{Name: "check_ins", Doc: "number of check-ins on it"},
			{Name: "url", Doc: "its public address"},
			{Name: "domain_state", Doc: "pending, verified, failing or failed; empty without a domain", Wide: true},
			{Name: "slug", Doc: "its slug", Wide: true},
			{Name: "account_id", Doc: "id of its account", Wide: true},
			{Name: "created", Doc: "when it was created", Wide: true},
		},
	}, func(p api.StatusPage) Row {
		return Row{ID: p.ID, Names: []string{p.Name, p.Slug, textOf(p.Domain), p.URL}, Page: p.URL, Cells: []any{
			p.ID, p.Name, len(p.Sites), len(p.CheckIns), p.URL, textOf(p.DomainState), p.Slug, p.AccountID, p.CreatedAt,
		}}
	})
}

func searchesNoun() Noun {
	return of(Noun{
		Name: "searches", One: "saved search", About: "List the saved searches of a project", Limit: allListed, path: "/searches",
		Columns: []Column{
			{Name: "id", Doc: "number of the search"},
			{Name: "name", Doc: "its name"},
			{Name: "query", Doc: "what it searches for"},
			{Name: "environment", Doc: "empty for all"},
			{Name: "shared", Doc: "whether others see it"},
			{Name: "order", Doc: "recent or frequent; empty for the newest first", Wide: true},
		},
	}, func(s api.SavedSearch) Row {
		return Row{ID: strconv.FormatInt(s.ID, 10), Names: []string{s.Name}, Cells: []any{s.ID, s.Name, s.Q, textOf(s.Environment), s.Shared, textOf(s.Order)}}
	})
}

func textOf(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// timeOf returns a time, which is zero for none.
func timeOf(at *time.Time) time.Time {
	if at == nil {
		return time.Time{}
	}
	return *at
}

func textsOf[T ~string](all []T) (texts []string) {
	for _, text := range all {
		texts = append(texts, string(text))
	}
	return texts
}
