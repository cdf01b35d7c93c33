package people

import (
	"cmp"
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"sett/internal/serve/auth"
	"sett/internal/serve/idp"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/directory"
	"sett/internal/store/accountdb"
	"sett/internal/web"
)

// mostGroups is how many groups of a directory the page lists.
const mostGroups = 200

// scimPath is where directories ask, below the base URL.
const scimPath = "/scim/v2"

// directoryView is the page about the directory of an account.
type directoryView struct {
	page
	Settings directory.Settings
	Domains  []directory.Domain
	Domain   web.Fields
	SCIM     string // the address
	Proof    web.Fields
	Made     string // the secret of a new token, which is shown once
	Rules    web.Fields
	Groups   []groupRow
	More     int64 // groups beyond
	Roles    []web.Choice
	Teams    []accounts.Team
	SAML     web.Fields
	Required web.Fields
	At       idp.Addresses
	Provider string // the entity ID of the identity provider; "" for none

	CanRequire bool // there is a single sign-on that can be required
}

// groupRow is a group with what it is mapped to.
type groupRow struct {
	directory.Group
	Of *directoryView
}

func (p *pages) newDirectoryView(r *http.Request, form url.Values) (v *directoryView, err error) {
	v = &directoryView{page: p.newPage(r, "Directory", "directory"), SCIM: p.BaseURL + scimPath, Roles: web.Choices("", "None")}
	v.At = p.SAML.Addresses(v.AccountID)
	if v.Settings, err = p.Accounts.Directory(r.Context(), v.AccountID); err != nil {
		return nil, err
	}
	if v.Domains, err = p.Accounts.Domains(r.Context(), v.AccountID); err != nil {
		return nil, err
	}
	if v.Teams, _, err = p.teams(r, v.AccountID); err != nil {
		return nil, err
	}
	for _, role := range accounts.Roles {
		v.Roles = append(v.Roles, web.Choice{Value: string(role), Label: string(role)})
	}
	groups, total, err := p.Accounts.ListDirectoryGroups(r.Context(), v.AccountID, accountdb.DirectoryFilter{Count: mostGroups}, false)
	if err != nil {
		return nil, err
	}
	v.More = int64(total - len(groups))
	for _, g := range groups {
		v.Groups = append(v.Groups, groupRow{g, v})
	}
	v.Provider = v.Settings.Provider()
	return v, p.fillDirectory(r, v, form)
}

// fillDirectory makes the forms of the page; form is what was sent, or nil.
func (p *pages) fillDirectory(r *http.Request, v *directoryView, form url.Values) (err error) {
	v.Domain = web.Fields{{Name: "domain", Label: "Domain", Kind: "text", Value: form.Get("domain"), Hint: "What stands after the @ of your email addresses, such as example.org."}}
	var roles []web.Choice
	for _, role := range directory.DefaultRoles() {
		roles = append(roles, web.Choice{Value: string(role), Label: string(role)})
	}
	v.Rules = web.Fields{
		{Name: "default_role", Label: "Default role", Value: string(v.Settings.DefaultRole), Choices: roles, Hint: "New people get it. Once a group has a role, people who are in no such group get it too."},
		{Name: "just_in_time", Label: "People who sign in by SAML for the first time join the account", Kind: "tick", On: v.Settings.JustInTime, Hint: "If off, only people who are already in the account can sign in by SAML."},
		{Name: "group_attribute", Label: "SAML attribute with groups", Kind: "text", Value: cmp.Or(form.Get("group_attribute"), v.Settings.GroupAttribute), Optional: true, Hint: "If empty, the names that Okta, Entra ID and Google use."},
	}
	v.SAML = web.Fields{
		{Name: "metadata_url", Label: "Metadata URL", Kind: "url", Value: cmp.Or(form.Get("metadata_url"), v.Settings.MetadataURL), Optional: true, Hint: "Okta and Entra ID have one. It is read once a day, and when the certificate changes."},
		{Name: "metadata", Label: "Metadata", Kind: "area", Lines: 4, Code: true, Value: form.Get("metadata"), Optional: true, Hint: "Without a URL, as with Google: paste the content of the XML file."},
	}
	v.Required = web.Fields{{
		Name: "required", Label: "Require single sign-on", Kind: "tick", On: v.Settings.Required,
		Hint: "People with an address in a verified domain can then use sett only after signing in with it. Owners can also use a password with a second factor, or a passkey: this is in the audit log.",
	}}
	if v.Proof, err = p.ProofFields(r); err != nil {
		return err
	}
	issuer, err := p.IssuerOf(r.Context(), v.AccountID)
	if err != nil {
		return err
	}
	v.CanRequire = v.Provider != "" || issuer || v.Settings.Required
	for i, f := range v.Proof {
		f.ID = f.Name + "-saml" // the page has it thrice
		v.SAML = append(v.SAML, f)
		f.ID = f.Name + "-required"
		v.Required = append(v.Required, f)
		v.Proof[i].ID = f.Name + "-token"
	}
	return nil
}

