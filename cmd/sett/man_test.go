package main

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// The manual page has every command, and man can read it.
func TestManualPage(t *testing.T) {
	t.Parallel()
	status, page, stderr := try(nil, "man")
	if status != 0 || stderr != "" || !strings.HasPrefix(page, ".TH SETT 1 ") {
		t.Fatalf("status %d, stderr %q, %.200s", status, stderr, page)
	}
	eachCommand(rootCommand(nil), func(cmd *cobra.Command) {
		if !strings.Contains(page, ".SS "+roff(useOf(cmd))+"\n") {
			t.Errorf("%s is not in the page", cmd.CommandPath())
		}
	})
	if got, want := roff(".x\n'y a-b\\c\n  z"), "\\&.x\n\\&'y a\\-b\\ec\n.br\n  z"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	groff, err := exec.LookPath("groff")
	if err != nil {
		t.Skip("groff is missing: only the texts of the page were compared")
	}
	cmd := exec.Command(groff, "-man", "-ww", "-z")
	cmd.Stdin = strings.NewReader(page)
	if said, err := cmd.CombinedOutput(); err != nil || len(said) > 0 {
		t.Errorf("groff: %v: %.500s", err, said)
	}
}
