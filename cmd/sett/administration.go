package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"sett/internal/app"
)

// sentence writes what was done, for people.
func sentence(cmd *cobra.Command, format string, args ...any) error {
	_, err := fmt.Fprintf(cmd.OutOrStdout(), format+"\n", args...)
	return err
}

// printMade writes what was made as JSON where that is asked for, and otherwise what people are to know of it.
func printMade(cmd *cobra.Command, cfg app.Config, made any, format string, args ...any) error {
	if cfg.JSON {
		return json.NewEncoder(cmd.OutOrStdout()).Encode(made)
	}
	return sentence(cmd, format, args...)
}

// addSetting gives the command the flag of one setting, with a help text of its own.
func addSetting(cmd *cobra.Command, name, usage string) {
	for _, s := range app.Settings() {
		if s.Flag == name {
			addFlag(cmd, s, usage, "")
		}
	}
}

// addJSON gives the command the flag --json, and the flags that say where the database is; groups are those that the help lists besides.
func addJSON(cmd *cobra.Command, what string, groups ...string) {
	addSetting(cmd, "json", "print "+what+" as JSON")
	addFlags(cmd, append(groups, "Storage")...)
}

// printTable writes a line for every row, below a heading, or all of them as a JSON list.
func printTable[T any](w io.Writer, asJSON bool, rows []T, heading string, cells func(T) []any) error {
	if asJSON {
		return json.NewEncoder(w).Encode(rows)
	}
	lines := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(lines, strings.ReplaceAll(heading, " ", "\t"))
	for _, row := range rows {
		texts := []string{}
		for _, cell := range cells(row) {
			texts = append(texts, fmt.Sprint(cell))
		}
		fmt.Fprintln(lines, strings.Join(texts, "\t"))
	}
	return lines.Flush()
}

// secondOf writes a time for people, to the second in UTC; without one, otherwise.
func secondOf(t *time.Time, otherwise string) string {
	if t == nil {
		return otherwise
	}
	return t.UTC().Format("2006-01-02T15:04:05Z")
}

// dayOf writes a time for people, as the day in UTC; without one, otherwise.
func dayOf(t *time.Time, otherwise string) string {
	if t == nil {
		return otherwise
	}
	return t.UTC().Format(time.DateOnly)
}
