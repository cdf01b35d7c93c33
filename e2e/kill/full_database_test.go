package kill

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"testing"

	"sett/e2e/rig"
)

// TestDeletingLeadsOutOfAFullDisk fills the disk of an SQLite database with notices. While they are refused, the server says so, and users can
// delete errors; then notices are accepted again, without a restart, or after the server was killed while the disk was full.
func TestDeletingLeadsOutOfAFullDisk(t *testing.T) {
	for name, kills := range map[string]bool{"goes on": false, "is killed": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data := t.TempDir()
			rig.NewRAMDisk(t, data, "64")
			s := rig.PrepareIn(t, data, "")
			s.Restart(t)
			stored := fillWithNotices(t, s)
			for _, path := range []string{"/readyz", "/readyz/reports"} {
				if answer := rig.Get(t, s.Base+path); answer.StatusCode != http.StatusServiceUnavailable {
					t.Errorf("%s answers %d while notices are refused", path, answer.StatusCode)
				}
			}
			if kills {
				s.Kill()
				s.Restart(t)
			}
			if n := readNumber(t, s, "", `SELECT count(*) FROM notices`); n < stored {
				t.Errorf("%d notices are stored, but %d were accepted", n, stored)
			}
			for range 2 {
				s.Manage(t).Do(http.MethodPost, s.Project()+"/faults/bulk?q=", map[string]string{"action": "delete"}, http.StatusOK)
				rig.Await(t, "the server is ready", func() bool { return rig.Get(t, s.Base+"/readyz").StatusCode == http.StatusOK })
				fillWithNotices(t, s)
			}
			s.Stop(t)
		})
	}
}

// fillWithNotices sends notices that cannot be compressed until they are refused, and returns how many were accepted: some.
func fillWithNotices(t testing.TB, s *rig.Server) (accepted int64) {
	t.Helper()
	for refused := 0; refused < 50; {
		random := make([]byte, 16<<10)
		_, _ = rand.Read(random) // it never fails
		body := fmt.Sprintf(`{"error":{"class":"E%d"},"request":{"context":{"text":"%x"}}}`, accepted%100, random)
		switch answer := postNotice(t, s, body); answer.StatusCode {
		case http.StatusCreated:
			accepted++
		case http.StatusServiceUnavailable:
			refused++
		default:
			t.Fatalf("a notice is answered %s", answer.Status)
		}
	}
	if accepted == 0 {
		t.Error("no notice is accepted")
	}
	return accepted
}
