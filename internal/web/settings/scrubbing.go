package settings

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"sett/internal/sett"
	"sett/internal/sett/scrub"
	"sett/internal/store/faultdb"
	"sett/internal/web"
)

// The preview looks at the newest event of so many errors, and lists so many values of each.
const (
	mostPreviewed      = 25
	mostPreviewedPaths = 8
)

// scrubbingPage is the page of what is removed from events.
type scrubbingPage struct {
	page
	Switches web.Fields
	Rules    web.Fields
	Warnings []string
	Removed  []removedRow
	Preview  *scrubPreview
}

// removedRow is how many values were removed for a reason.
type removedRow struct {
	Reason string
	Count  int64
}

// scrubPreview is what rules would remove from recent events, beyond what is removed already.
type scrubPreview struct {
	Looked int64 // events
	Events []previewedEvent
}

type previewedEvent struct {
	FaultID int64
	Class   string
	Values  []previewedValue
	More    int64 // values that are not listed
}

type previewedValue struct{ Path, Reason string }

// reasons are the texts of why a value is removed.
var reasons = map[string]string{
	scrub.ByName.String():       "name of a key",
	scrub.ByCard.String():       "card number",
	scrub.ByCredential.String(): "form of a credential",
	scrub.ByShell.String():      "environment variable",
	scrub.ByPattern.String():    "pattern of the project",
	scrub.ByBound.String():      "not checked in time by the patterns of the project",
}

func (p *pages) newScrubbingPage(r *http.Request, s scrub.Settings) (*scrubbingPage, error) {
	project, err := p.Accounts.ProjectWithoutCounts(r.Context(), web.Project(r))
	if err != nil {
		return nil, err
	}
	removed, err := p.Intake.Removed(r.Context(), project.ID, p.Now().AddDate(0, 0, -30))
	if err != nil {
		return nil, err
	}
	shown := &scrubbingPage{
		page: p.newPage(r, "Data scrubbing", "scrubbing"),
		Switches: web.Fields{
			{Name: "enabled", Label: "Remove secrets and personal data from new events", Kind: "tick", On: !s.Off, Hint: "Removed values are replaced by " + scrub.Filtered + ". They are never stored, searched or sent."},
			{Name: "defaults", Label: "Use the default rules", Kind: "tick", On: !s.OwnOnly, Hint: "Passwords, tokens, keys and session cookies by the names of their keys, card numbers, passwords in URLs, private keys, and environment variables of shells."},
		},
		Rules: web.Fields{
			{Name: "names", Label: "Keys to remove", Kind: "area", Lines: 4, Value: strings.Join(s.Names, "\n"), Optional: true, Code: true, Hint: "One per line, for example passport_number or *_phone. Upper and lower case, - and _ are the same."},
			{Name: "keep", Label: "Keys to keep", Kind: "area", Lines: 3, Value: strings.Join(s.Keep, "\n"), Optional: true, Code: true, Hint: "One per line, for example csrf_token. Their values are not removed because of their name."},
			{Name: "patterns", Label: "Patterns to remove", Kind: "area", Lines: 3, Value: strings.Join(s.Patterns, "\n"), Optional: true, Code: true, Hint: "One regular expression (RE2) per line, for example CUST-[0-9]{6}. They apply to messages, URLs and all other texts except backtraces."},
		},
	}
	for _, c := range removed {
		shown.Removed = append(shown.Removed, removedRow{reasons[c.Kind], c.Count})
		if c.Kind == scrub.ByBound.String() {
			shown.warn("The patterns are too slow: some texts were removed whole, unchecked. Shorten or simplify the patterns.")
		}
	}
	rules, err := scrub.New(s)
	if _, key, _ := lastCut(project.UserSearchField); err == nil && key != "" && rules.IsSecret(key) {
		shown.warn("These rules remove " + project.UserSearchField + ", the user field of the project. Affected users will not be counted.")
	}
	return shown, nil
}

func (p *scrubbingPage) warn(text string) { p.Warnings = append(p.Warnings, text) }

