package host

import (
	"bytes"
	"context"

	"sett/internal/sett/repo"
)

// mostTraced is how many versions of a file are compared at most, to find who changed a line.
const mostTraced = 20

// mostCompared bounds how many lines of two versions are compared with each other, after what they have in common at both ends.
const mostCompared = 1_500

// traced finds who changed lines of a file last, for hosts that do not say. It takes the commits that touched the file, newest first, and
// follows each line back from version to version, until one does not have it. It takes the history of the file for a line, so that of two
// branches which changed it at the same time, the newer commit may be named. Lines that are older than what was looked at are left out.
func traced(ctx context.Context, h Host, history []repo.Commit, complete bool, sha, path string, from, to int) (blamed []repo.Blamed, err error) {
	if len(history) > mostTraced {
		history, complete = history[:mostTraced], false
	}
	text, err := h.File(ctx, sha, path)
	if err != nil {
		return nil, err
	}
	lines := bytes.Split(text, []byte("\n"))
	where := map[int]int{} // line that was asked for → the same line in the version that is looked at, from 0
	for n := max(from, 1); n <= to && n <= len(lines); n++ {
		where[n] = n - 1
	}
	found := map[int]repo.Commit{}
	for i, c := range history {
		last := i == len(history)-1
		if last && !complete || len(where) == 0 {
			break
		}
		var older [][]byte
		if !last {
			text, err := h.File(ctx, history[i+1].SHA, path)
			switch {
			case err == nil:
				older = bytes.Split(text, []byte("\n"))
			case KindOf(err) != NotFound: // otherwise it was deleted, and came again
				return nil, err
			}
		}
		same, sure := kept(older, lines)
		for n, at := range where {
			before, ok := same[at]
			if ok {
				where[n] = before
				continue
			}
			if delete(where, n); sure {
				found[n] = c
			}
		}
		lines = older
	}
	for n := from; n <= to; n++ {
		c, ok := found[n]
		if !ok {
			continue
		}
		if end := len(blamed) - 1; end >= 0 && blamed[end].To == n-1 && blamed[end].Commit.SHA == c.SHA {
			blamed[end].To = n
			continue
		}
		blamed = append(blamed, repo.Blamed{From: n, To: n, Commit: c})
	}
	return blamed, nil
}

// kept returns which lines of a version were in the one before it, by their numbers from 0: those of a longest common subsequence. It is not
// sure of the others when too much is different.
func kept(before, after [][]byte) (same map[int]int, sure bool) {
	same = map[int]int{}
	start := 0
	for start < len(before) && start < len(after) && bytes.Equal(before[start], after[start]) {
		same[start] = start
		start++
	}
	a, b := len(before), len(after)
	for a > start && b > start && bytes.Equal(before[a-1], after[b-1]) {
		a, b = a-1, b-1
		same[b] = a
	}
	x, y := before[start:a], after[start:b]
	if len(before) > 0 && (len(x) > mostCompared || len(y) > mostCompared) {
		return same, false
	}
	longest := make([][]int16, len(x)+1) // of what is behind each pair of lines
	for i := range longest {
		longest[i] = make([]int16, len(y)+1)
	}
	for i := len(x) - 1; i >= 0; i-- {
		for j := len(y) - 1; j >= 0; j-- {
			if bytes.Equal(x[i], y[j]) {
				longest[i][j] = longest[i+1][j+1] + 1
			} else {
				longest[i][j] = max(longest[i+1][j], longest[i][j+1])
			}
		}
	}
	for i, j := 0, 0; i < len(x) && j < len(y); {
		switch {
		case bytes.Equal(x[i], y[j]):
			same[start+j] = start + i
			i, j = i+1, j+1
		case longest[i+1][j] >= longest[i][j+1]:
			i++
		default:
			j++
		}
	}
	return same, true
}
