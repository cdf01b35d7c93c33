package fault_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"sett/internal/setttest"
	"sett/internal/setttest/visitor"
)

// The address of a notice that the interface hands out leads to the notice, and /notice/<id> too, which clients print.
func TestAddressesOfEvents(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		o := openOn(t, s)
		const token = "5b8ee2d9-8b2c-4d0e-9a9d-1f0a3c7e6b11"
		o.report(strings.Replace(rich, `"class":"Boom"`, `"class":"Boom","token":"`+token+`"`, 1))
		o.Clock.Push(time.Minute)
		f := o.report(rich)
		var list struct{ Results []struct{ ID, URL string } }
		o.Get(fmt.Sprintf("/v2%s/notices", o.path(f))).Into(&list)
		if len(list.Results) != 2 || list.Results[1].ID != token {
			t.Fatalf("the interface lists %+v", list)
		}
		for _, n := range list.Results {
			path := strings.TrimPrefix(n.URL, o.Base)
			for _, address := range []string{path, "/notice/" + n.ID, path + "/", "/notice/" + strings.ToUpper(n.ID)} {
				got := o.member.Get(address).Want(303)
				if want := o.path(f) + "?notice=" + n.ID; got.Header.Get("Location") != want {
					t.Fatalf("%s leads to %q, want %q", address, got.Header.Get("Location"), want)
				}
				o.member.Get(got.Header.Get("Location")).Want(200, "Boom", n.ID)
				o.outsider.Get(address).Want(404, "Not found")
			}
			for _, address := range []string{path, "/notice/" + n.ID} {
				if got := o.anonymous.Get(address).Want(303).Header.Get("Location"); got != "/login?next="+strings.ReplaceAll(address, "/", "%2F") {
					t.Errorf("who is not signed in is led from %s to %s", address, got)
				}
			}
		}
		const unknown = "019ab2a4-0000-7000-8000-000000000000"
		for _, address := range []string{o.path(f) + "/" + unknown, o.path(f) + "/x", "/notice/" + unknown, "/notice/x"} {
			o.member.Get(address).Want(404, "retention period may have ended")
		}
	})
}

// A user who is not signed in gets to the notice after signing in.
func TestAddressOfEventAfterSigningIn(t *testing.T) {
	t.Parallel()
	o := open(t)
	f := o.report(rich)
	n, err := o.App.Store().Faults.NewestNotice(t.Context(), f.ProjectID, f.ID)
	if err != nil || n == nil {
		t.Fatal(err)
	}
	b := visitor.New(t, o.Server)
	to := b.Get("/notice/" + n.ID.String()).Want(303).Header.Get("Location")
	next, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	b.Get(to).Want(200, next.Query().Get("next")) // the form keeps it
	after := b.Post("/login", "email", "ann@example.test", "password", password, "next", next.Query().Get("next")).Want(303).Header.Get("Location")
	if after != "/notice/"+n.ID.String() {
		t.Errorf("signing in leads to %q", after)
	}
	b.Get(b.Get(after).Want(303).Header.Get("Location")).Want(200, "Boom")
}

// The address of a notice still leads to it after its fault was merged into another.
func TestAddressOfMergedEvent(t *testing.T) {
	t.Parallel()
	o := open(t)
	into, f := o.report(plain("Into")), o.report(plain("Merged"))
	n, err := o.App.Store().Faults.NewestNotice(t.Context(), f.ProjectID, f.ID)
	if err != nil {
		t.Fatal(err)
	}
	o.Post(fmt.Sprintf("/v2%s/merge", o.path(f)), map[string]any{"into_id": into.ID}).Want(200)
	want := o.path(into) + "?notice=" + n.ID.String()
	for _, address := range []string{o.path(f) + "/" + n.ID.String(), "/notice/" + n.ID.String()} {
		if got := o.member.Get(address).Want(303).Header.Get("Location"); got != want {
			t.Errorf("%s leads to %s, want %s", address, got, want)
		}
	}
}

// user_url takes the id of the context, also beside an address and when the id looks like one.
func TestAddressesOfUsers(t *testing.T) {
	t.Parallel()
	const byID, byMail = "https://admin.test/users/[user_id]", "https://admin.test/?mail=[user_email]"
	for _, c := range []struct{ name, template, context, want string }{
		{"an id", byID, `"user_id":42`, "https://admin.test/users/42"},
		{"an id and an address", byID, `"user_id":42,"user_email":"ann@example.test"`, "https://admin.test/users/42"},
		{"an id with an @", byID, `"user_id":"ann@acme"`, "https://admin.test/users/ann%40acme"},
		{"an address alone", byID, `"user_email":"ann@example.test"`, ""},
		{"an address for an address", byMail, `"user_id":42,"user_email":"ann@example.test"`, "https://admin.test/?mail=ann%40example.test"},
		{"an id for an address", byMail, `"user_id":42`, ""},
		{"an id beside the field that users are counted by", byID, `"user_id":42,"login":"ann"`, "https://admin.test/users/42"},
		{"no user", byID, `"plan":"free"`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			o := open(t)
			field := ""
			if strings.Contains(c.context, "login") {
				field = "context.login"
			}
			o.Put(fmt.Sprintf("/v2/projects/%d", o.Setup.ProjectID), map[string]any{"project": map[string]any{"user_url": c.template, "user_search_field": field}}).Want(204)
			f := o.report(`{"error":{"class":"Boom","message":"m"},"request":{"context":{` + c.context + `}},"server":{"environment_name":"production"}}`)
			if err := o.App.Store().Intake.Flush(t.Context()); err != nil {
				t.Fatal(err)
			}
			for path, times := range map[string]int{o.path(f): 2, o.path(f) + "/users": 1} {
				body := o.member.Get(path).Want(200).Body
				got := strings.Count(body, `href="`+c.want+`"`)
				if c.want == "" {
					got, times = strings.Count(body, `href="https://admin.test`), 0
				}
				if got != times {
					t.Errorf("%s has %d links to %q, want %d", path, got, c.want, times)
				}
			}
		})
	}
}
