package sett

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

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
		`{"name":7}`:             "name must be a string",
		`{"name":["qa"]}`:        "name must be a string",
		`{"name":"a\nb"}`:        "name must not contain control characters",
		`{"notifications":"no"}`: "notifications must be true or false",
		`{"notifications":0}`:    "notifications must be true or false",
		`{"name":"` + strings.Repeat("ö", 256) + `"}`: "name is too long (maximum is 255 characters)",
		`{"name":{},"notifications":[]}`:              "name must be a string; notifications must be true or false",
	} {
		_, err := environmentChange(t, body).Apply(EnvironmentSettings{Name: "staging"})
		if want := "Please correct: " + want + "."; err == nil || err.Error() != want || CodeOf(err) != Invalid {
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
	if _, err := environmentChange(t, `{"name":"a\u202eb"}`).Apply(have); CodeOf(err) != Invalid {
		t.Errorf("the same name, sent: %v", err)
	}
}
