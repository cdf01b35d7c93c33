package project

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"strconv"

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
	Heard     heard

	NoBrowserKey bool // the project has no key that can only report errors
}

// heard is what a page says of the events that a project receives.
type heard struct {
	Began  bool    // the project has received events, maybe long ago
	Newest *tailed // nil: none lately
	More   bool    // the page has shown another one
	Stream string
}

// Title says whether the app is connected.
func (h heard) Title() string {
	switch {
	case h.More:
		return "New event received"
	case h.Newest != nil:
		return "First event received"
	case h.Began:
		return "Receiving events"
	}
	return "Waiting for the first event"
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
	page := setupPage{Shell: p.Shell(r, "Setup").In("settings"), Project: project, ReportURL: p.ReportURL}
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
	page.Heard.Began = !project.EarliestNoticeAt.IsZero()
	last := sett.NoticeIDAt(now)
	if len(found) > 0 {
		last = max(last, found[0].Key)
		page.Heard.Newest, page.Heard.Began = &tailed{found[0], id, page.Moment(found[0].CreatedAt())}, true
	}
	page.Heard.Stream = heardStream(id, last, page.Heard.Began)
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

// heardStream returns the path of the stream of what comes after an event.
func heardStream(project int64, last sett.NoticeID, began bool) string {
	path := streamPath(setupPath(project)+"/events", last)
	if began {
		path += "&began=true"
	}
	return path
}

// setupEvents sends the newest event to the page as it arrives.
func (p *pages) setupEvents(w http.ResponseWriter, r *http.Request) error {
	last, more, id := lastSeen(r, p.Now()), r.URL.Query().Has("began"), web.Project(r)
	return p.Listen(w, r, func(ctx context.Context, e web.Events) (bool, error) {
		found, err := p.Faults.NoticesAfter(ctx, id, last, 1)
		if err != nil || len(found) == 0 {
			return false, err
		}
		newest := tailed{found[0], id, web.Moment{Now: p.NowFor(r), At: found[0].CreatedAt()}}
		h := heard{true, &newest, more, heardStream(id, newest.Key, true)}
		last, more = newest.Key, true
		part, err := p.Part("project_setup", "heard", h)
		if err != nil {
			return false, err
		}
		return false, e.Send("part", strconv.FormatInt(int64(last), 10), part)
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
