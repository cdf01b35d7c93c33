package project

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/web"
)

// setupPage explains how to connect an app to a project.
type setupPage struct {
	web.Shell
	Project   accounts.Project
	Languages []languageTab
	Chosen    language
	Framework *framework    // nil: none is chosen
	Tabs      []languageTab // of the frameworks of the language
	More      []snippet     // for deploys and check-ins
	ReportURL string
	Stream    string
	First     *tailed // the newest notice; nil: none yet
	Began     bool    // the project has received notices, maybe long ago

	NoBrowserKey bool // the project has no key that can only report errors
}

// languageTab links to the snippets of a language.
type languageTab struct {
	Label, Path string
	On          bool
}

// browserKeyOf returns a key that can only report errors and does not expire, or "".
func browserKeyOf(keys []accounts.ProjectKey) string {
	for _, k := range keys {
		if k.Scope == accounts.ScopeNotices && k.EndsAt.IsZero() {
			return k.Key
		}
	}
	return ""
}

// recent is the maximum age of the notice on a setup page.
const recent = liveBefore

func (p *pages) setup(w http.ResponseWriter, r *http.Request) error {
	id, now := web.Project(r), p.Now()
	project, err := p.Accounts.ProjectWithoutCounts(r.Context(), id)
	if err != nil {
		return err
	}
	page := setupPage{Shell: p.Shell(r, "Setup").In("settings"), Project: project, Began: !project.EarliestNoticeAt.IsZero(), ReportURL: p.ReportURL}
	page.Title, page.Secret = "Connect an app", true
	keys, err := p.Accounts.ProjectKeys(r.Context(), id)
	if err != nil {
		return err
	}
	browserKey := browserKeyOf(keys)
	page.NoBrowserKey = browserKey == ""
	page.choose(cmp.Or(r.URL.Query().Get("language"), project.Language), p.ReportURL, cmp.Or(browserKey, project.Token))
	page.More = moreSnippets(p.ReportURL, project.Token)
	found, err := p.Faults.NoticesAfter(r.Context(), id, sett.NoticeIDAt(now.Add(-recent)), 1)
	if err != nil {
		return err
	}
	last := sett.NoticeIDAt(now)
	if len(found) > 0 {
		last = max(last, found[0].Key)
		page.First, page.Began = &tailed{found[0], id, page.Moment(found[0].CreatedAt())}, true
	}
	page.Stream = streamPath(page.Here+"/events", last)
	return p.Show(w, r, http.StatusOK, "project_setup", page)
}

// choose shows the snippets of a language or framework, or those of curl.
func (page *setupPage) choose(word, reportURL, browserKey string) {
	id, key := page.Project.ID, page.Project.Token
	languages := languagesFor(reportURL, id, key, browserKey)
	page.Chosen = languages[len(languages)-1]
	for _, l := range languages {
		if l.Word == languageOf(word) {
			page.Chosen = l
		}
	}
	for _, l := range languages {
		page.Languages = append(page.Languages, languageTab{l.Label, page.Here + "?language=" + l.Word, l.Word == page.Chosen.Word})
	}
	known := frameworksFor(page.Chosen.Word, reportURL, id, key, browserKey)
	for i, f := range known {
		if f.Word == word {
			page.Framework = &known[i]
		}
	}
	if len(known) == 0 {
		return
	}
	page.Tabs = append(page.Tabs, languageTab{"Any app", page.Here + "?language=" + page.Chosen.Word, page.Framework == nil})
	for _, f := range known {
		page.Tabs = append(page.Tabs, languageTab{f.Label, page.Here + "?language=" + f.Word, f.Word == word})
	}
}

// setupEvents waits for a notice and sends it to the page.
func (p *pages) setupEvents(w http.ResponseWriter, r *http.Request) error {
	last := lastSeen(r, p.Now())
	return p.Listen(w, r, func(ctx context.Context, e web.Events) (bool, error) {
		found, err := p.Faults.NoticesAfter(ctx, web.Project(r), last, 1)
		for _, n := range slices.Backward(found) {
			return true, p.sendNotice(r, e, n)
		}
		return false, err
	})
}

// sendTest stores a test notice.
func (p *pages) sendTest(w http.ResponseWriter, r *http.Request) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	project, err := p.Accounts.ProjectWithoutCounts(r.Context(), web.Project(r))
	if err != nil {
		return err
	}
	if err := p.recordTest(r, project); err != nil {
		return err
	}
	shown := setupPath(project.ID)
	if word := form.Get("language"); word != "" {
		shown += "?language=" + url.QueryEscape(word)
	}
	return p.Done(w, shown, "test_sent")
}
