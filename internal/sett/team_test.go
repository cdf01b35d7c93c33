package sett

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestTeamChange(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ body, have, want, refusal string }{
		{body: `{}`, have: "Crew", want: "Crew"},
		{body: `{"colour":"red"}`, have: "Crew", want: "Crew"},
		{body: `{"name":" Çrew 2 "}`, have: "Crew", want: "Çrew 2"},
		{body: `{"name":"` + strings.Repeat("ö", 255) + `"}`, want: strings.Repeat("ö", 255)},
		{body: `{}`, refusal: "name can't be blank"},
		{body: `{"name":""}`, have: "Crew", refusal: "name can't be blank"},
		{body: `{"name":" \t"}`, have: "Crew", refusal: "name can't be blank"},
		{body: `{"name":null}`, have: "Crew", refusal: "name can't be blank"},
		{body: `{"name":7}`, have: "Crew", refusal: "name must be a string"},
		{body: `{"name":["a"]}`, have: "Crew", refusal: "name must be a string"},
		{body: `{"name":"a\nb"}`, have: "Crew", refusal: "name must not contain control characters"},
		{body: `{"name":"` + strings.Repeat("ö", 256) + `"}`, refusal: "name is too long (maximum is 255 characters)"},
	} {
		var change TeamChange
		if err := json.Unmarshal([]byte(c.body), &change); err != nil {
			t.Fatal(err)
		}
		got, err := change.Apply(c.have)
		switch {
		case c.refusal == "" && (err != nil || got != c.want):
			t.Errorf("%s: %q, %v; want %q", c.body, got, err, c.want)
		case c.refusal != "" && (CodeOf(err) != Invalid || err.Error() != "Please correct: "+c.refusal+"."):
			t.Errorf("%s: %v, want %s", c.body, err, c.refusal)
		}
	}
}

func TestTeamMemberChange(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		body       string
		have, want bool
		refused    bool
	}{
		{`{}`, true, true, false},
		{`{}`, false, false, false},
		{`{"admin":true}`, false, true, false},
		{`{"admin":"true"}`, false, true, false},
		{`{"admin":false}`, true, false, false},
		{`{"admin":"false"}`, true, false, false},
		{`{"admin":null}`, true, false, false},
		{`{"admin":"yes"}`, true, true, true},
		{`{"admin":1}`, true, true, true},
		{`{"admin":{}}`, true, true, true},
	} {
		var change TeamMemberChange
		if err := json.Unmarshal([]byte(c.body), &change); err != nil {
			t.Fatal(err)
		}
		got, err := change.Apply(c.have)
		if got != c.want || c.refused != (err != nil && err.Error() == "Please correct: admin must be true or false.") {
			t.Errorf("%s: %v, %v; want %v, refused %v", c.body, got, err, c.want, c.refused)
		}
	}
}

func TestWhoMayRemoveAMember(t *testing.T) {
	t.Parallel()
	const want = "Only an admin of this team or of the account can remove others from it. Ask one of them."
	for _, role := range append([]Role{""}, Roles...) {
		for _, admin := range []bool{true, false} {
			asker := Scope{Role: role, OfTeam: true, TeamAdmin: admin}
			may := role == Admin || role == Owner || role == Member && admin
			switch err := (TeamStanding{Asker: asker}).Remove(); {
			case may && err != nil, !may && (CodeOf(err) != Forbidden || err.Error() != want):
				t.Errorf("another, by %+v: %v", asker, err)
			}
			if err := (TeamStanding{Asker: asker, Self: true}).Remove(); err != nil {
				t.Errorf("oneself, by %+v: %v", asker, err)
			}
		}
	}
}
