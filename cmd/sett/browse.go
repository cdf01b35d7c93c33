package main

import (
	"fmt"
	"net/url"
	"os/exec"
	"runtime"
	"strings"

	"github.com/spf13/cobra"
)

// browse opens a page in the browser, or prints its address where no browser can be opened.
func browse(cmd *cobra.Command, environ []string, address string) error {
	u, err := url.Parse(address)
	if err != nil || (u.Scheme != "https" && u.Scheme != "http") || u.Host == "" {
		return fmt.Errorf("the server has no address of a page for this: %q", address)
	}
	if program := browserOf(environ); program != nil {
		opened := exec.Command(program[0], append(program[1:], u.String())...)
		opened.Env = environ
		if err := opened.Run(); err == nil {
			return sentence(cmd, "Opened %s", u)
		}
	}
	return sentence(cmd, "%s", u)
}

// browserOf returns the program that opens pages; nil for none.
func browserOf(environ []string) []string {
	if named := ofVariable(environ, "BROWSER"); named != "" {
		return strings.Fields(named)
	}
	switch runtime.GOOS {
	case "darwin":
		return []string{"open"}
	case "windows":
		return []string{"rundll32", "url.dll,FileProtocolHandler"}
	}
	if ofVariable(environ, "DISPLAY") == "" && ofVariable(environ, "WAYLAND_DISPLAY") == "" {
		return nil
	}
	return []string{"xdg-open"}
}
