package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"sett/internal/api"
	"sett/internal/app"
	"sett/internal/app/client"
)

// someAlarm is what commands call their argument.
const someAlarm = "the id of an alarm"

func alarmsCommand(environ []string) *cobra.Command {
	cmd := &cobra.Command{Use: "alarms", Short: "List, create, change and delete alarms"}
	cmd.AddCommand(alarmsListCommand(environ), alarmsShowCommand(environ), alarmsHistoryCommand(environ),
		alarmsCreateCommand(environ), alarmsUpdateCommand(environ), alarmsDeleteCommand(environ))
	return cmd
}

// onAPI makes a command of do, which asks the API of a server.
func onAPI(environ []string, do func(*cobra.Command, app.Config, client.Server) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, _ []string) error {
		cfg, err := loadConfig(cmd, environ)
		if err != nil {
			return err
		}
		if _, err := useProfile(cmd, &cfg, environ); err != nil {
			return err
		}
		return cfg.Explain(do(cmd, cfg, cfg.API()))
	}
}

// addAPI gives the command the flag --json if it prints something, and those that say which server it asks.
func addAPI(cmd *cobra.Command, what string) {
	cmd.Flags().SortFlags = false
	if what != "" {
		addSetting(cmd, "json", "print "+what+" as JSON")
	}
	addFlags(cmd, "API", "Server")
}

func alarmsListCommand(environ []string) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List the alarms of a project with their states",
		Example: "  sett alarms list --project-id 1 --server https://sett.example.org",
		Args:    noArguments,
		RunE: onAPI(environ, func(cmd *cobra.Command, cfg app.Config, server client.Server) error {
			all, err := server.Alarms(cmd.Context())
			if err != nil {
				return err
			}
			return printTable(cmd.OutOrStdout(), cfg.JSON, all, "ID STATE NAME CONDITION CHECKED ERROR", func(a api.Alarm) []any {
				return []any{a.ID, a.State, a.Name, client.ConditionOf(a), secondOf(a.LastChecked, "never"), orDash(errorOf(a))}
			})
		}),
	}
	addAPI(cmd, "them")
	return cmd
}

// errorOf returns why the last evaluation of an alarm failed; "" if it did not.
func errorOf(a api.Alarm) string {
	if a.Error == nil {
		return ""
	}
	return *a.Error
}

func alarmsShowCommand(environ []string) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "show ID",
		Short:   "Show an alarm with its query and its state",
		Example: "  sett alarms show k3XqT9",
		Args:    arguments(someAlarm),
		RunE: onAPI(environ, func(cmd *cobra.Command, cfg app.Config, server client.Server) error {
			found, err := server.Alarm(cmd.Context(), cmd.Flags().Arg(0))
			if err != nil {
				return err
			}
			return printAlarm(cmd.OutOrStdout(), cfg.JSON, found)
		}),
	}
	addAPI(cmd, "it")
	return cmd
}

// printAlarm writes an alarm as JSON where that is asked for, and otherwise a line for each of its values.
func printAlarm(w io.Writer, asJSON bool, a api.Alarm) error {
	if asJSON {
		return json.NewEncoder(w).Encode(a)
	}
	lines := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, line := range [][2]string{
		{"id", a.ID},
		{"name", a.Name},
		{"description", a.Description},
		{"state", a.State},
		{"error", errorOf(a)},
		{"condition", client.ConditionOf(a)},
		{"query", a.Query},
		{"lag", a.Lag},
		{"checked", secondOf(a.LastChecked, "never")},
		{"next check", secondOf(a.NextCheck, "never")},
		{"page", a.URL},
	} {
		if line[1] != "" {
			fmt.Fprintf(lines, "%s\t%s\n", line[0], strings.ReplaceAll(line[1], "\n", "\n\t"))
		}
	}
	return lines.Flush()
}

func alarmsHistoryCommand(environ []string) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "history ID",
		Short:   "List the newest changes of the state of an alarm, newest first",
		Example: "  sett alarms history k3XqT9",
		Args:    arguments(someAlarm),
		RunE: onAPI(environ, func(cmd *cobra.Command, cfg app.Config, server client.Server) error {
			changes, err := server.AlarmHistory(cmd.Context(), cmd.Flags().Arg(0))
			if err != nil {
				return err
			}
			return printTable(cmd.OutOrStdout(), cfg.JSON, changes, "AT STATE ROWS CONDITION ERROR", func(c api.AlarmTrigger) []any {
				rows := "-"
				if c.Result.Count != nil {
					rows = fmt.Sprint(*c.Result.Count)
				}
				return []any{secondOf(&c.CreatedAt, ""), c.State, rows, c.Result.Condition, orDash(c.Result.Error)}
			})
		}),
	}
	addAPI(cmd, "them")
	return cmd
}

