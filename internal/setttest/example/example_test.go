package example_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"sett/internal/setttest/example"
)

const page = "# A page\n\nText with `code`.\n\n    indented line\n    another\n\n## Two\n\n- an item\n\n  ```sh\n  echo in an item\n  ```\n\n```json\n{}\n```\n\n" +
	"```sh\ncat <<END\n    kept\nEND\n```\n"

func TestBlocks(t *testing.T) {
	t.Parallel()
	want := []example.Block{
		{Part: "A page", Line: 5, Text: "indented line\nanother\n"},
		{Part: "Two", Line: 13, Language: "sh", Text: "echo in an item\n"},
		{Part: "Two", Line: 17, Language: "json", Text: "{}\n"},
		{Part: "Two", Line: 21, Language: "sh", Text: "cat <<END\n    kept\nEND\n"},
	}
	if diff := cmp.Diff(want, example.Blocks([]byte(page))); diff != "" {
		t.Errorf("blocks (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"echo in an item\n", "cat <<END\n    kept\nEND\n"}, example.Shell([]byte(page))); diff != "" {
		t.Errorf("blocks for a shell (-want +got):\n%s", diff)
	}
}
