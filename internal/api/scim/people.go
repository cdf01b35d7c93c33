package scim

import (
	"net/http"
	"strings"

	"github.com/elimity-com/scim"
	"github.com/elimity-com/scim/errors"
	"github.com/elimity-com/scim/optional"
	filter "github.com/scim2/filter-parser/v2"

	"sett/internal/sett/directory"
	"sett/internal/store/accountdb"
)

// people are the users of a directory.
type people struct{ *Door }

// Create implements scim.ResourceHandler.
func (d people) Create(r *http.Request, attributes scim.ResourceAttributes) (scim.Resource, error) {
	a, p := askedOf(r), directory.Person{Active: true}
	setAttributes(&p, attributes)
	err := p.Check()
	if err == nil {
		p, err = d.Accounts.CreateDirectoryPerson(r.Context(), d.Now(), a.accountID, p)
	}
	if err != nil {
		return scim.Resource{}, a.refusal(err)
	}
	return d.resource(r, p), nil
}

// Get implements scim.ResourceHandler.
func (d people) Get(r *http.Request, id string) (scim.Resource, error) {
	a := askedOf(r)
	p, err := d.Accounts.DirectoryPerson(r.Context(), a.accountID, id)
	if err != nil {
		return scim.Resource{}, a.refusal(err)
	}
	return d.resource(r, p), nil
}

// GetAll implements scim.ResourceHandler.
func (d people) GetAll(r *http.Request, params scim.ListRequestParams) (page scim.Page, err error) {
	a, f := askedOf(r), filterOf(params)
	if err := f.read(params, "userName"); err != nil {
		return page, err
	}
	if f.id != "" {
		p, err := d.Accounts.DirectoryPerson(r.Context(), a.accountID, f.id)
		return f.one(a, d.resource(r, p), err)
	}
	found, total, err := d.Accounts.ListDirectoryPeople(r.Context(), a.accountID, f.DirectoryFilter)
	if err != nil {
		return page, a.refusal(err)
	}
	page = scim.Page{TotalResults: total, Resources: []scim.Resource{}}
	for _, p := range found {
		page.Resources = append(page.Resources, d.resource(r, p))
	}
	return page, nil
}

// Replace implements scim.ResourceHandler. Whether the person is active stays as it is where the request does not say it.
func (d people) Replace(r *http.Request, id string, attributes scim.ResourceAttributes) (scim.Resource, error) {
	return d.change(r, id, func(p *directory.Person) error {
		*p = directory.Person{ID: p.ID, UserID: p.UserID, Active: p.Active, CreatedAt: p.CreatedAt, UpdatedAt: p.UpdatedAt}
		setAttributes(p, attributes)
		return nil
	})
}

// Delete implements scim.ResourceHandler.
func (d people) Delete(r *http.Request, id string) error {
	a := askedOf(r)
	if err := d.Accounts.DeleteDirectoryPerson(r.Context(), a.accountID, id); err != nil {
		return d.refused(r, id, err)
	}
	return nil
}

// Patch implements scim.ResourceHandler.
func (d people) Patch(r *http.Request, id string, operations []scim.PatchOperation) (scim.Resource, error) {
	return d.change(r, id, func(p *directory.Person) error {
		for _, op := range operations {
			if err := patchPerson(p, op); err != nil {
				return err
			}
		}
		return nil
	})
}

func (d people) change(r *http.Request, id string, change func(*directory.Person) error) (scim.Resource, error) {
	a := askedOf(r)
	p, err := d.Accounts.ChangeDirectoryPerson(r.Context(), d.Now(), a.accountID, id, change)
	if err != nil {
		return scim.Resource{}, d.refused(r, id, err)
	}
	return d.resource(r, p), nil
}

// refused answers with an error. That the last owner stays is recorded, as the directory believes that they are gone.
func (d people) refused(r *http.Request, id string, err error) error {
	a := askedOf(r)
	if accountdb.IsLastOwner(err) {
		d.Log.Warn("a directory wanted to remove the last owner of an account, who stays", "account_id", a.accountID, "person_id", id,
			"hint", "make another person an owner, then remove this one again")
		if failed := d.Accounts.RefuseDirectory(r.Context(), a.accountID, id, err.Error()); failed != nil {
			return a.refusal(failed)
		}
		return errors.ScimError{Status: http.StatusBadRequest, ScimType: errors.ScimTypeMutability, Detail: err.Error()}
	}
	return a.refusal(err)
}

// resource is a person in the form of the standard.
func (d people) resource(r *http.Request, p directory.Person) scim.Resource {
	name := map[string]any{"formatted": p.Name()}
	if p.GivenName != "" {
		name["givenName"] = p.GivenName
	}
	if p.FamilyName != "" {
		name["familyName"] = p.FamilyName
	}
	attributes := scim.ResourceAttributes{"userName": p.UserName, "active": p.Active, "name": name, "displayName": p.Name()}
	if address, err := p.Address(); err == nil {
		attributes["emails"] = []any{map[string]any{"value": address, "type": "work", "primary": true}}
	}
	return scim.Resource{
		ID: p.ID, ExternalID: optionalText(p.ExternalID), Attributes: wanted(r, attributes), Meta: scim.Meta{Created: &p.CreatedAt, LastModified: &p.UpdatedAt},
	}
}

