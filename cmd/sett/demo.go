package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"time"

	"github.com/spf13/cobra"

	"sett/internal/app"
	"sett/internal/base/progress"
)

func demoCommand(environ []string) *cobra.Command {
	o := app.DemoOptions{}
	now := ""
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Run a server with sample data",
		Long: "Run a server with sample data of a fictional company, until SIGTERM or SIGINT. It prints a link that signs you in as the\n" +
			"owner. You can also sign in as " + app.DemoEmail + " with the password " + app.DemoPassword + ".\n" +
			"The same --seed, --now and --scale produce the same data. A demo checks no sites and sends no notifications. Its data\nis deleted when it ends, unless you set --data.",
		Example: "  sett demo\n  sett demo --live\n  sett demo --seed 7 --now 2026-11-18T12:00:00Z --listen 127.0.0.1:0",
		Args:    noArguments,
		PreRunE: onServer,
		RunE: withConfig(environ, func(cmd *cobra.Command, cfg app.Config) (err error) {
			if o.Now, err = readNow(now); err != nil {
				return err
			}
			ctx, release := untilSignal(cmd.Context(), cmd.ErrOrStderr())
			defer release()
			return serveDemo(ctx, cfg, o, cmd.OutOrStdout(), cmd.ErrOrStderr())
		}),
	}
	cmd.Flags().Uint64Var(&o.Seed, "seed", 1, "seed of the random data")
	cmd.Flags().StringVar(&now, "now", "", "time at which the clock stands still, such as 2026-11-18T12:00:00Z (default: the clock runs)")
	cmd.Flags().IntVar(&o.Scale, "scale", 1, "amount of data, in multiples of 60,000 events and 1,000 errors")
	cmd.Flags().BoolVar(&o.Live, "live", false, "keep creating events, check-ins, checks and deploys while the clock runs")
	cmd.Flags().StringVar(&o.Data, "data", "", "directory that keeps the data for the next demo with the same options")
	cmd.Flags().BoolVar(&o.Short, "short", false, "create a few days with few events, for tests")
	_ = cmd.Flags().MarkHidden("short")
	addFlags(cmd, "Listening", "HTTPS", "Log")
	return cmd
}

// isLoopback reports whether this machine alone reaches an address.
func isLoopback(address string) bool {
	at, err := netip.ParseAddrPort(address)
	return err == nil && at.Addr().Unmap().IsLoopback()
}

func readNow(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	now, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return time.Time{}, fmt.Errorf("--now=%q is not a time; write one such as 2026-11-18T12:00:00Z", text)
	}
	return now.UTC(), nil
}

// serveDemo shows a demo until ctx ends or its listener dies.
func serveDemo(ctx context.Context, cfg app.Config, o app.DemoOptions, stdout, stderr io.Writer) error {
	log := newLogger(cfg, stderr)
	making, made := progress.Show(ctx, stderr, log)
	d, err := app.NewDemo(making, cfg, o, log)
	made()
	if err != nil && ctx.Err() != nil {
		return nil // stopped while the data was being generated
	}
	if err != nil {
		return err
	}
	died := d.Start()
	if died == nil {
		if !isLoopback(d.Addr()) {
			log.Warn("other machines may reach this demo, and its password is public", "listen", d.Addr(), "hint", "use --listen 127.0.0.1:8080, unless you want to share it")
		}
		fmt.Fprintln(stdout, d.Link())
		select {
		case <-ctx.Done():
		case died = <-d.Err():
		}
	}
	limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	return errors.Join(died, d.Stop(limit))
}
