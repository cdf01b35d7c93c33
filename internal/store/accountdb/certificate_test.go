package accountdb_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/store"
	"sett/internal/store/accountdb"
	"sett/internal/store/storetest"
)

func TestCertificateFiles(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		save := func(name, content string, at time.Time) {
			if err := s.Accounts.SaveCertificateFile(t.Context(), accountdb.CertificateFile{Name: name, Content: []byte(content), ModifiedAt: at}); err != nil {
				t.Fatal(err)
			}
		}
		below := func(dir string, want ...string) {
			t.Helper()
			got, err := s.Accounts.CertificateFilesBelow(t.Context(), dir)
			if diff := cmp.Diff(want, got); diff != "" || err != nil {
				t.Errorf("below %q: %v\n%s", dir, err, diff)
			}
		}
		if _, err := s.Accounts.CertificateFile(t.Context(), "a/b"); sett.CodeOf(err) != sett.NotFound {
			t.Errorf("before there is any: %v", err)
		}
		save("a/b", "old", storetest.Noon)
		save("a/b", "new", storetest.Noon.Add(time.Hour))
		save("a/é/c", "", storetest.Noon)
		save("ab/c", "other", storetest.Noon)
		got, err := s.Accounts.CertificateFile(t.Context(), "a/b")
		if diff := cmp.Diff(accountdb.CertificateFile{Name: "a/b", Content: []byte("new"), ModifiedAt: storetest.Noon.Add(time.Hour)}, got); diff != "" || err != nil {
			t.Errorf("%v\n%s", err, diff)
		}
		below("a", "a/b", "a/é/c")
		below("a/é", "a/é/c")
		below("a/b")
		if err := s.Accounts.DeleteCertificateFiles(t.Context(), "a"); err != nil {
			t.Fatal(err)
		}
		below("", "ab/c")
		if err := s.Accounts.DeleteCertificateFiles(t.Context(), "ab/c"); err != nil {
			t.Fatal(err)
		}
		below("")
	})
}

func TestCertificateLeases(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		for _, step := range []struct {
			holder string
			at     time.Duration
			held   bool
		}{{"one", 0, true}, {"two", 5 * time.Second, false}, {"one", 5 * time.Second, true}, {"two", 16 * time.Second, true}} {
			now := storetest.Noon.Add(step.at)
			held, err := s.Accounts.TakeCertificateLease(t.Context(), "a.example", step.holder, now, now.Add(10*time.Second))
			if err != nil || held != step.held {
				t.Errorf("%+v: %v, %v", step, held, err)
			}
		}
		if err := s.DropLease(t.Context(), accountdb.CertificateLease("a.example"), "two"); err != nil {
			t.Fatal(err)
		}
		now := storetest.Noon.Add(17 * time.Second)
		if held, err := s.Accounts.TakeCertificateLease(t.Context(), "a.example", "three", now, now.Add(time.Second)); err != nil || !held {
			t.Errorf("after it was dropped: %v, %v", held, err)
		}
	})
}
