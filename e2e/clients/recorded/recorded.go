// Package recorded has the requests of programs that no registry serves as modules, such as hb: for each command or tool what it sends, and
// what it must be able to read of the answer. The files are written by hand from the sources of these programs, and played by TestPrograms in
// e2e/clients. The package sends nothing.
package recorded

import (
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
)

//go:embed *.txt
var files embed.FS

// Program is what one version of a program does.
type Program struct {
	Name     string   // with its version
	Auth     string   // "basic" or "bearer"
	Commands []string // all that it has
	Objects  map[string][]string
	Plays    []Play
}

// Play is a command or tool, with what it sends. That of "before" prepares a server, and is no command.
type Play struct {
	Command string
	Calls   []Call
}

// Call is a request and what is expected of its answer. {names} stand for values that an earlier answer had.
type Call struct {
	Line               int
	Method, Path, Body string
	Status             int
	Reads              string            // the type that the program decodes; "" : none
	Has                []string          // where the answer must have a value, such as results.0.id
	Keeps              map[string]string // name to where its value is
}

// Before is the name of the play that prepares a server.
const Before = "before"

// Programs returns all recorded programs.
func Programs() (all []Program, err error) {
	names, err := fs.Glob(files, "*.txt")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		text, err := files.ReadFile(name)
		if err != nil {
			return nil, err
		}
		p, err := parse(string(text))
		if err != nil {
			return nil, fmt.Errorf("%s:%w", name, err)
		}
		all = append(all, p)
	}
	return all, nil
}

// parse reads a file: lines about the program, then each command, with its requests below it by two spaces, and what is expected of an answer
// below its request by four.
func parse(text string) (p Program, err error) {
	p.Objects = map[string][]string{}
	number := 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimRight(line, "\n")
		words := strings.Fields(line)
		switch indent := len(line) - len(strings.TrimLeft(line, " ")); {
		case len(words) == 0 || words[0] == "#":
		case indent == 0:
			p.head(words)
		case indent == 2 && len(p.Plays) > 0:
			err = p.request(number, words)
		case indent == 4 && len(p.Plays) > 0 && len(p.Plays[len(p.Plays)-1].Calls) > 0:
			err = p.answer(words)
		default:
			err = fmt.Errorf("%q stands nowhere", line)
		}
		if err != nil {
			return p, fmt.Errorf("%d: %w", number, err)
		}
	}
	return p, nil
}

func (p *Program) head(words []string) {
	switch words[0] {
	case "program:":
		p.Name = strings.Join(words[1:], " ")
	case "auth:":
		p.Auth = words[1]
	case "commands:":
		for command := range strings.SplitSeq(strings.Join(words[1:], " "), ",") {
			p.Commands = append(p.Commands, strings.TrimSpace(command))
		}
	case "object:":
		p.Objects[words[1]] = words[2:]
	default:
		p.Plays = append(p.Plays, Play{Command: strings.Join(words, " ")})
	}
}

func (p *Program) request(line int, words []string) error {
	if len(words) < 2 {
		return fmt.Errorf("a request has a method and a path")
	}
	play := &p.Plays[len(p.Plays)-1]
	play.Calls = append(play.Calls, Call{Line: line, Method: words[0], Path: words[1], Body: strings.Join(words[2:], " "), Keeps: map[string]string{}})
	return nil
}

func (p *Program) answer(words []string) (err error) {
	play := &p.Plays[len(p.Plays)-1]
	c := &play.Calls[len(play.Calls)-1]
	if c.Status, err = strconv.Atoi(words[0]); err != nil {
		return err
	}
	for i, word := range words[1:] {
		switch name, where, keeps := strings.Cut(word, "="); {
		case keeps:
			c.Keeps[name], c.Has = where, append(c.Has, where)
		case i == 0 && word != "-":
			c.Reads = word
		case i > 0:
			c.Has = append(c.Has, word)
		}
	}
	return nil
}

// Differences lists commands that no play has, and plays that are no command.
func (p Program) Differences() (wrong []string) {
	for _, c := range p.Commands {
		if !slices.ContainsFunc(p.Plays, func(play Play) bool { return play.Command == c }) {
			wrong = append(wrong, c+" has no request")
		}
	}
	for _, play := range p.Plays {
		if play.Command != Before && !slices.Contains(p.Commands, play.Command) {
			wrong = append(wrong, play.Command+" is no command of "+p.Name)
		}
	}
	return wrong
}
