package accounts

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
)

// change reads a ProjectChange as it arrives.
func change(t *testing.T, body string) ProjectChange {
	t.Helper()
	var c ProjectChange
	if err := json.Unmarshal([]byte(body), &c); err != nil {
		t.Fatal(err)
	}
	return c
}

func TestProjectChangeApplies(t *testing.T) {
	t.Parallel()
	have := ProjectSettings{
		Name: "Shop", Language: "ruby", DisablePublicLinks: true, UserURL: "https://x.test/[user_id]",
		SourceURL: "https://x.test/[file]", PurgeDays: 30, UserSearchField: "context.customer",
	}
	with := func(f func(*ProjectSettings)) ProjectSettings {
		s := have
		f(&s)
		return s
	}
	for name, c := range map[string]struct {
		body string
		want ProjectSettings
	}{
		"nothing":           {`{}`, have},
		"teams":             {`{"team_ids":[5,3,5]}`, have},
		"no teams":          {`{"team_ids":[]}`, have},
		"teams as null":     {`{"team_ids":null}`, have},
		"unknown fields":    {`{"colour":"red"}`, have},
		"a name":            {`{"name":" Shöp 2 "}`, with(func(s *ProjectSettings) { s.Name = "Shöp 2" })},
		"the longest name":  {`{"name":"` + strings.Repeat("ö", 255) + `"}`, with(func(s *ProjectSettings) { s.Name = strings.Repeat("ö", 255) })},
		"booleans":          {`{"resolve_errors_on_deploy":true,"disable_public_links":false}`, with(func(s *ProjectSettings) { s.ResolveErrorsOnDeploy, s.DisablePublicLinks = true, false })},
		"a language":        {`{"language":"elixir"}`, with(func(s *ProjectSettings) { s.Language = "elixir" })},
		"an empty language": {`{"language":""}`, with(func(s *ProjectSettings) { s.Language = "" })},
		"the least days":    {`{"purge_days":1}`, with(func(s *ProjectSettings) { s.PurgeDays = 1 })},
		"the most days":     {`{"purge_days":3650}`, with(func(s *ProjectSettings) { s.PurgeDays = 3650 })},
		"templates": {
			`{"user_url":"http://x.test/?u=[user_email]","source_url":"https://x.test/[sha]/[file]#L[line]"}`,
			with(func(s *ProjectSettings) {
				s.UserURL, s.SourceURL = "http://x.test/?u=[user_email]", "https://x.test/[sha]/[file]#L[line]"
			}),
		},
		"empty texts": {
			`{"user_url":"","source_url":"","user_search_field":""}`,
			with(func(s *ProjectSettings) { s.UserURL, s.SourceURL, s.UserSearchField = "", "", "" }),
		},
		"null": {
			`{"resolve_errors_on_deploy":null,"disable_public_links":null,"language":null,"user_url":null,"source_url":null,"purge_days":null,"user_search_field":null}`,
			ProjectSettings{Name: "Shop", ResolveErrorsOnDeploy: true, PurgeDays: 90},
		},
	} {
		got, err := change(t, c.body).Apply(have, []int64{3, 5})
		if diff := cmp.Diff(c.want, got); diff != "" || err != nil {
			t.Errorf("%s: %v, settings (-want +got):\n%s", name, err, diff)
		}
	}
}

