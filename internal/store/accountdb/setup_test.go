package accountdb_test

import (
	"sync"
	"testing"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/store"
	"sett/internal/store/accountdb"
	"sett/internal/store/storetest"
)

// Several nodes, or a command beside a server, may set up at the same moment: only one of them makes an account.
func TestOnlyOneSetsUp(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		const nodes = 8
		var all sync.WaitGroup
		results, errs := make([]accountdb.SetupResult, nodes), make([]error, nodes)
		for i := range nodes {
			all.Go(func() {
				results[i], errs[i] = s.Accounts.SetUp(t.Context(), storetest.Noon, accountdb.Setup{
					Account: "Acme", Email: "olga@example.test", Name: "Olga", Project: "Shop", TokenHash: []byte{byte(i)}, First: i%2 == 0,
				})
			})
		}
		all.Wait()
		made := 0
		for i := range nodes {
			if results[i].Made {
				made++
			}
			if errs[i] != nil && (i%2 != 0 || sett.CodeOf(errs[i]) != sett.NotFound) {
				t.Errorf("node %d: %v", i, errs[i])
			}
		}
		accounts, err := s.Accounts.AllAccounts(t.Context())
		if err != nil || len(accounts) != 1 || made != 1 {
			t.Errorf("%d made an account, and there are %+v, %v", made, accounts, err)
		}
	})
}

func TestBackupsAreRemembered(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		for i := range int64(55) {
			if err := s.NoteBackup(t.Context(), accounts.Backup{At: storetest.Noon.Add(1000 * 1000 * 1000), Bytes: i, Schema: 27, By: "sett backup"}); err != nil {
				t.Fatal(err)
			}
		}
		backups, err := s.ListBackups(t.Context(), 100)
		if err != nil || len(backups) != 50 || backups[0].Bytes != 54 || backups[49].Bytes != 5 || !backups[0].At.Equal(storetest.Noon.Add(1000*1000*1000)) {
			t.Errorf("known are %d, %+v, %v", len(backups), backups[:1], err)
		}
	})
}
