package idp

import (
	"errors"
	"slices"
	"strings"

	"github.com/crewjam/saml"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/directory"
	"sett/internal/store/accountdb"
)

// The names under which providers send what sett wants: short ones of Okta and Google, addresses of Entra ID, numbers of LDAP.
var (
	emailNames = []string{"email", "mail", "emailaddress", "user.email", "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress", "urn:oid:0.9.2342.19200300.100.1.3"}
	fullNames  = []string{"displayname", "name", "fullname", "http://schemas.microsoft.com/identity/claims/displayname", "urn:oid:2.16.840.1.113730.3.1.241"}
	givenNames = []string{"firstname", "givenname", "user.firstname", "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/givenname", "urn:oid:2.5.4.42"}
	groupNames = []string{
		"groups", "group", "memberof", "http://schemas.microsoft.com/ws/2008/06/identity/claims/groups", "http://schemas.xmlsoap.org/claims/group",
		"urn:oid:1.3.6.1.4.1.5923.1.5.1.1",
	}
	lastNames = []string{"lastname", "surname", "sn", "user.lastname", "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/surname", "urn:oid:2.5.4.4"}
)

// linkedGroups is what Entra ID sends in place of more than 150 groups: an address at which they can be asked for.
const linkedGroups = "http://schemas.microsoft.com/claims/groups.link"

// longestSubject bounds what a provider calls a person, in bytes (SAML core, section 8.3.7, and what addresses have).
const longestSubject = 256

// identityOf returns who an assertion is about; groups is the attribute with their groups, or "" for the known ones. The issuer has the account
// in it: whatever its provider calls itself, it speaks for no other one.
func identityOf(accountID, groups string, assertion *saml.Assertion) (i accounts.Identity, err error) {
	if assertion.Subject == nil || assertion.Subject.NameID == nil {
		return i, refused(errors.New("the assertion has no NameID"))
	}
	name := assertion.Subject.NameID
	subject := strings.TrimSpace(name.Value)
	switch {
	case name.Format == string(saml.TransientNameIDFormat):
		return i, sett.Errorf(sett.Forbidden, "The identity provider sends another NameID at each sign-in. Ask its administrator to send the email address or a persistent NameID.")
	case subject == "" || len(subject) > longestSubject:
		return i, refused(errors.New("the NameID is empty or too long"))
	}
	i = accounts.Identity{Issuer: accountdb.SAMLIssuer(accountID, assertion.Issuer.Value), Subject: subject, EmailVerified: true, Email: attribute(assertion, emailNames), Name: attribute(assertion, fullNames)}
	if i.Email == "" {
		i.Email = subject
	}
	i.Email = strings.ToLower(strings.TrimSpace(i.Email))
	if given, last := attribute(assertion, givenNames), attribute(assertion, lastNames); i.Name == "" || strings.Contains(i.Name, "@") {
		i.Name = strings.TrimSpace(given + " " + last)
	}
	i.Groups, i.Unlisted = groupsIn(assertion, groups)
	return i, i.CheckEmail()
}

// groupsIn returns the groups that an assertion names, or nil if it does not say; unlisted says that there are too many to be sent.
func groupsIn(assertion *saml.Assertion, wanted string) (groups []string, unlisted bool) {
	names := groupNames
	if wanted != "" {
		names = []string{strings.ToLower(wanted)}
	}
	values, found := valuesOf(assertion, names)
	if !found {
		_, linked := valuesOf(assertion, []string{linkedGroups})
		return nil, linked
	}
	groups, ok := directory.Claimed(values)
	if !ok {
		return nil, true
	}
	return groups, false
}

// valuesOf returns the values of the first of some attributes that an assertion has.
func valuesOf(assertion *saml.Assertion, names []string) (values []string, found bool) {
	best := len(names)
	for _, statement := range assertion.AttributeStatements {
		for _, a := range statement.Attributes {
			at := slices.Index(names, strings.ToLower(a.Name))
			if at < 0 {
				at = slices.Index(names, strings.ToLower(a.FriendlyName))
			}
			if at < 0 || at > best {
				continue
			}
			if at < best {
				best, values = at, nil
			}
			for _, v := range a.Values {
				values = append(values, v.Value)
			}
		}
	}
	return values, best < len(names)
}

// attribute returns the first value of the first of some attributes that an assertion has.
func attribute(assertion *saml.Assertion, names []string) string {
	best, found := len(names), ""
	for _, statement := range assertion.AttributeStatements {
		for _, a := range statement.Attributes {
			at := slices.Index(names, strings.ToLower(a.Name))
			if at < 0 {
				at = slices.Index(names, strings.ToLower(a.FriendlyName))
			}
			if at >= 0 && at < best && len(a.Values) > 0 && a.Values[0].Value != "" {
				best, found = at, a.Values[0].Value
			}
		}
	}
	return found
}