// alarmFlags are the flags of what people write of an alarm.
type alarmFlags struct {
	name, description, query, period, lag, when string
	streams                                     []string
}

func (f *alarmFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.query, "query", "", "the query whose rows are counted, without a time")
	cmd.Flags().StringVar(&f.when, "when", "", "when the alarm is raised: the number of rows compared with a value, such as '> 10'")
	cmd.Flags().StringVar(&f.period, "period", "", "how often the rows are counted, and of how much time, such as 5m")
	cmd.Flags().StringVar(&f.lag, "lag", "", "how long to wait for events that arrive late, such as 1m")
	cmd.Flags().StringVar(&f.description, "description", "", "text for notifications")
	cmd.Flags().StringSliceVar(&f.streams, "stream", nil, "streams whose events are read: default, internal; all without this flag")
}

// settings returns what the flags that were given say.
func (f *alarmFlags) settings(cmd *cobra.Command, server client.Server) (client.AlarmSettings, error) {
	a := client.AlarmSettings{}
	for flag, of := range map[string][2]string{
		"name": {"name", f.name}, "query": {"query", f.query}, "period": {"evaluation_period", f.period}, "lag": {"lookback_lag", f.lag}, "description": {"description", f.description},
	} {
		if cmd.Flags().Changed(flag) {
			a[of[0]] = of[1]
		}
	}
	if cmd.Flags().Changed("when") {
		if err := a.SetWhen(f.when); err != nil {
			return nil, err
		}
	}
	if cmd.Flags().Changed("stream") {
		return a, server.SetStreams(cmd.Context(), a, f.streams)
	}
	return a, nil
}

func alarmsCreateCommand(environ []string) *cobra.Command {
	var f alarmFlags
	cmd := &cobra.Command{
		Use:     "create NAME",
		Short:   "Create an alarm, and print its id",
		Long:    "Create an alarm, and print its id. It is evaluated at the next full minute, and then once in each period.",
		Example: "  sett alarms create 'Failing payments' --query 'filter status::int >= 500' --when '> 10' --period 5m",
		Args:    arguments("the name of an alarm"),
		RunE: onAPI(environ, func(cmd *cobra.Command, cfg app.Config, server client.Server) error {
			a, err := f.settings(cmd, server)
			if err != nil {
				return err
			}
			a["name"] = cmd.Flags().Arg(0)
			made, err := server.CreateAlarm(cmd.Context(), a)
			if err != nil {
				return err
			}
			return printMade(cmd, cfg, made, "%s", made.ID)
		}),
	}
	f.add(cmd)
	addAPI(cmd, "the alarm")
	return cmd
}

func alarmsUpdateCommand(environ []string) *cobra.Command {
	var f alarmFlags
	cmd := &cobra.Command{
		Use:     "update ID",
		Short:   "Change an alarm; what no flag names stays as it is",
		Example: "  sett alarms update k3XqT9 --when '>= 20'",
		Args:    arguments(someAlarm),
		RunE: onAPI(environ, func(cmd *cobra.Command, cfg app.Config, server client.Server) error {
			a, err := f.settings(cmd, server)
			if err != nil {
				return err
			}
			if len(a) == 0 {
				return fmt.Errorf("nothing to change; name it by a flag, such as --when '> 10'")
			}
			changed, err := server.UpdateAlarm(cmd.Context(), cmd.Flags().Arg(0), a)
			if err != nil {
				return err
			}
			return printAlarm(cmd.OutOrStdout(), cfg.JSON, changed)
		}),
	}
	cmd.Flags().StringVar(&f.name, "name", "", "new name")
	f.add(cmd)
	addAPI(cmd, "the alarm")
	return cmd
}

func alarmsDeleteCommand(environ []string) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "delete ID",
		Short:   "Delete an alarm and its history",
		Example: "  sett alarms delete k3XqT9",
		Args:    arguments(someAlarm),
		RunE: onAPI(environ, func(cmd *cobra.Command, _ app.Config, server client.Server) error {
			if err := server.DeleteAlarm(cmd.Context(), cmd.Flags().Arg(0)); err != nil {
				return err
			}
			return sentence(cmd, "The alarm %s and its history are deleted.", cmd.Flags().Arg(0))
		}),
	}
	addAPI(cmd, "")
	return cmd
}
