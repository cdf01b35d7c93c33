package main

import (
	"context"

	"github.com/spf13/cobra"

	"sett/internal/app"
	"sett/internal/base/progress"
)

// showing returns a context in which long work says on standard error how far it is. Call ended before anything is printed.
func showing(ctx context.Context, cmd *cobra.Command, cfg app.Config) (_ context.Context, ended func()) {
	return progress.Show(ctx, cmd.ErrOrStderr(), newLogger(cfg, cmd.ErrOrStderr()))
}
