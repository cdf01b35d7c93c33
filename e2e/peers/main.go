// Command peers measures sett and other error trackers on one machine in one run: the same events, as fast as each accepts them, until
// all of them are stored. It also ends each with kill -9 under load, and counts the accepted events that are missing after a restart.
// Run it in e2e:
//
//	nice go run ./peers
//
// It needs Linux, Python 3.10 or later with venv, and PyPI. Everything else stays on the loopback interface. Everything is in a temporary
// directory, which it removes.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := measureAll(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

// measureAll measures all products turn by turn and prints the figures.
func measureAll(ctx context.Context, args []string) (err error) {
	flags := flag.NewFlagSet("peers", flag.ContinueOnError)
	var s settings
	flags.IntVar(&s.events, "events", 10_000, "how many events are in a burst")
	flags.IntVar(&s.connections, "connections", 64, "how many connections send them")
	rounds := flags.Int("rounds", 3, "how many times each product is measured")
	python := flags.String("python", "python3", "the Python that makes the environment of Bugsink")
	output := flags.String("markdown", "", "a file to which the table is written as Markdown")
	install := flags.String("install", "", "a directory in which products are installed, and found by later runs; empty for a temporary one")
	if err := flags.Parse(args); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "sett-peers-")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("%w (the data and logs are in %s)", err, dir)
			return
		}
		err = os.RemoveAll(dir)
	}()
	if *install == "" {
		*install = filepath.Join(dir, "install")
	}
	if err := os.MkdirAll(*install, 0o755); err != nil {
		return err
	}
	products := []product{&settProduct{}, &bugsink{python: *python}}
	var names []string
	for _, p := range products {
		if err := p.install(ctx, *install); err != nil {
			return fmt.Errorf("install: %w", err)
		}
		names = append(names, p.name())
	}
	of := map[string][]figures{}
	for round := range *rounds {
		for _, p := range products {
			fmt.Printf("%s round %d: %s, load average %s\n", time.Now().Format(time.TimeOnly), round+1, p.name(), loadAverage())
			f, err := s.measure(ctx, p, dir, uint64(2*round))
			if err != nil {
				return fmt.Errorf("%s: %w", p.name(), err)
			}
			fmt.Println("  " + summary(f))
			of[p.name()] = append(of[p.name()], f)
		}
	}
	fmt.Printf("\n%s: %d events, %d connections, %d rounds, %d cores; medians\n", time.Now().Format("2 January 2006"), s.events, s.connections, *rounds, runtime.NumCPU())
	if *output != "" {
		err = writeMarkdown(*output, func(w io.Writer) { markdown(w, names, of) })
	}
	return errors.Join(err, printTable(os.Stdout, names, of))
}

func writeMarkdown(name string, write func(io.Writer)) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	write(f)
	return f.Close()
}

// loadAverage is that of the last minute: what else runs on the machine.
func loadAverage() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	first, _, _ := strings.Cut(string(text), " ")
	return first
}