func optionalText(text string) optional.String {
	if text == "" {
		return optional.String{}
	}
	return optional.NewString(text)
}

// wanted leaves out the attributes that a request does not want (RFC 7644, section 3.9).
func wanted(r *http.Request, attributes scim.ResourceAttributes) scim.ResourceAttributes {
	query := r.URL.Query()
	if only := query.Get("attributes"); only != "" {
		for name := range attributes {
			if !names(only, name) && name != "userName" && name != "displayName" {
				delete(attributes, name)
			}
		}
	}
	for name := range attributes {
		if names(query.Get("excludedAttributes"), name) {
			delete(attributes, name)
		}
	}
	return attributes
}

// names reports whether a list of attributes, with commas between them, has one.
func names(list, attribute string) bool {
	for name := range strings.SplitSeq(list, ",") {
		if strings.EqualFold(rootOf(strings.TrimSpace(name)), attribute) {
			return true
		}
	}
	return false
}

// setAttributes sets what the attributes of a request say of a person.
func setAttributes(p *directory.Person, attributes map[string]any) {
	for name, value := range attributes {
		setAttribute(p, strings.ToLower(name), value)
	}
}

func setAttribute(p *directory.Person, name string, value any) {
	text, _ := value.(string)
	switch strings.ToLower(rootOf(name)) {
	case "username":
		p.UserName = text
	case "externalid":
		p.ExternalID = text
	case "displayname":
		p.DisplayName = text
	case "active":
		if active, ok := value.(bool); ok {
			p.Active = active
		}
	case "emails":
		if text == "" {
			p.Email = addressIn(value)
		} else if strings.Contains(name, `"work"`) || strings.Contains(name, "primary") { // Entra ID names emails[type eq "work"].value
			p.Email = text
		}
	case "name":
		setName(p, name, value)
	}
}

func setName(p *directory.Person, path string, value any) {
	if fields, ok := value.(map[string]any); ok {
		for name, inner := range fields {
			setName(p, "name."+name, inner)
		}
		return
	}
	text, _ := value.(string)
	switch strings.ToLower(path[strings.LastIndexByte(path, '.')+1:]) {
	case "givenname":
		p.GivenName = text
	case "familyname":
		p.FamilyName = text
	case "formatted":
		if p.DisplayName == "" {
			p.DisplayName = text
		}
	}
}

// addressIn chooses the address that counts: the primary one, else that of work, else the first.
func addressIn(value any) (address string) {
	list, ok := value.([]any)
	if !ok {
		list = []any{value}
	}
	best := -1
	for _, each := range list {
		fields, _ := each.(map[string]any)
		text, _ := fields["value"].(string)
		kind, _ := fields["type"].(string)
		primary, _ := fields["primary"].(bool)
		rank := 0
		switch {
		case text == "":
			continue
		case primary:
			rank = 2
		case strings.EqualFold(kind, "work"):
			rank = 1
		}
		if rank > best {
			address, best = text, rank
		}
	}
	return address
}

// patchPerson applies an operation. Add and replace are the same here, as Entra ID mixes them.
func patchPerson(p *directory.Person, op scim.PatchOperation) error {
	if op.Path == nil {
		attributes, _ := op.Value.(map[string]any)
		setAttributes(p, attributes)
		return nil
	}
	name := op.Path.AttributePath.AttributeName
	value := op.Value
	if op.Op == scim.PatchOperationRemove {
		value = nil
	}
	sub := op.Path.AttributePath.SubAttributeName()
	if sub == "" {
		sub = op.Path.SubAttributeName()
	}
	switch {
	case strings.EqualFold(name, "emails") && op.Path.ValueExpression != nil:
		if !aboutTheAddress(op.Path.ValueExpression) || sub != "" && !strings.EqualFold(sub, "value") {
			return nil
		}
		if text, ok := value.(string); ok || value == nil {
			p.Email = text
			return nil
		}
		p.Email = addressIn(value)
	case strings.EqualFold(name, "active") && value == nil:
		return errors.ScimErrorInvalidValue
	case sub != "":
		setAttribute(p, name+"."+sub, value)
	case strings.EqualFold(name, "name") && value == nil:
		p.GivenName, p.FamilyName = "", ""
	default:
		setAttribute(p, name, value)
	}
	return nil
}

// aboutTheAddress reports whether an expression chooses the address of work, or the primary one.
func aboutTheAddress(e filter.Expression) bool {
	equal, ok := e.(*filter.AttributeExpression)
	if !ok || !strings.EqualFold(string(equal.Operator), string(filter.EQ)) {
		return false
	}
	text, _ := equal.CompareValue.(string)
	switch strings.ToLower(equal.AttributePath.AttributeName) {
	case "type":
		return strings.EqualFold(text, "work")
	case "primary":
		return equal.CompareValue == true || strings.EqualFold(text, "true")
	}
	return false
}
