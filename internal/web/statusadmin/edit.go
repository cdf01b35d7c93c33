package statusadmin

import (
	"context"
	"net/http"
	"net/url"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/status"
	"sett/internal/web"
)

// editPage is the settings of a status page.
type editPage struct {
	about
	Fields     web.Fields
	Components []componentRow
	More       []choiceGroup // sites and check-ins that can be added
	DomainIs   web.State
	Domain     web.Field
	Records    []status.DNSRecord
	Password   web.Field
	Locked     bool
	Logo       logoForm
	Custom     bool // the plan allows custom pages
}

// edit returns the settings page of a status page.
func (p *pages) edit(r *http.Request) (*editPage, status.WatchedStatusPage, error) {
	one, err := p.Status.WatchedStatusPage(r.Context(), account(r), r.PathValue("status_page_id"))
	if err != nil {
		return nil, one, err
	}
	choices, err := p.Status.StatusChoices(r.Context(), account(r))
	if err != nil {
		return nil, one, err
	}
	page := &editPage{
		about: p.about(r, one.StatusPage, "settings", "edit"), Fields: settingFields(one.StatusPage, p.Plan), DomainIs: domainWords(one.Domain),
		Domain:   web.Field{Name: "domain", Label: "Domain", Kind: "text", Value: one.Domain.Name, Optional: true, Code: true, Hint: "A host name only, for example status.example.org. Leave it empty for none."},
		Records:  one.Domain.Records(p.StatusHost),
		Password: web.Field{Name: "password", Label: "New password", Kind: "password", Complete: "new-password", Hint: "8 to 200 characters. Visitors enter it to view the page."},
		Locked:   one.PasswordHash != "", Logo: logoForm{StatusLogo: one.Logo}, Custom: p.Plan.CustomStatusPages(),
	}
	page.Components, page.More = rowsOf(one.Components, choices), choicesBeside(one.Components, choices)
	page.Secret = true // it contains the IDs of check-ins and the proof of the domain
	return page, one, nil
}

// settingFields returns the fields of a status page, with their values.
func settingFields(page status.StatusPage, plan accounts.Plan) web.Fields {
	f := page.Features
	fields := append(nameFields(page), languageField(page),
		web.Field{Name: "automatic_incidents", Label: "Open and close incidents automatically", Kind: "tick", On: page.AutoIncidents},
		web.Field{Name: "response_times", Label: "Show response times", Kind: "tick", On: page.ResponseTimes, Hint: "A chart of the last 24 hours below each site. It names no address and no location."},
		web.Field{Name: "search_engine_indexing_disabled", Label: "Hide from search engines", Kind: "tick", On: page.Unlisted})
	if !plan.CustomStatusPages() {
		return fields
	}
	return append(fields,
		web.Field{Name: "hide_branding", Label: "Hide “Powered by sett”", Kind: "tick", On: page.HideBranding},
		accentField(f.AccentColor),
		web.Field{Name: "features.home_link", Label: "Logo link", Kind: "url", Value: f.HomeLink, Optional: true, Hint: "Where the name at the top of the page links to, for example your website."},
		web.Field{Name: "features.up_caption", Label: "When all components are up", Kind: "text", Value: f.UpCaption, Optional: true, Hint: "The caption at the top of the page, instead of “All systems operational”."},
		web.Field{Name: "features.mixed_caption", Label: "When some components are down", Kind: "text", Value: f.MixedCaption, Optional: true},
		web.Field{Name: "features.down_caption", Label: "When all components are down", Kind: "text", Value: f.DownCaption, Optional: true},
		web.Field{Name: "features.custom_css", Label: "Custom CSS", Kind: "area", Lines: 6, Code: true, Value: f.CustomCSS, Optional: true, Hint: "Added to the styles of the page. It cannot load anything from other servers. The manual lists the class names."})
}

func nameFields(page status.StatusPage) web.Fields {
	return web.Fields{
		{Name: "name", Label: "Name", Kind: "text", Value: page.Name},
		{Name: "slug", Label: "Slug", Kind: "text", Value: page.Slug, Optional: true, Code: true, Hint: "Used in the URL: 3 to 60 of a-z, 0-9 and -. Defaults to the name."},
	}
}

// fill sets the values of fields from a form.
func fill(fields web.Fields, form url.Values) {
	for i := range fields {
		if f := &fields[i]; f.Kind == "tick" {
			f.On = form.Get(f.Name) != ""
		} else {
			f.Value = form.Get(f.Name)
		}
	}
}

