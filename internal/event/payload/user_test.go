package payload

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestUserFields(t *testing.T) {
	t.Parallel()
	for field, want := range map[string][]string{
		"":                   {"context.user_email", "context.user_id", "context.user.email", "context.user.id"},
		"context.user.email": {"context.user.email"},
		"session.uid":        {"session.uid"},
		"account.owner":      {"context.account.owner"},
		"login":              {"context.login"},
	} {
		if diff := cmp.Diff(want, UserFields(field)); diff != "" {
			t.Errorf("UserFields(%q) (-want +got):\n%s", field, diff)
		}
	}
}

func TestReadUser(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, request, field string
		want                 *User
	}{
		{"no user", `{"context":{}}`, "", nil},
		{"no context", `{"context":[1]}`, "", nil},
		{"both", `{"context":{"user_email":"a@b.test","user_id":7}}`, "", &User{Email: "a@b.test", ID: json.Number("7")}},
		{"nested", `{"context":{"user":{"email":"a@b.test","id":"x"}}}`, "", &User{Email: "a@b.test", ID: "x"}},
		{"user is a text", `{"context":{"user":"ada"}}`, "", nil},
		{"id is an object", `{"context":{"user_id":{"a":1}}}`, "", nil},
		{"own field, an address", `{"context":{"user_id":7,"who":{"mail":"a@b.test"}}}`, "context.who.mail", &User{Email: "a@b.test", ID: json.Number("7")}},
		{"own field, a name", `{"session":{"login":"ada"},"context":{"user_id":7}}`, "session.login", &User{ID: "ada"}},
		{"own field is missing", `{"context":{"user_id":7}}`, "context.login", &User{ID: json.Number("7")}},
	} {
		request, err := DecodeObject([]byte(c.request))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, readUser(request, c.field)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestUserPathsNameUsers(t *testing.T) {
	t.Parallel()
	for _, path := range UserPaths() {
		if !NamesUser([]byte(path)) {
			t.Errorf("%s names no user", path)
		}
	}
	for _, path := range []string{"context.user_agent", "params.user", "context.users"} {
		if NamesUser([]byte(path)) {
			t.Errorf("%s names a user", path)
		}
	}
}