// warnOfStored says what is wrong with stored rules, if an earlier version allowed more.
func (p *scrubbingPage) warnOfStored(s scrub.Settings) {
	_, err := scrub.New(s)
	for _, problem := range sett.ProblemsOf(err) {
		p.warn("These rules cannot be saved any more: " + problem + ". Until you change them, texts that a pattern cannot check in time are removed whole.")
	}
}

// lastCut cuts a path at its last dot.
func lastCut(path string) (before, after string, found bool) {
	i := strings.LastIndexByte(path, '.')
	if i < 0 {
		return "", path, false
	}
	return path[:i], path[i+1:], true
}

func (p *pages) scrubbingPage(w http.ResponseWriter, r *http.Request) error {
	settings, err := p.Accounts.Scrubbing(r.Context(), web.Project(r))
	if err != nil {
		return err
	}
	shown, err := p.newScrubbingPage(r, settings)
	if err != nil {
		return err
	}
	shown.warnOfStored(settings)
	return p.Show(w, r, http.StatusOK, "settings_scrubbing", shown)
}

// scrubChange returns the change of a form.
func scrubChange(form url.Values) scrub.ScrubbingChange {
	lines := func(name string) sett.Optional[[]string] {
		var all []string
		for line := range strings.Lines(form.Get(name)) {
			if line = strings.TrimSpace(line); line != "" && !slices.Contains(all, line) {
				all = append(all, line)
			}
		}
		return sett.Some(all)
	}
	return scrub.ScrubbingChange{
		Enabled: sett.Some(form.Get("enabled") != ""), Defaults: sett.Some(form.Get("defaults") != ""),
		Names: lines("names"), Keep: lines("keep"), Patterns: lines("patterns"),
	}
}

func (p *pages) saveScrubbing(w http.ResponseWriter, r *http.Request) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	change := scrubChange(form)
	if err := p.Accounts.UpdateScrubbing(r.Context(), web.Project(r), change); err != nil {
		return p.scrubbingAgain(w, r, change, err)
	}
	p.Keys.Forget() // intake reads the settings with the key
	return p.Done(w, to(r, "/scrubbing"), "saved")
}

// scrubbingAgain shows the form again with what is wrong.
func (p *pages) scrubbingAgain(w http.ResponseWriter, r *http.Request, change scrub.ScrubbingChange, err error) error {
	if sett.CodeOf(err) != sett.Invalid {
		return err
	}
	sent, _ := change.Apply(scrub.Settings{})
	again, failed := p.newScrubbingPage(r, sent)
	if failed != nil {
		return failed
	}
	again.Rules.Explain(sett.ProblemsOf(err))
	return p.Again(w, r, err, "settings_scrubbing", again)
}

// previewScrubbing shows what the rules of a form would remove from recent events. These were scrubbed by the rules of their time.
func (p *pages) previewScrubbing(w http.ResponseWriter, r *http.Request) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	change := scrubChange(form)
	settings, err := change.Apply(scrub.Settings{})
	if err != nil {
		return p.scrubbingAgain(w, r, change, err)
	}
	rules, err := scrub.New(settings)
	if err != nil {
		return err
	}
	newest, err := p.Faults.NewestBodies(r.Context(), web.Project(r), mostPreviewed)
	if err != nil {
		return err
	}
	shown, err := p.newScrubbingPage(r, settings)
	if err != nil {
		return err
	}
	shown.Preview = newScrubPreview(rules, newest)
	return p.Show(w, r, http.StatusOK, "settings_scrubbing", shown)
}

func newScrubPreview(rules *scrub.Rules, newest []faultdb.NewestBody) *scrubPreview {
	preview := &scrubPreview{Looked: int64(len(newest))}
	for _, body := range newest {
		event := previewedEvent{FaultID: body.FaultID, Class: body.Class}
		rules.Explain(body.JSON, func(f scrub.Found) {
			value := previewedValue{f.Path, reasons[f.Kind.String()]}
			switch {
			case slices.Contains(event.Values, value):
			case len(event.Values) == mostPreviewedPaths:
				event.More++
			default:
				event.Values = append(event.Values, value)
			}
		})
		if len(event.Values) > 0 {
			preview.Events = append(preview.Events, event)
		}
	}
	return preview
}
