package api_test

import (
	"net/http"
	"testing"
	"time"

	"sett/internal/setttest"
)

// series returns the rows of a series that are not zero, by their time, and checks that all stand in a row.
func series(t *testing.T, c *setttest.Client, path string, rows int, width time.Duration) map[int64]int64 {
	t.Helper()
	var got [][2]int64
	c.Get(path).Into(&got)
	if len(got) != rows {
		t.Fatalf("%s: %d rows, want %d", path, len(got), rows)
	}
	counts := map[int64]int64{}
	for i, row := range got {
		if i > 0 && row[0]-got[i-1][0] != int64(width/time.Second) {
			t.Errorf("%s: row %d begins %d s after the one before", path, i, row[0]-got[i-1][0])
		}
		if row[1] != 0 {
			counts[row[0]] = row[1]
		}
	}
	return counts
}

func TestOccurrencesOfProjects(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		second := createProject(t, s.Client, "Second")
		stranger := s.AddStranger(t, "stranger@example.test")
		theirs := createProject(t, stranger, "Theirs")
		for _, n := range []struct{ key, environment string }{
			{s.Setup.APIKey, "production"},
			{s.Setup.APIKey, "production"},
			{s.Setup.APIKey, "staging"},
			{second.Token, "production"},
			{theirs.Token, "production"},
		} {
			report(s.Client, n.key, "Boom", n.environment).Want(http.StatusCreated)
		}
		s.Clock.Push(time.Hour)
		report(s.Client, second.Token, "Boom", "production").Want(http.StatusCreated)
		now := s.Clock.Now()
		sum := func(c *setttest.Client, path string, rows int, width time.Duration) (total, last int64) {
			counts := series(t, c, path, rows, width)
			for _, n := range counts {
				total += n
			}
			return total, counts[now.Truncate(width).Unix()]
		}
		first := projectPath(s.Setup.ProjectID, "/occurrences")
		for _, c := range []struct {
			client      *setttest.Client
			path        string
			rows        int
			width       time.Duration
			total, last int64
		}{
			{s.Client, "/v2/projects/occurrences", 60, time.Minute, 1, 1},
			{s.Client, "/v2/projects/occurrences?period=hour", 60, time.Minute, 1, 1},
			{s.Client, "/v2/projects/occurrences?period=day", 24, time.Hour, 5, 1},
			{s.Client, "/v2/projects/occurrences?period=week", 7, 24 * time.Hour, 5, 5},
			{s.Client, "/v2/projects/occurrences?period=month&environment=", 30, 24 * time.Hour, 5, 5},
			{s.Client, "/v2/projects/occurrences?period=day&environment=production", 24, time.Hour, 4, 1},
			{s.Client, "/v2/projects/occurrences?period=day&environment=nowhere", 24, time.Hour, 0, 0},
			{stranger, "/v2/projects/occurrences?period=day", 24, time.Hour, 1, 0},
			{s.Client, first, 60, time.Minute, 0, 0},
			{s.Client, first + "?period=day", 24, time.Hour, 3, 0},
			{s.Client, first + "?period=week&environment=staging", 7, 24 * time.Hour, 1, 1},
			{s.Client, projectPath(second.ID, "/occurrences?period=month"), 30, 24 * time.Hour, 2, 2},
		} {
			if total, last := sum(c.client, c.path, c.rows, c.width); total != c.total || last != c.last {
				t.Errorf("%s: %d notices, %d in the last row; want %d and %d", c.path, total, last, c.total, c.last)
			}
		}
		for _, path := range []string{"/v2/projects/occurrences?period=year", first + "?period=year"} {
			if text := s.Do("GET", path, nil).Want(http.StatusUnprocessableEntity).Errors(); text != "Please correct: period must be one of hour, day, week, month." {
				t.Errorf("%s: %q", path, text)
			}
		}
		s.Do("GET", projectPath(theirs.ID, "/occurrences"), nil).Want(http.StatusNotFound)
	})
}
