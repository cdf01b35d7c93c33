package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"sett/internal/app/client"
)

func deployCommand(environ []string) *cobra.Command {
	var d client.Deploy
	project := ""
	cmd := &cobra.Command{
		Use:   "deploy",
		Short: "Record a deploy",
		Long: "Record a deploy, after which new and reopened errors are attributed to its revision. It needs the API key of the project, in\n" +
			"--api-key (SETT_API_KEY), or else your personal token, which may read that key.",
		Example: "  sett deploy --revision 4f2a9c1 --environment production",
		Args:    noArguments,
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if d.Revision == "" {
			return misuse{errors.New("--revision is missing; write what was deployed, such as the hash of a commit or a version")}
		}
		return withKey(cmd, environ, project, func(ctx context.Context, server client.Server, key string) error {
			if err := server.Report(ctx, key, d); err != nil {
				return err
			}
			if d.Environment == "" {
				return sentence(cmd, "The deploy of %s is recorded.", d.Revision)
			}
			return sentence(cmd, "The deploy of %s to %s is recorded.", d.Revision, d.Environment)
		})
	}
	cmd.Flags().SortFlags = false
	cmd.Flags().StringVar(&d.Revision, "revision", "", "what was deployed, as in events: the hash of a commit, or a version")
	cmd.Flags().StringVar(&d.Environment, "environment", "", "where it was deployed; the whole project without this flag")
	cmd.Flags().StringVar(&d.Repository, "repository", "", "URL of the repository")
	cmd.Flags().StringVar(&d.User, "user", ofVariable(environ, "USER"), "who deployed")
	nameProject(cmd, environ, &project)
	addSetting(cmd, "api-key", "API key of the project; instead of a personal token")
	addAPIOnly(cmd)
	return cmd
}

// withKey is ask for a command that an API key is enough for. A key names its project, so that no other is looked for.
func withKey(cmd *cobra.Command, environ []string, project string, do func(context.Context, client.Server, string) error) error {
	cfg, err := loadConfig(cmd, environ)
	if err != nil {
		return misuse{err}
	}
	if cfg.Job.APIKey == "" {
		return someProject(cmd, environ, project, func(ctx context.Context, server client.Server) error { return do(ctx, server, "") })
	}
	return ask(cmd, environ, func(ctx context.Context, server client.Server) error { return do(ctx, server, cfg.Job.APIKey) })
}
