package scim

import (
	"net/http"
	"slices"
	"strings"

	"github.com/elimity-com/scim"
	"github.com/elimity-com/scim/errors"
	filter "github.com/scim2/filter-parser/v2"

	"sett/internal/sett/directory"
)

// groups are the groups of a directory.
type groups struct{ *Door }

// Create implements scim.ResourceHandler.
func (d groups) Create(r *http.Request, attributes scim.ResourceAttributes) (scim.Resource, error) {
	a, g := askedOf(r), directory.Group{}
	setGroup(&g, attributes)
	g, unknown, err := d.Accounts.CreateDirectoryGroup(r.Context(), d.Now(), a.accountID, g)
	if err != nil {
		return scim.Resource{}, a.refusal(err)
	}
	d.note(a, g, unknown)
	return d.resource(r, g), nil
}

// note logs members that the directory has not made known. They are left out: one of them must not keep the others from their roles.
func (d groups) note(a *asked, g directory.Group, unknown int) {
	if unknown > 0 {
		d.Log.Warn("a group of a directory has members that the directory did not send; they are left out", "account_id", a.accountID, "group_id", g.ID, "members", unknown,
			"hint", "assign these people to sett in the directory, then provision the group again")
	}
}

// Get implements scim.ResourceHandler.
func (d groups) Get(r *http.Request, id string) (scim.Resource, error) {
	a := askedOf(r)
	g, err := d.Accounts.DirectoryGroup(r.Context(), a.accountID, id)
	if err != nil {
		return scim.Resource{}, a.refusal(err)
	}
	return d.resource(r, g), nil
}

// GetAll implements scim.ResourceHandler.
func (d groups) GetAll(r *http.Request, params scim.ListRequestParams) (page scim.Page, err error) {
	a, f := askedOf(r), filterOf(params)
	if err := f.read(params, "displayName"); err != nil {
		return page, err
	}
	switch {
	case f.id != "":
		g, err := d.Accounts.DirectoryGroup(r.Context(), a.accountID, f.id)
		if err == nil && f.member != "" && !slices.Contains(g.Members, f.member) {
			return scim.Page{Resources: []scim.Resource{}}, nil
		}
		return f.one(a, d.resource(r, g), err)
	case f.member != "":
		return page, errors.ScimError{Status: http.StatusBadRequest, ScimType: errors.ScimTypeInvalidFilter, Detail: "Filter by members together with id."}
	}
	f.Sent = true
	members := !names(r.URL.Query().Get("excludedAttributes"), "members")
	found, total, err := d.Accounts.ListDirectoryGroups(r.Context(), a.accountID, f.DirectoryFilter, members)
	if err != nil {
		return page, a.refusal(err)
	}
	page = scim.Page{TotalResults: total, Resources: []scim.Resource{}}
	for _, g := range found {
		page.Resources = append(page.Resources, d.resource(r, g))
	}
	return page, nil
}

// Replace implements scim.ResourceHandler.
func (d groups) Replace(r *http.Request, id string, attributes scim.ResourceAttributes) (scim.Resource, error) {
	return d.change(r, id, func(g *directory.Group) error {
		g.Name, g.ExternalID, g.Members = "", "", nil
		setGroup(g, attributes)
		return nil
	})
}

// Delete implements scim.ResourceHandler.
func (d groups) Delete(r *http.Request, id string) error {
	a := askedOf(r)
	if err := d.Accounts.DeleteDirectoryGroup(r.Context(), d.Now(), a.accountID, id); err != nil {
		return a.refusal(err)
	}
	return nil
}

// Patch implements scim.ResourceHandler.
func (d groups) Patch(r *http.Request, id string, operations []scim.PatchOperation) (scim.Resource, error) {
	return d.change(r, id, func(g *directory.Group) error {
		for _, op := range operations {
			if err := patchGroup(g, op); err != nil {
				return err
			}
		}
		return nil
	})
}

func (d groups) change(r *http.Request, id string, change func(*directory.Group) error) (scim.Resource, error) {
	a := askedOf(r)
	g, unknown, err := d.Accounts.ChangeDirectoryGroup(r.Context(), d.Now(), a.accountID, id, change)
	if err != nil {
		return scim.Resource{}, a.refusal(err)
	}
	d.note(a, g, unknown)
	return d.resource(r, g), nil
}

// resource is a group in the form of the standard.
func (d groups) resource(r *http.Request, g directory.Group) scim.Resource {
	members := []any{}
	for _, id := range g.Members {
		members = append(members, map[string]any{"value": id, "$ref": d.BaseURL + Path + "/Users/" + id, "type": "User"})
	}
	attributes := scim.ResourceAttributes{"displayName": g.Name, "members": members}
	return scim.Resource{
		ID: g.ID, ExternalID: optionalText(g.ExternalID), Attributes: wanted(r, attributes), Meta: scim.Meta{Created: &g.CreatedAt, LastModified: &g.UpdatedAt},
	}
}

// setGroup sets what the attributes of a request say of a group.
func setGroup(g *directory.Group, attributes map[string]any) {
	for name, value := range attributes {
		text, _ := value.(string)
		switch strings.ToLower(rootOf(name)) {
		case "displayname":
			g.Name = text
		case "externalid":
			g.ExternalID = text
		case "members":
			g.Members = idsIn(value)
		}
	}
}

// idsIn returns the ids of members.
func idsIn(value any) (ids []string) {
	list, ok := value.([]any)
	if !ok {
		list = []any{value}
	}
	for _, each := range list {
		fields, _ := each.(map[string]any)
		if id, _ := fields["value"].(string); id != "" {
			ids = append(ids, id)
		}
	}
	return ids
}

func patchGroup(g *directory.Group, op scim.PatchOperation) error {
	if op.Path == nil {
		attributes, _ := op.Value.(map[string]any)
		if members, ok := attributes["members"]; ok && op.Op == scim.PatchOperationAdd {
			g.Members = append(g.Members, idsIn(members)...)
			delete(attributes, "members")
		}
		setGroup(g, attributes)
		return nil
	}
	name := op.Path.AttributePath.AttributeName
	if !strings.EqualFold(name, "members") {
		if op.Op == scim.PatchOperationRemove {
			op.Value = ""
		}
		setGroup(g, map[string]any{name: op.Value})
		return nil
	}
	var named []string
	if op.Path.ValueExpression != nil {
		ids, ok := idsOf(op.Path.ValueExpression)
		if !ok {
			return errors.ScimErrorInvalidFilter
		}
		named = ids
	} else {
		named = idsIn(op.Value)
	}
	switch {
	case op.Op == scim.PatchOperationAdd:
		g.Members = append(g.Members, named...)
	case op.Op == scim.PatchOperationReplace:
		g.Members = named
	case op.Path.ValueExpression == nil && op.Value == nil:
		g.Members = nil
	default:
		g.Members = slices.DeleteFunc(g.Members, func(id string) bool { return slices.Contains(named, id) })
	}
	return nil
}

// idsOf returns the ids that an expression such as value eq "1" or value eq "2" names.
func idsOf(e filter.Expression) ([]string, bool) {
	switch e := e.(type) {
	case *filter.AttributeExpression:
		id, ok := valueOf(e)
		return []string{id}, ok && strings.EqualFold(e.AttributePath.AttributeName, "value")
	case *filter.LogicalExpression:
		left, ok := idsOf(e.Left)
		right, also := idsOf(e.Right)
		return append(left, right...), ok && also && strings.EqualFold(string(e.Operator), string(filter.OR))
	}
	return nil, false
}
