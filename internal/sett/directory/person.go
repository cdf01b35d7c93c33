// Package directory has the rules for people and groups that come from the directory of an account, by SCIM or SAML. What a directory says
// of people comes in; their address, name, role and teams in the account go out. It never trusts an address outside of the domains that
// the account has verified. It is pure: it asks no directory and stores nothing.
package directory

import (
	"strings"
	"time"

	"golang.org/x/net/idna"

	"sett/internal/sett"
)

// Person is a person as the directory of an account knows them.
type Person struct {
	ID          string // given by sett; opaque for the directory
	UserID      int64  // who they are in sett
	UserName    string // unique in the directory, in any case
	ExternalID  string // by which the directory knows them; "" if it does not say
	GivenName   string
	FamilyName  string
	DisplayName string
	Email       string // "" if UserName is their address
	Active      bool   // they belong to the account
	CreatedAt   time.Time
	UpdatedAt   time.Time
}

// The longest texts of a directory, in characters.
const (
	LongestText = 255
	// MostPeople and MostGroups are how many a directory may have.
	MostPeople = 20_000
	MostGroups = 2000
)

// Address returns the email address of a person, in lower case. An Invalid error says that there is none.
func (p Person) Address() (string, error) {
	address := strings.ToLower(strings.TrimSpace(p.Email))
	if address == "" {
		address = strings.ToLower(strings.TrimSpace(p.UserName))
	}
	var problems sett.Problems
	if sett.CheckEmail(&problems, "emails", address); len(problems) > 0 {
		return "", sett.Errorf(sett.Invalid, "%s has no email address: send one in emails, or as userName.", sett.CutText(p.UserName, LongestText))
	}
	return address, nil
}

// Name returns the name that people see.
func (p Person) Name() string {
	for _, name := range []string{p.DisplayName, p.GivenName + " " + p.FamilyName} {
		var problems sett.Problems
		name = strings.TrimSpace(name)
		if sett.CheckName(&problems, "name", name); len(problems) == 0 {
			return name
		}
	}
	address, _ := p.Address()
	return address
}

// Check returns an Invalid error about a person that cannot be stored.
func (p Person) Check() error {
	if strings.TrimSpace(p.UserName) == "" {
		return sett.Errorf(sett.Invalid, "userName is missing.")
	}
	for name, text := range map[string]string{
		"userName": p.UserName, "externalId": p.ExternalID, "name.givenName": p.GivenName, "name.familyName": p.FamilyName,
		"displayName": p.DisplayName, "emails": p.Email,
	} {
		if err := checkText(name, text); err != nil {
			return err
		}
	}
	_, err := p.Address()
	return err
}

func checkText(name, text string) error {
	var problems sett.Problems
	if sett.CheckText(&problems, name, text, LongestText); len(problems) > 0 {
		return sett.Errorf(sett.Invalid, "%s must be UTF-8 of at most %d characters, without control characters.", name, LongestText)
	}
	return nil
}

// NameKey returns what is the same for two names of users that differ in case alone.
func NameKey(userName string) string { return strings.ToLower(strings.TrimSpace(userName)) }

// DomainOf returns the domain of an email address, in lower case; "" if there is none.
func DomainOf(address string) string {
	i := strings.LastIndexByte(address, '@')
	if i < 0 {
		return ""
	}
	domain := strings.ToLower(address[i+1:])
	if ascii, err := idna.Lookup.ToASCII(domain); err == nil {
		return ascii
	}
	return domain
}