func (p *pages) directoryPage(w http.ResponseWriter, r *http.Request) error {
	v, err := p.newDirectoryView(r, nil)
	if err != nil {
		return err
	}
	return p.Show(w, r, http.StatusOK, "directory", v)
}

// directoryAgain shows the page with what is wrong with a form of it.
func (p *pages) directoryAgain(w http.ResponseWriter, r *http.Request, err error, form url.Values) error {
	v, failed := p.newDirectoryView(r, form)
	if failed != nil {
		return failed
	}
	for _, fields := range []web.Fields{v.Domain, v.Rules, v.SAML, v.Required, v.Proof} {
		fields.Explain(sett.ProblemsOf(err))
	}
	return p.Again(w, r, err, "directory", v)
}

func (p *pages) addMailDomain(w http.ResponseWriter, r *http.Request) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	var problems sett.Problems
	d := directory.NewDomain(&problems, form.Get("domain"))
	if err = problems.Refusal(); err == nil {
		err = p.Accounts.AddDomain(r.Context(), r.PathValue("account_id"), d)
	}
	if err != nil {
		return p.directoryAgain(w, r, err, form)
	}
	return p.Done(w, account(r, "/directory"), "domain_added")
}

// lookupLasts is how long name servers may take to answer.
const lookupLasts = 5 * time.Second

func (p *pages) verifyMailDomain(w http.ResponseWriter, r *http.Request) error {
	id, name := r.PathValue("account_id"), r.PathValue("domain")
	domains, err := p.Accounts.Domains(r.Context(), id)
	if err != nil {
		return err
	}
	for _, d := range domains {
		if d.Name != name {
			continue
		}
		if err := p.lookFor(r.Context(), d); err != nil {
			return p.directoryAgain(w, r, err, nil)
		}
		if err := p.Accounts.VerifyDomain(r.Context(), p.Now(), id, name); err != nil {
			return p.directoryAgain(w, r, err, nil)
		}
		return p.Done(w, account(r, "/directory"), "domain_verified")
	}
	return sett.Errorf(sett.NotFound, "Domain not found")
}

// lookFor returns an Invalid error unless the TXT record of a domain has its proof.
func (p *pages) lookFor(ctx context.Context, d directory.Domain) error {
	ctx, cancel := context.WithTimeout(ctx, lookupLasts)
	defer cancel()
	records, err := p.LookupTXT(ctx, d.RecordName())
	var unknown *net.DNSError
	switch {
	case err != nil && !(errors.As(err, &unknown) && unknown.IsNotFound):
		p.Log.Warn("a domain could not be looked up", "domain", d.Name, "error", err, "hint", "check the name servers of the domain, and --resolver")
		return sett.Errorf(sett.Invalid, "The name servers of %s do not answer. Try again in a few minutes.", d.Name)
	case !d.Proven(records):
		return sett.Errorf(sett.Invalid, "%s has no TXT record with this text yet. A new record can take an hour to be seen everywhere.", d.RecordName())
	}
	return nil
}

func (p *pages) removeMailDomain(w http.ResponseWriter, r *http.Request) error {
	if err := p.Accounts.RemoveDomain(r.Context(), r.PathValue("account_id"), r.PathValue("domain")); err != nil {
		return err
	}
	return p.Done(w, account(r, "/directory"), "domain_removed")
}

// makeDirectoryToken shows a new token in its response, without a redirect: only its hash is stored.
func (p *pages) makeDirectoryToken(w http.ResponseWriter, r *http.Request) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	if err := p.CheckProof(r, form); err != nil { // a permanent way in
		return p.directoryAgain(w, r, err, form)
	}
	secret := "sett_d_" + sett.RandomString(sett.TokenLength)
	if err := p.Accounts.SetDirectoryToken(r.Context(), p.Now(), r.PathValue("account_id"), auth.HashToken(secret)); err != nil {
		return err
	}
	v, err := p.newDirectoryView(r, nil)
	if err != nil {
		return err
	}
	v.Made = secret
	return p.Show(w, r, http.StatusOK, "directory", v)
}