func TestProjectChangeRefuses(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"name":null}`:   "name can't be blank",
		`{"name":""}`:     "name can't be blank",
		`{"name":" \t "}`: "name can't be blank",
		`{"name":[7]}`:    "name must be a string",
		`{"name":{}}`:     "name must be a string",
		`{"name":"` + strings.Repeat("ö", 256) + `"}`: "name is too long (maximum is 255 characters)",
		`{"name":"a\nb"}`:                                    "name must not contain control characters",
		`{"resolve_errors_on_deploy":"yes"}`:                 "resolve_errors_on_deploy must be true or false",
		`{"disable_public_links":1}`:                         "disable_public_links must be true or false",
		`{"language":"cobol"}`:                               "language is not included in the list: js, elixir, golang, java, node, php, python, ruby, other",
		`{"language":"Ruby"}`:                                "language is not included in the list: js, elixir, golang, java, node, php, python, ruby, other",
		`{"language":[]}`:                                    "language must be a string",
		`{"user_url":"x.test/[user_id]"}`:                    "user_url must be a URL that starts with http:// or https:// and has no spaces",
		`{"user_url":"javascript:alert('[user_id]')"}`:       "user_url must be a URL that starts with http:// or https:// and has no spaces",
		`{"user_url":"https://x.test/ [user_id]"}`:           "user_url must be a URL that starts with http:// or https:// and has no spaces",
		`{"user_url":"https://x.test/"}`:                     "user_url must contain [user_id] or [user_email]",
		`{"user_url":true}`:                                  "user_url must be a string",
		`{"source_url":"https://x.test/"}`:                   "source_url must contain [file] or [sha] or [line]",
		`{"source_url":"ftp://x.test/[file]"}`:               "source_url must be a URL that starts with http:// or https:// and has no spaces",
		`{"source_url":[3]}`:                                 "source_url must be a string",
		`{"purge_days":0}`:                                   "purge_days must be from 1 to 3650",
		`{"purge_days":-1}`:                                  "purge_days must be from 1 to 3650",
		`{"purge_days":3651}`:                                "purge_days must be from 1 to 3650",
		`{"purge_days":"month"}`:                             "purge_days must be an integer",
		`{"purge_days":1.5}`:                                 "purge_days must be an integer",
		`{"user_search_field":"context..id"}`:                "user_search_field must be a dotted path such as context.user.email",
		`{"user_search_field":".id"}`:                        "user_search_field must be a dotted path such as context.user.email",
		`{"user_search_field":"context.user id"}`:            "user_search_field must be a dotted path such as context.user.email",
		`{"user_search_field":false}`:                        "user_search_field must be a string",
		`{"user_url":"https://x.test/[user_id]\u0007"}`:      "user_url must not contain control characters",
		`{"team_ids":[3,4]}`:                                 "team_ids must be ids of teams of this account",
		`{"team_ids":[null]}`:                                "team_ids must be ids of teams of this account",
		`{"team_ids":3}`:                                     "team_ids must be an array of integers",
		`{"team_ids":["a"]}`:                                 "team_ids must be an array of integers",
		`{"team_ids":[0],"name":" "}`:                        "name can't be blank; team_ids must be ids of teams of this account",
		`{"name":"","purge_days":0,"language":"cobol"}`:      "name can't be blank; language is not included in the list: js, elixir, golang, java, node, php, python, ruby, other; purge_days must be from 1 to 3650",
		`{"name":[1],"purge_days":"x","user_url":"nowhere"}`: "name must be a string; purge_days must be an integer; user_url must be a URL that starts with http:// or https:// and has no spaces; user_url must contain [user_id] or [user_email]",
		`{"source_url":"https://x.test/` + strings.Repeat("a", 2000) + `[file]"}`: "source_url is too long (maximum is 2000 characters)",
		`{"user_search_field":"context.` + strings.Repeat("a", 250) + `"}`:        "user_search_field is too long (maximum is 255 characters)",
		`{"user_search_field":"context.a\u0000b"}`:                                "user_search_field must not contain control characters",
	} {
		have := NewProjectSettings()
		have.Name = "Shop"
		_, err := change(t, body).Apply(have, []int64{3, 5})
		if want = "Please correct: " + want + "."; sett.CodeOf(err) != sett.Invalid || err.Error() != want {
			t.Errorf("%s:\ngot  %v\nwant %s", body, err, want)
		}
	}
}

func environmentChange(t *testing.T, body string) (c EnvironmentChange) {
	t.Helper()
	if err := json.Unmarshal([]byte(body), &c); err != nil {
		t.Fatal(err)
	}
	return c
}

func TestEnvironmentChangeApplies(t *testing.T) {
	t.Parallel()
	have := EnvironmentSettings{Name: "staging"}
	long := strings.Repeat("ö", 255)
	for body, want := range map[string]EnvironmentSettings{
		`{}`:                                      have,
		`{"colour":"red"}`:                        have,
		`{"name":" qa 2 "}`:                       {Name: "qa 2"},
		`{"name":"` + long + `"}`:                 {Name: long},
		`{"notifications":true}`:                  {Name: "staging", Notifications: true},
		`{"notifications":null}`:                  {Name: "staging", Notifications: true},
		`{"name":"qa","notifications":false}`:     {Name: "qa"},
		`{"name":"Staging","notifications":true}`: {Name: "Staging", Notifications: true},
	} {
		got, err := environmentChange(t, body).Apply(have)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", body, err, diff)
		}
	}
}

func TestEnvironmentChangeRefuses(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"name":null}`:          "name can't be blank",
		`{"name":""}`:            "name can't be blank",
		`{"name":" \t"}`:         "name can't be blank",
		`{"name":[7]}`:           "name must be a string",
		`{"name":["qa"]}`:        "name must be a string",
		`{"name":"a\nb"}`:        "name must not contain control characters",
		`{"notifications":"no"}`: "notifications must be true or false",
		`{"notifications":0}`:    "notifications must be true or false",
		`{"name":"` + strings.Repeat("ö", 256) + `"}`: "name is too long (maximum is 255 characters)",
		`{"name":{},"notifications":[]}`:              "name must be a string; notifications must be true or false",
	} {
		_, err := environmentChange(t, body).Apply(EnvironmentSettings{Name: "staging"})
		if want := "Please correct: " + want + "."; err == nil || err.Error() != want || sett.CodeOf(err) != sett.Invalid {
			t.Errorf("%s: %v, want %s", body, err, want)
		}
	}
}

// What a notice has brought can be silenced, whatever it is called.
func TestAnEnvironmentKeepsItsName(t *testing.T) {
	t.Parallel()
	have := EnvironmentSettings{Name: "a\u202eb ", Notifications: true}
	got, err := environmentChange(t, `{"notifications":false}`).Apply(have)
	if err != nil || got != (EnvironmentSettings{Name: have.Name}) {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := environmentChange(t, `{"name":"a\u202eb"}`).Apply(have); sett.CodeOf(err) != sett.Invalid {
		t.Errorf("the same name, sent: %v", err)
	}
}
