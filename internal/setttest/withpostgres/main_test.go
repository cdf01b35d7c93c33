package main

import "testing"

func TestRun(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		dsn    string
		args   []string
		status int
		fails  bool
	}{
		"success":           {"postgres:///x", []string{"true"}, 0, false},
		"status is kept":    {"postgres:///x", []string{"sh", "-c", "exit 3"}, 3, false},
		"ended by a signal": {"postgres:///x", []string{"sh", "-c", "kill -9 $$"}, 1, false},
		"given address":     {"postgres:///x", []string{"sh", "-c", `test "$SETT_TEST_POSTGRES" = postgres:///x`}, 0, false},
		"its own cluster":   {"", []string{"sh", "-c", `case "$SETT_TEST_POSTGRES" in postgres://sett@/postgres?host=*) ;; *) exit 4;; esac`}, 0, false},
		"no such command":   {"postgres:///x", []string{"/no/such/command"}, 1, true},
		"no command":        {"", nil, 2, true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			status, err := run(tt.args, tt.dsn)
			if status != tt.status || (err != nil) != tt.fails {
				t.Errorf("run = %d, %v; want %d, error: %v", status, err, tt.status, tt.fails)
			}
		})
	}
}
