package admin_test

import (
	"testing"

	"sett/internal/auth"
	"sett/internal/sett"
	"sett/internal/setttest"
	"sett/internal/setttest/visitor"
	"sett/internal/store"
)

// Who runs the server sees its pages; who owns an account does not by that.
func TestPagesAboutTheServerAreForItsOperators(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	const password = "seven lonely walruses"
	id, err := s.App.Store().CreateUser(t.Context(), s.Clock.Now(), store.NewUser{
		AccountID: s.Setup.AccountID, Email: "olga@example.test", Name: "Olga", Role: sett.Owner, Password: auth.HashPassword(password),
	})
	if err != nil {
		t.Fatal(err)
	}
	if first, err := s.App.Store().IsOperator(t.Context(), s.Setup.UserID); err != nil || !first {
		t.Errorf("the first owner is an operator: %v %v", first, err)
	}
	b := visitor.New(t, s)
	b.Get("/admin/users").Leads("/login?next=%2Fadmin%2Fusers")
	b.SignIn("olga@example.test", password)
	b.Get("/").Lacks("/admin/system")
	pages := map[string]string{"/admin/users": "olga@example.test", "/admin/system": "sqlite", "/admin/agents": "No agent"}
	for path := range pages {
		b.Get(path).Want(403, "This page is for those who run the server.").CheckPage()
	}
	if err := s.App.Store().SetOperator(t.Context(), id, true); err != nil {
		t.Fatal(err)
	}
	b.Get("/").Want(200, `<a href="/admin/system">This server</a>`).CheckPage()
	for path, text := range pages {
		b.Get(path).Want(200, text).CheckPage()
	}
	if err := s.App.Store().SetOperator(t.Context(), id, false); err != nil {
		t.Fatal(err)
	}
	b.Get("/admin/users").Want(403)
}
