package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"sett/internal/app"
	"sett/internal/app/client"
	"sett/internal/sett/ascode"
)

// exportAsCode writes the configuration of an account, which it asks a server for.
func exportAsCode(f *asCodeFlags, out *string) func(*cobra.Command, app.Config, client.Server) error {
	return func(cmd *cobra.Command, _ app.Config, server client.Server) error {
		account, err := f.open(cmd.Context(), server)
		if err != nil {
			return err
		}
		root, err := account.Export(cmd.Context())
		if err != nil {
			return err
		}
		return writeExport(cmd, *out, strings.TrimRight(server.Address, "/")+client.SchemaPath, root)
	}
}

// writeExport writes one file, or one for the account and one for each project into a directory.
func writeExport(cmd *cobra.Command, out, schema string, root *ascode.Thing) error {
	text, variables := ascode.Write(root, schema)
	switch ext := filepath.Ext(out); {
	case out == "-":
		_, err := fmt.Fprint(cmd.OutOrStdout(), text)
		return err
	case ext == ".yaml" || ext == ".yml":
		if err := os.WriteFile(out, []byte(text), 0o644); err != nil {
			return fmt.Errorf("%w; choose another file with -o", err)
		}
		return saidSecrets(cmd, variables)
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return fmt.Errorf("%w; choose another directory with -o", err)
	}
	isProject := func(t *ascode.Thing) bool { return t.Kind.Name == "projects" }
	files := map[string]*ascode.Thing{"account.yaml": root.Section(func(t *ascode.Thing) bool { return !isProject(t) })}
	for _, t := range root.Things {
		if isProject(t) {
			files["project-"+t.Key+".yaml"] = root.Section(func(other *ascode.Thing) bool { return other == t })
		}
	}
	for name, part := range files {
		if len(part.Things) == 0 {
			continue
		}
		text, _ := ascode.Write(part, schema)
		if err := os.WriteFile(filepath.Join(out, name), []byte(text), 0o644); err != nil {
			return fmt.Errorf("%w; choose another directory with -o", err)
		}
	}
	return saidSecrets(cmd, variables)
}

// saidSecrets names the variables that the files need.
func saidSecrets(cmd *cobra.Command, variables []string) error {
	if len(variables) == 0 {
		return nil
	}
	_, err := fmt.Fprintf(cmd.ErrOrStderr(), "Secrets are not exported. Set these variables before sett plan and sett apply: %s\n", strings.Join(variables, ", "))
	return err
}
