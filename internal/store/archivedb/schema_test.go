package archivedb_test

import (
	"flag"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sett/internal/store/storetest"
)

var update = flag.Bool("update", false, "write the schema that the manual publishes")

// The schema that the manual publishes is that of the records.
func TestSchema(t *testing.T) {
	t.Parallel()
	const file = "../../../docs/export.schema.json"
	s := storetest.OpenSQLite(t)
	text, err := s.Archive.Schema(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	text = append(text, '\n')
	if *update {
		if err := os.WriteFile(file, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	published, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(published), string(text)); diff != "" {
		t.Errorf("docs/export.schema.json is not that of the records; run go test ./internal/store/archivedb -run Schema -update (-published +records):\n%s", diff)
	}
}
