package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sett/internal/app/operate"
)

// warnings starts and stops a server and returns the command of each warning that it logged.
func warnings(t *testing.T, data string) (commands []string) {
	t.Helper()
	var log bytes.Buffer
	cfg := Config{Data: data, Listen: "127.0.0.1:0"}
	a, err := New(t.Context(), cfg, slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn})))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(a.Start(), a.Stop(context.WithoutCancel(t.Context()))); err != nil {
		t.Fatal(err)
	}
	for lines := json.NewDecoder(&log); ; {
		var line struct{ Command string }
		switch err := lines.Decode(&line); {
		case err == io.EOF:
			return commands
		case err != nil:
			t.Fatal(err)
		}
		commands = append(commands, line.Command)
	}
}

func TestStartSaysHowToMakeTheFirstAccount(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	if diff := cmp.Diff([]string{"sett setup --data " + data}, warnings(t, data)); diff != "" {
		t.Errorf("without an account (-want +got):\n%s", diff)
	}
	o := operate.SetupOptions{Email: "olga@example.test", Name: "Olga", Account: "Acme", Project: "Shop"}
	if _, err := operate.Setup(t.Context(), Config{Data: data}.Installation(), o); err != nil {
		t.Fatal(err)
	}
	if got := warnings(t, data); len(got) > 0 {
		t.Errorf("with an account: %q", got)
	}
}
