package user

import (
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"sett/internal/serve/auth"
	"sett/internal/serve/oauth"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/signin"
	"sett/internal/web"
)

// consent is the page on which a user allows a program to act for them.
type consent struct {
	web.Shell
	Asked   oauth.Request
	Request string // the query of the request, which the form sends back
	Leads   string // host or scheme of where the program gets its code
	Fields  web.Fields
}

// leave is the page from which a browser goes on to a program. A redirect would not do: browsers hold it, and all that follow it, against the
// policy for forms of the page before.
type leave struct {
	web.Shell
	Name string
	To   template.URL // the desk has allowed its scheme
}

// refusedProgram is the page for a request that sett refuses. It leads to the program only by a link: anyone can register an address, and no link to
// sett may lead a browser there by itself.
type refusedProgram struct {
	web.Shell
	Why         string
	Unreachable bool         // the reason is that sett does not reach where the program describes itself
	Leads       string       // host or scheme of the program
	To          template.URL // where the program hears why; "" if its address cannot be trusted
}

func (p *pages) authorizePage(w http.ResponseWriter, r *http.Request) error {
	return p.ask(w, r, r.URL.RawQuery, nil, nil)
}

// ask shows what a program asks for, or why it cannot be allowed.
func (p *pages) ask(w http.ResponseWriter, r *http.Request, request string, form url.Values, problems sett.Problems) error {
	page, err := p.newConsent(r, request, form)
	if refusal := oauth.RefusalIn(err); refusal != nil {
		return p.refuseProgram(w, r, page.Asked, refusal)
	}
	if err != nil {
		return err
	}
	if err := problems.Refusal(); err != nil {
		page.Fields.Explain(problems)
		return p.Again(w, r, err, "consent", page)
	}
	return p.Show(w, r, http.StatusOK, "consent", page)
}

func (p *pages) refuseProgram(w http.ResponseWriter, r *http.Request, asked oauth.Request, refusal *oauth.Refusal) error {
	page := &refusedProgram{p.Shell(r, "This program cannot be connected"), refusal.Text, refusal.Code == oauth.HostUnreachable, asked.Leads(), template.URL(refusal.To)} //nolint:gosec // its scheme is one of those that the desk allows
	return p.Show(w, r, http.StatusBadRequest, "program_refused", page)
}

func (p *pages) newConsent(r *http.Request, request string, form url.Values) (*consent, error) {
	page := &consent{Shell: p.Shell(r, "Connect a program"), Request: request}
	query, err := url.ParseQuery(request)
	if err != nil {
		return page, sett.Errorf(sett.Malformed, "The program's request cannot be read. Start again in the program.")
	}
	if page.Asked, err = p.OAuth.ReadRequest(r.Context(), query); err != nil {
		return page, err
	}
	page.Leads = page.Asked.Leads()
	for _, level := range oauth.Levels()[1:] {
		if slices.Contains(page.Asked.Levels, level.Scope) {
			page.Fields = append(page.Fields, web.Field{
				Name: "levels", ID: "level-" + level.Scope, Label: level.Says, Kind: "tick", Value: level.Scope, On: slices.Contains(form["levels"], level.Scope),
			})
		}
	}
	if mine := page.Nav.Accounts; len(mine) > 1 {
		choices := []web.Choice{}
		for _, a := range mine {
			choices = append(choices, web.Choice{Value: a.ID, Label: a.Name})
		}
		page.Fields = append(page.Fields, web.Field{Name: "account_id", Label: "Account", Value: form.Get("account_id"), Choices: choices})
	}
	page.Fields = append(page.Fields, web.NewGrants(form, false).Projects)
	return page, nil
}