func (p *pages) editForm(w http.ResponseWriter, r *http.Request) error {
	page, _, err := p.edit(r)
	if err != nil {
		return err
	}
	return p.Show(w, r, http.StatusOK, "status_edit", page)
}

func (p *pages) save(w http.ResponseWriter, r *http.Request) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	return p.change(w, r, settingsIn(form, p.Plan), to(r, "/edit"), "saved", func(page *editPage, err error) {
		fill(page.Fields, form)
		page.Fields.Explain(sett.ProblemsOf(err))
	})
}

// change applies a change to the status page and redirects, or shows the form with its problems.
func (p *pages) change(w http.ResponseWriter, r *http.Request, c status.StatusPageChange, next, done string, refused func(*editPage, error)) error {
	page, one, err := p.edit(r)
	if err != nil {
		return err
	}
	if err := p.Status.UpdateStatusPage(r.Context(), p.Now(), one.AccountID, one.ID, p.rules(), c); err != nil {
		refused(page, err)
		return p.Again(w, r, err, "status_edit", page)
	}
	return p.Done(w, next, done)
}

// settingsIn returns the change of a form, without settings that the plan does not allow.
func settingsIn(form url.Values, plan accounts.Plan) status.StatusPageChange {
	c := namesIn(form)
	ticked := func(name string) sett.Optional[sett.LenientBool] {
		return sett.Some(sett.LenientBool(form.Get(name) != ""))
	}
	c.AutoIncidents, c.ResponseTimes, c.Unlisted = ticked("automatic_incidents"), ticked("response_times"), ticked("search_engine_indexing_disabled")
	c.Language = sett.Some(form.Get("language"))
	if plan.CustomStatusPages() {
		c.HideBranding = ticked("hide_branding")
		text := func(name string) sett.Optional[string] { return sett.Some(form.Get("features." + name)) }
		c.Features = sett.Some(status.StatusFeaturesChange{
			HomeLink: text("home_link"), UpCaption: text("up_caption"), DownCaption: text("down_caption"), MixedCaption: text("mixed_caption"), CustomCSS: text("custom_css"),
			AccentColor: text("accent_color"),
		})
	}
	return c
}

func namesIn(form url.Values) status.StatusPageChange {
	c := status.StatusPageChange{Name: sett.Some(form.Get("name")), Slug: sett.Some(form.Get("slug"))}
	if c.Slug.Value == "" {
		c.Slug.Null = true
	}
	return c
}

func (p *pages) savePassword(w http.ResponseWriter, r *http.Request) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	c := status.StatusPageChange{Password: sett.Some(form.Get("password"))}
	if password := c.NewPassword(); password != "" {
		if c.PasswordHash, err = p.Passwords.Hash(r.Context(), password); err != nil {
			return err
		}
	}
	return p.change(w, r, c, to(r, "/edit"), "page_locked", func(page *editPage, err error) {
		fields := web.Fields{page.Password}
		fields.Explain(sett.ProblemsOf(err))
		page.Password = fields[0]
	})
}

func (p *pages) removePassword(w http.ResponseWriter, r *http.Request) error {
	if _, err := web.ReadForm(w, r); err != nil {
		return err
	}
	c := status.StatusPageChange{Password: sett.Optional[string]{Sent: true, Null: true}}
	return p.change(w, r, c, to(r, "/edit"), "page_unlocked", func(*editPage, error) {})
}

func (p *pages) saveDomain(w http.ResponseWriter, r *http.Request) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	c := status.StatusPageChange{Domain: sett.Some(form.Get("domain"))}
	return p.change(w, r, c, to(r, "/edit"), "saved", func(page *editPage, err error) {
		fields := web.Fields{page.Domain}
		fill(fields, form)
		fields.Explain(sett.ProblemsOf(err))
		page.Domain = fields[0]
	})
}

func (p *pages) lookForDomain(w http.ResponseWriter, r *http.Request) error {
	if err := p.Status.AskDomain(r.Context(), p.Now(), account(r), r.PathValue("status_page_id")); err != nil {
		return err
	}
	return p.Done(w, to(r, "/edit"), "looking")
}

// remove completes the deletion even if the browser disconnects: there may be many subscribers.
func (p *pages) remove(w http.ResponseWriter, r *http.Request) error {
	ctx := context.WithoutCancel(r.Context())
	if err := p.Status.DeleteStatusPage(ctx, account(r), r.PathValue("status_page_id")); err != nil {
		return err
	}
	return p.Done(w, "/accounts/"+account(r)+"/status_pages", "page_deleted")
}