func (p *pages) revokeDirectoryToken(w http.ResponseWriter, r *http.Request) error {
	if err := p.Accounts.SetDirectoryToken(r.Context(), p.Now(), r.PathValue("account_id"), nil); err != nil {
		return err
	}
	return p.Done(w, account(r, "/directory"), "token_revoked")
}

func (p *pages) saveDirectory(w http.ResponseWriter, r *http.Request) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	err = p.Accounts.ChangeDirectory(r.Context(), r.PathValue("account_id"), func(d *directory.Settings) error {
		d.DefaultRole, d.JustInTime = accounts.Role(form.Get("default_role")), form.Get("just_in_time") != ""
		d.GroupAttribute = strings.TrimSpace(form.Get("group_attribute"))
		var problems sett.Problems
		d.Check(&problems)
		return problems.Refusal()
	})
	if err != nil {
		return p.directoryAgain(w, r, err, form)
	}
	return p.Done(w, account(r, "/directory"), "saved")
}

func (p *pages) mapGroup(w http.ResponseWriter, r *http.Request) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	team, _ := strconv.ParseInt(form.Get("team_id"), 10, 64)
	role := accounts.Role(form.Get("role"))
	var problems sett.Problems
	if role != "" {
		accounts.CheckRole(&problems, "role", role)
	}
	if err = problems.Refusal(); err == nil {
		_, _, err = p.Accounts.ChangeDirectoryGroup(r.Context(), p.Now(), r.PathValue("account_id"), r.PathValue("group_id"), func(g *directory.Group) error {
			g.Role, g.TeamID = role, team
			return nil
		})
	}
	if err != nil {
		return p.directoryAgain(w, r, err, nil)
	}
	return p.Done(w, account(r, "/directory"), "saved")
}

func (p *pages) saveSAML(w http.ResponseWriter, r *http.Request) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	address, text := strings.TrimSpace(form.Get("metadata_url")), strings.TrimSpace(form.Get("metadata"))
	if err = p.CheckProof(r, form); err == nil { // who signs people in is a way in
		switch {
		case address != "":
			text, err = p.SAML.Fetch(r.Context(), address)
		case text == "":
			err = sett.Refuse("metadata_url", "is needed, or the document below")
		}
	}
	if err != nil {
		return p.directoryAgain(w, r, err, form)
	}
	found, err := idp.ParseMetadata(text)
	if err != nil {
		return p.directoryAgain(w, r, err, form)
	}
	accountdb.AuditChanges(r.Context(), map[string]any{"identity_provider": found.EntityID, "metadata_url": address})
	err = p.Accounts.ChangeDirectory(r.Context(), r.PathValue("account_id"), func(d *directory.Settings) error {
		d.MetadataURL, d.Metadata, d.ReadAt, d.Problem = address, text, p.Now(), ""
		return nil
	})
	if err != nil {
		return err
	}
	return p.Done(w, account(r, "/directory"), "saml_saved")
}

func (p *pages) dropSAML(w http.ResponseWriter, r *http.Request) error {
	err := p.Accounts.ChangeDirectory(r.Context(), r.PathValue("account_id"), func(d *directory.Settings) error {
		d.MetadataURL, d.Metadata, d.ReadAt, d.Problem, d.Required = "", "", time.Time{}, "", false
		return nil
	})
	if err != nil {
		return err
	}
	return p.Done(w, account(r, "/directory"), "saml_dropped")
}

func (p *pages) requireSignOn(w http.ResponseWriter, r *http.Request) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	if err = p.CheckProof(r, form); err == nil {
		err = p.changeRequired(r, form.Get("required") != "")
	}
	if err != nil {
		return p.directoryAgain(w, r, err, form)
	}
	return p.Done(w, account(r, "/directory"), "saved")
}

// changeRequired requires single sign-on or not.
func (p *pages) changeRequired(r *http.Request, on bool) error {
	id := r.PathValue("account_id")
	oidc, err := p.IssuerOf(r.Context(), id)
	if err != nil {
		return err
	}
	accountdb.AuditChanges(r.Context(), map[string]any{"required": on})
	return p.Accounts.RequireSignOn(r.Context(), web.Who(r).Session, id, on, oidc)
}
