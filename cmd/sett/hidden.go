//go:build linux || darwin

package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"
)

// hiddenLine asks for a secret on a terminal, which does not show what is typed. Interrupted, it shows what is typed again and ends the program.
func hiddenLine(cmd *cobra.Command, prompt string) (string, error) {
	file, ok := cmd.InOrStdin().(*os.File)
	if !ok {
		return firstLine(cmd, "the secret", prompt)
	}
	fd := int(file.Fd()) //nolint:gosec // a descriptor fits
	before, err := unix.IoctlGetTermios(fd, getTerminal)
	if err != nil {
		return firstLine(cmd, "the secret", prompt)
	}
	silent := *before
	silent.Lflag &^= unix.ECHO
	if err := unix.IoctlSetTermios(fd, setTerminal, &silent); err != nil {
		return firstLine(cmd, "the secret", prompt)
	}
	restore := func() { _ = unix.IoctlSetTermios(fd, setTerminal, before) }
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt, syscall.SIGTERM)
	done := make(chan struct{})
	go func() {
		select {
		case <-interrupted:
			restore()
			os.Exit(130)
		case <-done:
		}
	}()
	defer func() {
		signal.Stop(interrupted)
		close(done)
		restore()
		fmt.Fprintln(cmd.ErrOrStderr())
	}()
	fmt.Fprint(cmd.ErrOrStderr(), prompt+" (hidden): ")
	line, err := bufio.NewReader(file).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("read the secret from the terminal: %w", err)
	}
	return strings.TrimRight(line, "\r\n"), nil
}
