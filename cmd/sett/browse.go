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
	u, ok := pageAddress(address)
	if !ok {
		return fmt.Errorf("the server has no address of a page for this: %q", address)
	}
	if openPage(environ, u) {
		return sentence(cmd, "Opened %s", u)
	}
	return sentence(cmd, "%s", u)
}

// pageAddress reads the address of a page; others, which a system may take for a program, are none.
func pageAddress(text string) (u *url.URL, ok bool) {
	u, err := url.Parse(text)
	return u, err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != ""
}

// openPage opens an address in the browser, and reports whether that worked.
func openPage(environ []string, u *url.URL) bool {
	program := browserOf(environ)
	if program == nil {
		return false
	}
	opened := exec.Command(program[0], append(program[1:], u.String())...)
	opened.Env = environ
	return opened.Run() == nil
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
