package main

import (
	"bytes"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"sett/internal/app"
	"sett/internal/base/progress"
)

// heard is what was written so far.
type heard struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (h *heard) Write(b []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.text.Write(b)
}

func (h *heard) has(text string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return strings.Contains(h.text.String(), text)
}

// A command that works on an installation says how far long work is.
func TestCommandsShowProgress(t *testing.T) {
	t.Parallel()
	var errors heard
	cmd := &cobra.Command{RunE: onInstallation(nil, func(cmd *cobra.Command, _ app.Config) error {
		step := progress.Begin(cmd.Context(), "changing the schema of the database", progress.Changes, 90)
		defer step.End()
		for end := time.Now().Add(time.Minute); !errors.has("changing the schema of the database") && time.Now().Before(end); {
			time.Sleep(10 * time.Millisecond)
		}
		return nil
	})}
	cmd.SetErr(&errors)
	cmd.SetArgs(nil)
	if err := cmd.ExecuteContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !errors.has("changing the schema of the database") {
		t.Error("nothing is shown")
	}
}