// answerProgram does what the user has decided: it gives the program a code, or a refusal.
func (p *pages) answerProgram(w http.ResponseWriter, r *http.Request) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	page, err := p.newConsent(r, form.Get("request"), form)
	if refusal := oauth.RefusalIn(err); refusal != nil {
		return p.refuseProgram(w, r, page.Asked, refusal)
	}
	if err != nil {
		return err
	}
	if form.Get("answer") != "allow" {
		return p.leaveFor(w, r, page.Asked.Client.Name, page.Asked.Denied())
	}
	var problems sett.Problems
	asked := slices.DeleteFunc(form["levels"], func(level string) bool { return !slices.Contains(page.Asked.Levels, level) })
	form["scopes"] = oauth.ScopesOf(asked)
	grant := signin.CheckGrant(&problems, p.GrantOf(r, &problems, form, p.accountIn(page.Nav.Accounts, form)))
	if len(problems) > 0 {
		return p.ask(w, r, form.Get("request"), form, problems)
	}
	to, err := p.OAuth.Allow(r.Context(), page.Asked, web.Who(r).Session, grant)
	if err != nil {
		return err
	}
	return p.leaveFor(w, r, page.Asked.Client.Name, to)
}

// accountIn returns the account that a form names, or the only one of the user; "" for one that is not theirs.
func (p *pages) accountIn(mine []accounts.NamedAccount, form url.Values) string {
	asked := form.Get("account_id")
	for _, a := range mine {
		if a.ID == asked || asked == "" && len(mine) == 1 {
			return a.ID
		}
	}
	return ""
}

func (p *pages) leaveFor(w http.ResponseWriter, r *http.Request, name, to string) error {
	w.Header().Set("Refresh", "0; url="+to)
	page := &leave{p.Shell(r, "Back to the program"), name, template.URL(to)} //nolint:gosec // its scheme is one of those that the desk allows
	page.Secret = true
	return p.Show(w, r, http.StatusOK, "program_leave", page)
}

// deviceForm is the page on which a user signs a command line in.
type deviceForm struct {
	web.Shell
	Code   string // as typed
	Device *oauth.Device
	Fields web.Fields
}

func (p *pages) newDeviceForm(r *http.Request, code string) (*deviceForm, error) {
	page := &deviceForm{Shell: p.Shell(r, "Sign in a command line"), Code: code}
	field := web.Field{Name: "user_code", Label: "Code", Kind: "text", Value: code, Complete: "off", Code: true, Focus: true, Hint: "sett login shows it, such as BCDF-GHJK."}
	page.Fields = web.Fields{field}
	if code == "" {
		return page, nil
	}
	if err := p.Throttle.Try(r, auth.UserCodesOf(web.Who(r).User.ID)); err != nil {
		return page, err
	}
	device, err := p.OAuth.DeviceOf(r.Context(), code)
	if sett.CodeOf(err) == sett.NotFound {
		page.Fields[0].Problem = "No command line waits with this code. Codes end after 10 minutes: run sett login again."
		return page, sett.Errorf(sett.Invalid, "Please correct the marked fields.")
	}
	if err != nil {
		return page, err
	}
	page.Device = &device
	page.Fields = web.Fields{{Name: "scope", Label: "It may", Value: signin.ScopeRead, Choices: web.Choices(signin.ScopeRead, "Read", signin.ScopeWrite, "Read and write")}}
	return page, p.Throttle.Succeeded(r, auth.UserCodesOf(web.Who(r).User.ID))
}

func (p *pages) devicePage(w http.ResponseWriter, r *http.Request) error {
	page, err := p.newDeviceForm(r, strings.TrimSpace(r.URL.Query().Get("user_code")))
	if err != nil {
		return p.Again(w, r, err, "device", page)
	}
	return p.Show(w, r, http.StatusOK, "device", page)
}

func (p *pages) answerDevice(w http.ResponseWriter, r *http.Request) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	page, err := p.newDeviceForm(r, strings.TrimSpace(form.Get("user_code")))
	if err != nil {
		return p.Again(w, r, err, "device", page)
	}
	if page.Device == nil {
		return p.Redirect(w, oauth.DevicePath)
	}
	allowed := form.Get("answer") == "allow"
	if err := p.OAuth.AnswerDevice(r.Context(), page.Code, web.Who(r).Session, allowed, form.Get("scope") != signin.ScopeWrite); err != nil {
		return err
	}
	if !allowed {
		return p.Done(w, oauth.DevicePath, "device_denied")
	}
	return p.Done(w, oauth.DevicePath, "device_allowed")
}
