package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"sett/internal/app"
	"sett/internal/base/progress"
)

// grace is how long requests that run may take to finish after the first signal.
const grace = 30 * time.Second

// garbage is how much a server allocates before the next garbage collection, in percent of what is in use then, unless GOGC says otherwise. Go's
// own value, 100, takes 10 MB more at full load, for 1 % less CPU time.
const garbage = 75

func serveCommand(environ []string) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Run the server",
		Long:  "Run the server until SIGTERM or SIGINT. It then accepts no new connections, finishes running requests and exits with\nstatus 0. A second signal stops it immediately.",
		Example: "  sett serve\n  sett serve --data /var/lib/sett --listen :8080 --base-url https://sett.example.org\n" +
			"  sett serve --database postgres://sett@db.example.org/sett --base-url https://sett.example.org",
		Args:    noArguments,
		PreRunE: onServer,
		RunE: withConfig(environ, func(cmd *cobra.Command, cfg app.Config) error {
			ctx, release := untilSignal(cmd.Context(), cmd.ErrOrStderr())
			defer release()
			return serve(ctx, cfg, newLogger(cfg, cmd.ErrOrStderr()))
		}),
	}
	addFlags(cmd, ofServer...)
	return cmd
}

// onServer refuses systems on which servers are not supported (decision 77).
func onServer(*cobra.Command, []string) error { return noServer(runtime.GOOS) }

func noServer(system string) error {
	if system == "windows" {
		return errors.New("servers do not run on Windows; run this on Linux or macOS, or in the Windows Subsystem for Linux. On Windows, use sett agent and sett run")
	}
	return nil
}

// serve runs the server until ctx ends or its listener dies.
func serve(ctx context.Context, cfg app.Config, log *slog.Logger) error {
	collectSooner()
	starting, started := progress.Log(ctx, log)
	a, err := app.Begin(starting, cfg, log)
	started()
	if err != nil && ctx.Err() != nil {
		return nil // stopped while starting
	}
	if err != nil {
		return err
	}
	died := a.Start()
	if died == nil {
		a.ReleaseMemory(ctx)
		unmapProgram()
		select {
		case <-ctx.Done():
			log.Info("sett is stopping, and finishes running requests", "grace_ms", grace.Milliseconds())
		case died = <-a.Err():
		}
	}
	limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	return errors.Join(died, a.Stop(limit))
}

// collectSooner sets how much garbage there may be, unless GOGC does.
func collectSooner() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(garbage)
	}
}

// untilSignal returns a context that ends with the first SIGTERM or SIGINT. A second one ends the process with status
// 1, whatever it is doing, until release is called.
func untilSignal(ctx context.Context, stderr io.Writer) (_ context.Context, release func()) {
	ctx, cancel := context.WithCancel(ctx)
	signals, released := make(chan os.Signal, 2), make(chan struct{})
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT)
	go func() {
		for range 2 {
			select {
			case <-signals:
			case <-released:
				return
			}
			if ctx.Err() != nil {
				fmt.Fprintln(stderr, "sett: second signal, stopping immediately")
				os.Exit(1)
			}
			cancel()
		}
	}()
	return ctx, func() { signal.Stop(signals); close(released); cancel() }
}
