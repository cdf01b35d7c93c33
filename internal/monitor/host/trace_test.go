package host

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett/repo"
)

// versions is a host of one file, by commit; a commit without one has deleted it.
type versions struct {
	Host
	texts map[string]string
}

func (v versions) File(_ context.Context, sha, _ string) ([]byte, error) {
	if text, ok := v.texts[sha]; ok {
		return []byte(text), nil
	}
	return nil, &Error{Kind: NotFound, text: "There is no such file."}
}

func TestLinesAreFollowedThroughVersions(t *testing.T) {
	t.Parallel()
	long := func(word string) string { return strings.Repeat(word+"\n", mostCompared+1) }
	for _, c := range []struct {
		name     string
		versions []string // newest first; "" for one without the file
		complete bool
		from, to int
		want     []string // lines and the number of the commit, 1 for the oldest
	}{
		{"a line that is new", []string{"a\nx\nb\n", "a\nb\n"}, true, 1, 3, []string{"1-1 c1", "2-2 c2", "3-3 c1"}},
		{"a line that moves", []string{"new\na\nb\nc\n", "b\nc\na\n", "a\nb\nc\n"}, true, 2, 4, []string{"2-2 c3", "3-4 c1"}},
		{"a file that came again", []string{"a\n", "", "a\n"}, true, 1, 1, []string{"1-1 c3"}},
		{"a history that is cut off", []string{"a\nx\n", "a\n"}, false, 1, 2, []string{"2-2 c2"}},
		{"too much that is different", []string{"a\n" + long("x"), "a\n" + long("y")}, true, 1, 2, []string{"1-1 c1"}},
		{"a long file that is new", []string{long("x")}, true, 1, 2, []string{"1-2 c1"}},
		{"lines behind the end", []string{"a\n"}, true, 9, 12, nil},
	} {
		v := versions{texts: map[string]string{}}
		var history []repo.Commit
		for i, text := range c.versions {
			sha := fmt.Sprintf("c%d", len(c.versions)-i)
			if history = append(history, repo.Commit{SHA: sha}); text != "" {
				v.texts[sha] = text
			}
		}
		blamed, err := traced(t.Context(), v, history, c.complete, history[0].SHA, "a", c.from, c.to)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, b := range blamed {
			got = append(got, fmt.Sprintf("%d-%d %s", b.From, b.To, b.Commit.SHA))
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}
