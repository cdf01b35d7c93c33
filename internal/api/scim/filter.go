package scim

import (
	"strings"

	"github.com/elimity-com/scim"
	"github.com/elimity-com/scim/errors"
	filter "github.com/scim2/filter-parser/v2"

	"sett/internal/sett"
	"sett/internal/store/accountdb"
)

// selection is what a list is asked for: everything, or what equals some attributes.
type selection struct {
	accountdb.DirectoryFilter
	id     string
	member string // of groups
}

func filterOf(params scim.ListRequestParams) selection {
	return selection{DirectoryFilter: accountdb.DirectoryFilter{Start: params.StartIndex - 1, Count: params.Count}}
}

// read reads the filter of a request; name is the attribute that names a resource. The error says that only eq and and are supported.
func (f *selection) read(params scim.ListRequestParams, name string) error {
	if params.FilterValidator == nil {
		return nil
	}
	return f.add(params.FilterValidator.GetFilter(), name)
}

func (f *selection) add(e filter.Expression, name string) error {
	unsupported := errors.ScimError{
		Status: 400, ScimType: errors.ScimTypeInvalidFilter, Detail: "Filter by " + name + ", externalId or id, with eq and a value that is not empty.",
	}
	switch e := e.(type) {
	case *filter.LogicalExpression:
		if !strings.EqualFold(string(e.Operator), string(filter.AND)) {
			return unsupported
		}
		if err := f.add(e.Left, name); err != nil {
			return err
		}
		return f.add(e.Right, name)
	case *filter.ValuePath:
		inner, ok := e.ValueFilter.(*filter.AttributeExpression)
		if text, isText := valueOf(inner); ok && isText && strings.EqualFold(e.AttributePath.AttributeName, "members") {
			f.member = text
			return nil
		}
	case *filter.AttributeExpression:
		text, ok := valueOf(e)
		if !ok {
			return unsupported
		}
		switch path := strings.ToLower(rootOf(e.AttributePath.String())); path {
		case strings.ToLower(name):
			f.Name = text
			return nil
		case "externalid":
			f.ExternalID = text
			return nil
		case "id":
			f.id = text
			return nil
		case "members":
			f.member = text
			return nil
		}
	}
	return unsupported
}

// valueOf returns the text that an attribute has to equal.
func valueOf(e *filter.AttributeExpression) (string, bool) {
	if e == nil || !strings.EqualFold(string(e.Operator), string(filter.EQ)) {
		return "", false
	}
	text, ok := e.CompareValue.(string)
	return text, ok && text != ""
}

// one is the page with the one resource that has the id asked for; an empty one if it does not exist, which is no error.
func (f selection) one(a *asked, resource scim.Resource, err error) (scim.Page, error) {
	none := scim.Page{Resources: []scim.Resource{}}
	switch {
	case sett.CodeOf(err) == sett.NotFound:
		return none, nil
	case err != nil:
		return none, a.refusal(err)
	case f.Start > 0 || f.Count == 0:
		none.TotalResults = 1
		return none, nil
	}
	return scim.Page{TotalResults: 1, Resources: []scim.Resource{resource}}, nil
}
