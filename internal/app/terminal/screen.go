// Package terminal writes what a server answered. In go rows with their columns, and how they are wanted; out come tables and lines for people, with
// colours and a pager only on a terminal, or JSON, JSON lines and CSV with the same fields for programs. It asks no server, and no text of
// a server reaches a terminal with characters that act on it.
package terminal

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"golang.org/x/term"
)

// Screen is where a command writes for people.
type Screen struct {
	out           io.Writer
	width, height int // of a terminal; 0 for anything else
	colours       bool
	pager         string // shell command; "" for none
	environ       []string
	now           time.Time
	text          bytes.Buffer
}

// usualPager is the command that shows long output if PAGER names none. It ends at once where all fits on a screen.
const usualPager = "less"

// Open returns the screen of an output. The variables NO_COLOR, TERM and PAGER are those of environ.
func Open(out io.Writer, environ []string, now time.Time, paged bool) *Screen {
	s := &Screen{out: out, environ: environ, now: now}
	file, ok := out.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return s
	}
	var err error
	if s.width, s.height, err = term.GetSize(int(file.Fd())); err != nil || s.width < 1 {
		s.width, s.height = 80, 24
	}
	s.colours = s.variable("NO_COLOR") == "" && s.variable("TERM") != "dumb"
	if _, err := exec.LookPath("sh"); err == nil && paged {
		s.pager = usualPager
		if named, is := s.lookup("PAGER"); is {
			s.pager = named
		} else if _, err := exec.LookPath(usualPager); err != nil {
			s.pager = ""
		}
	}
	return s
}

func (s *Screen) lookup(name string) (value string, is bool) {
	for _, pair := range s.environ {
		if v, ok := strings.CutPrefix(pair, name+"="); ok {
			value, is = v, true
		}
	}
	return value, is
}

func (s *Screen) variable(name string) string {
	value, _ := s.lookup(name)
	return value
}

// Close shows what was written, in the pager if it is longer than the terminal.
func (s *Screen) Close() error {
	if s.pager == "" || s.pager == "cat" || bytes.Count(s.text.Bytes(), []byte("\n")) < s.height {
		_, err := s.out.Write(s.text.Bytes())
		return err
	}
	shell := exec.Command("sh", "-c", s.pager)
	shell.Stdin, shell.Stdout, shell.Stderr = bytes.NewReader(s.text.Bytes()), s.out, os.Stderr
	shell.Env = s.environ
	if _, is := s.lookup("LESS"); !is {
		shell.Env = append(shell.Env, "LESS=FRX") // with colours, and without clearing the screen
	}
	if err := shell.Run(); err != nil {
		return fmt.Errorf("the pager %q failed: %w; set PAGER to another command, or add --no-pager", s.pager, err)
	}
	return nil
}

// paint returns text in a colour of ANSI, where there are colours.
func (s *Screen) paint(colour, text string) string {
	if !s.colours || colour == "" || text == "" {
		return text
	}
	return "\x1b[" + colour + "m" + text + "\x1b[0m"
}

// The colours that are used, as parameters of the sequence that selects one.
const (
	bold   = "1"
	dim    = "2"
	red    = "31"
	green  = "32"
	yellow = "33"
)

// colourOf is the colour of a state.
func colourOf(state string) string {
	switch state {
	case "open", "down", "missing", "failing", "failed", "worse":
		return red
	case "up", "reporting", "resolved", "verified", "better":
		return green
	case "paused", "pending", "too_early":
		return yellow
	case "ignored":
		return dim
	}
	return ""
}
