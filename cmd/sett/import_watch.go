package main

import (
	"context"

	"github.com/spf13/cobra"

	"sett/internal/app"
	"sett/internal/app/operate"
	"sett/internal/sett/move"
)

// stays is what all imports from monitors have in common.
const stays = "All of it goes to one project. Sites and check-ins are pending until sett has seen them. Channels are off until you test them.\n" +
	"No one is notified of the past. Try --dry-run first: it writes nothing, and prints what would come and what would not. The\n" +
	"server can keep running. Run the command again to bring what has changed since: nothing comes twice."

func importKumaCommand(environ []string) *cobra.Command {
	return importMonitorCommand(environ, &cobra.Command{
		Use:   "kuma FILE",
		Short: "Bring what Uptime Kuma watches, from its database",
		Long: "Bring monitors, push addresses, notifications, status pages, incidents, maintenance and the history from kuma.db of Uptime Kuma\n" +
			"1.23 or 2. The file is only read, also while Uptime Kuma runs.\n" + stays,
		Example: "  sett import kuma /var/lib/uptime-kuma/kuma.db --dry-run\n  sett import kuma /var/lib/uptime-kuma/kuma.db --project Websites",
		Args:    arguments("the path of kuma.db"),
	}, "Uptime Kuma", func(ctx context.Context, in operate.Installation, args []string, o operate.WatchImport) (*move.Report, error) {
		return operate.ImportFromKuma(ctx, in, args[0], o)
	})
}

func importGatusCommand(environ []string) *cobra.Command {
	return importMonitorCommand(environ, &cobra.Command{
		Use:   "gatus FILE...",
		Short: "Bring what Gatus checks, from its configuration",
		Long: "Bring the endpoints, external endpoints, alerting and announcements of a configuration of Gatus. Name its files, or its directory.\n" +
			"Variables get the values of this environment: run the command with those of Gatus. What was measured does not come.\n" + stays,
		Example: "  sett import gatus /etc/gatus/config.yaml --dry-run\n  sett import gatus /etc/gatus --project Websites",
		Args: func(cmd *cobra.Command, args []string) error {
			return arguments("the path of a file, or of a directory with files")(cmd, args[:min(len(args), 1)])
		},
	}, "Gatus", func(ctx context.Context, in operate.Installation, args []string, o operate.WatchImport) (*move.Report, error) {
		return operate.ImportFromGatus(ctx, in, args, o)
	})
}

func importOpenStatusCommand(environ []string) *cobra.Command {
	return importMonitorCommand(environ, &cobra.Command{
		Use:   "openstatus FILE...",
		Short: "Bring the monitors of OpenStatus, from its files",
		Long: "Bring the monitors of the files that openstatus monitors apply reads, such as openstatus.yaml. The command openstatus monitors\n" +
			"import writes such a file of what there is. Status pages, notifications and what was measured are not in it.\n" + stays,
		Example: "  sett import openstatus openstatus.yaml --dry-run\n  sett import openstatus openstatus.yaml --project Websites",
		Args: func(cmd *cobra.Command, args []string) error {
			return arguments("the path of a file, or of a directory with files")(cmd, args[:min(len(args), 1)])
		},
	}, "OpenStatus", func(ctx context.Context, in operate.Installation, args []string, o operate.WatchImport) (*move.Report, error) {
		return operate.ImportFromOpenStatus(ctx, in, args, o)
	})
}

func importHealthchecksCommand(environ []string) *cobra.Command {
	var from operate.HealthchecksImport
	cmd := &cobra.Command{
		Use:   "healthchecks --url URL",
		Short: "Bring the checks of Healthchecks",
		Long: "Bring the checks of a project of Healthchecks, hosted or your own, with their ping addresses and what was down in the last months.\n" +
			"The key is a read-write API key of the project: a read-only one does not show the addresses. It is --token, or the first line of\n" +
			"standard input.\n" + stays,
		Example: "  sett import healthchecks --url https://healthchecks.io --dry-run < key\n  sett import healthchecks --url https://hc.example.org --project Jobs < key",
		Args:    noArguments,
	}
	importMonitorCommand(environ, cmd, "Healthchecks", func(ctx context.Context, in operate.Installation, _ []string, o operate.WatchImport) (report *move.Report, err error) {
		if from.Token, err = importToken(cmd, from.Token, "API key of Healthchecks"); err != nil {
			return nil, err
		}
		return operate.ImportFromHealthchecks(ctx, in, from, o)
	})
	cmd.Flags().StringVar(&from.URL, "url", "", "address of the server, such as https://healthchecks.io")
	cmd.Flags().StringVar(&from.Token, "token", "", "API key of the project; better on standard input, where no list of processes shows it")
	return cmd
}

// importMonitorCommand completes a command that brings what a monitor watches.
func importMonitorCommand(environ []string, cmd *cobra.Command, project string, run func(context.Context, operate.Installation, []string, operate.WatchImport) (*move.Report, error)) *cobra.Command {
	var o operate.WatchImport
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return onInstallation(environ, func(cmd *cobra.Command, cfg app.Config) error {
			return printImport(cmd, cfg, func(ctx context.Context) (*move.Report, error) { return run(ctx, cfg.Installation(), args, o) })
		})(cmd, args)
	}
	cmd.Flags().SortFlags = false
	cmd.Flags().StringVar(&o.Project, "project", project, "name of the project that all of it goes to; it is made if there is none")
	cmd.Flags().StringVar(&o.Account, "account", "", "id of the account that has the project, if there are several")
	cmd.Flags().BoolVar(&o.DryRun, "dry-run", false, "write nothing, and print what would come and what would not")
	addJSON(cmd, "the report", ofStorage...)
	return cmd
}
