package operate_test

import (
	"os"
	"strings"
	"testing"

	"sett/internal/app"
	"sett/internal/app/operate"
	"sett/internal/sett"
	"sett/internal/setttest/pgcluster"
)

// Before the first user is created, commands refuse every time, and leave the schema to setup and serve.
func TestAdministrationBeforeSetup(t *testing.T) {
	t.Parallel()
	for engine, cfg := range map[string]app.Config{
		"sqlite": {Data: t.TempDir()}, "postgres": {Data: t.TempDir(), Database: pgcluster.Postgres(t)},
	} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			refused := func(when string) {
				t.Helper()
				_, err := operate.AddAccount(t.Context(), cfg.Installation(), operate.NewAccount{Name: "Acme", Owner: "olga@example.test"})
				if sett.CodeOf(err) != sett.NotFound || !strings.HasPrefix(err.Error(), "this database has no account yet; create the first one with sett setup") {
					t.Errorf("%s: %v", when, err)
				}
			}
			refused("first")
			refused("again")
			if files, err := os.ReadDir(cfg.Data); err != nil || len(files) != 0 {
				t.Errorf("left are %v, %v", files, err)
			}
			if engine == "sqlite" { // a file whose creation was interrupted
				if err := os.WriteFile(cfg.Data+"/sett.db", nil, 0o600); err != nil {
					t.Fatal(err)
				}
				refused("an empty file")
			}
			m, err := operate.Migrate(t.Context(), cfg.Installation())
			if err != nil || m.From != 0 || m.To == 0 || m.Copy != "" {
				t.Errorf("a schema was made: %+v, %v", m, err)
			}
			refused("without an account")
			o := operate.SetupOptions{Email: "olga@example.test", Name: "Olga", Account: "Acme", Project: "Shop"}
			if _, err := operate.Setup(t.Context(), cfg.Installation(), o); err != nil {
				t.Fatal(err)
			}
			if accounts := must[[]operate.ListedAccount](t)(operate.ListAccounts(t.Context(), cfg.Installation())); len(accounts) != 1 {
				t.Errorf("after setup: %+v", accounts)
			}
		})
	}
}
