package test

import (
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
)

// The program for arm64 creates an account, serves and takes an error.
func TestProgramForARM64Runs(t *testing.T) {
	t.Parallel()
	c := container{env: append(os.Environ(), "SETT_DATA="+t.TempDir())}
	if runtime.GOARCH != "arm64" {
		emulator, err := exec.LookPath("qemu-aarch64-static")
		if err != nil {
			t.Skip("install qemu-user-static: it runs the program for arm64")
		}
		c.by = []string{emulator}
	}
	sett := unpackProgram(t, "arm64")
	if out, err := c.run(sett, "version"); err != nil || !strings.HasPrefix(out, "sett "+version+"\n") {
		t.Errorf("the program says %q: %v", out, err)
	}
	c.serves(t, sett, "serve")
}
