package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"sett/internal/app"
	"sett/internal/app/client"
	"sett/internal/sett/ascode"
)

// differs is the exit status of a plan that has something to do.
const differs exitStatus = 2

// asCodeFlags say which files are meant, and for which account.
type asCodeFlags struct {
	files, account, set   string
	prune, projects, sure bool
}

func (f *asCodeFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVarP(&f.files, "file", "f", "", "file, directory with files (*.yaml, *.yml), or - for standard input")
	f.addAccount(cmd)
	cmd.Flags().BoolVar(&f.prune, "prune", false, "delete what earlier files made and these do not have any more, except projects")
	cmd.Flags().BoolVar(&f.projects, "prune-projects", false, "with --prune, also delete projects, with all their events")
}

func (f *asCodeFlags) addAccount(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.account, "account", "", "id of the account; not needed if you have one")
	cmd.Flags().StringVar(&f.set, "set", "", "name of these files, where several repositories apply files to one account")
}

// open returns the account of the flags.
func (f *asCodeFlags) open(ctx context.Context, server client.Server) (client.Account, error) {
	account, err := server.Account(ctx, f.account)
	account.Set = f.set
	if host, unknown := os.Hostname(); unknown == nil {
		account.Holder = "sett apply on " + host
	}
	return account, err
}

func planCommand(environ []string) *cobra.Command {
	var f asCodeFlags
	cmd := &cobra.Command{
		Use:   "plan -f FILE",
		Short: "Show what sett apply would change",
		Long: "Show what sett apply would change on a server, and change nothing. The exit status is 0 if the server agrees with the files,\n" +
			"and 2 if something differs. It is 1 if the files are wrong, or if the server did not answer.",
		Example: "  sett plan -f sett/ --server https://sett.example.org",
		Args:    noArguments,
		RunE: onAPI(environ, func(cmd *cobra.Command, _ app.Config, server client.Server) error {
			wanted, err := f.read(cmd.InOrStdin(), environ)
			if err != nil {
				return err
			}
			account, err := f.open(cmd.Context(), server)
			if err != nil {
				return err
			}
			plan, err := account.Plan(cmd.Context(), wanted)
			if err != nil {
				return err
			}
			f.show(cmd.OutOrStdout(), plan)
			if len(plan.Steps) > 0 {
				return differs
			}
			return nil
		}),
	}
	f.add(cmd)
	addAPIOnly(cmd)
	return cmd
}

// show adds what is to be deleted to a plan, and prints it.
func (f *asCodeFlags) show(w io.Writer, plan *ascode.Plan) {
	if f.prune {
		plan.Prune(f.projects)
	}
	fmt.Fprint(w, plan)
	var kept []string
	for _, t := range plan.Gone {
		if !f.prune || t.Kind.Name == "projects" && !f.projects {
			kept = append(kept, t.Called())
		}
	}
	if len(kept) == 0 {
		return
	}
	advice := "--prune deletes these"
	if f.prune {
		advice = "--prune-projects deletes these with all their events"
	}
	fmt.Fprintf(w, "Not in the files any more, and left alone; %s: %s\n", advice, strings.Join(kept, ", "))
}

func applyCommand(environ []string) *cobra.Command {
	var f asCodeFlags
	cmd := &cobra.Command{
		Use:   "apply -f FILE",
		Short: "Make a server agree with files: configuration as code",
		Long: "Create and change teams, projects, sites, check-ins, channels, status pages and more, until the server agrees with the files. What\n" +
			"the files do not name is left alone. With --prune, what earlier files made is deleted when it is not in them any more; sett lists\n" +
			"it and asks. One program at a time applies files to an account.",
		Example: "  sett apply -f sett/ --server https://sett.example.org\n  sett export --as-code | sed 's/frequency: 5/frequency: 1/' | sett apply -f -",
		Args:    noArguments,
		RunE: onAPI(environ, func(cmd *cobra.Command, _ app.Config, server client.Server) error {
			wanted, err := f.read(cmd.InOrStdin(), environ)
			if err != nil {
				return err
			}
			account, err := f.open(cmd.Context(), server)
			if err != nil {
				return err
			}
			application, err := account.Begin(cmd.Context(), wanted)
			if err != nil {
				return err
			}
			f.show(cmd.OutOrStdout(), application.Plan)
			if err := f.confirm(cmd, application); err != nil {
				return errors.Join(err, application.End(cmd.Context()))
			}
			if err := application.Run(cmd.Context()); err != nil || len(application.Plan.Steps) == 0 {
				return err
			}
			return sentence(cmd, "Done.")
		}),
	}
	f.add(cmd)
	cmd.Flags().BoolVar(&f.sure, "yes", false, "delete without asking")
	addAPIOnly(cmd)
	return cmd
}

// confirm asks before anything is deleted.
func (f *asCodeFlags) confirm(cmd *cobra.Command, application *client.Application) error {
	deleted := 0
	for _, s := range application.Plan.Steps {
		if s.Verb == ascode.Delete {
			deleted++
		}
	}
	if deleted == 0 || f.sure {
		return nil
	}
	if f.files == "-" || !isTerminal(cmd.InOrStdin()) {
		return fmt.Errorf("nothing was changed: this would delete what is listed above; add --yes to do so without being asked")
	}
	if err := agreed(cmd, fmt.Sprintf("Delete %d?", deleted)); err != nil {
		return err
	}
	return application.Keep(cmd.Context())
}

// addAPIOnly gives the command the flags that say which server it asks, without those about a project.
func addAPIOnly(cmd *cobra.Command) {
	cmd.Flags().SortFlags = false
	for _, flag := range []string{"auth-token", "profile", "server"} {
		for _, s := range app.Settings() {
			if s.Flag == flag {
				addFlag(cmd, s, s.Help, "")
			}
		}
	}
}

// read returns what the files say, with the secrets that they name.
func (f *asCodeFlags) read(stdin io.Reader, environ []string) (*ascode.Thing, error) {
	sources, err := sourcesOf(f.files, stdin)
	if err != nil {
		return nil, err
	}
	root, problems := ascode.Read(sources)
	if len(problems) == 0 {
		problems = ascode.Resolve(root, func(r ascode.Reference) (string, error) { return secretOf(r, environ) })
	}
	return root, client.Refuse(problems)
}

// longestFile is how large a file may be, in bytes.
const longestFile = 16 << 20

// sourcesOf reads a file, those of a directory and its sub-directories in the order of their names, or standard input.
func sourcesOf(path string, stdin io.Reader) (sources []ascode.Source, err error) {
	if path == "" {
		return nil, fmt.Errorf("-f is missing: name a file, a directory, or - for standard input")
	}
	if path == "-" {
		text, err := readAll("standard input", stdin)
		return []ascode.Source{{Name: "standard input", Text: text}}, err
	}
	err = filepath.WalkDir(path, func(name string, entry fs.DirEntry, err error) error {
		hidden := name != path && strings.HasPrefix(entry.Name(), ".")
		switch {
		case err != nil:
			return fmt.Errorf("%v; check the path in -f", err) //nolint:errorlint // an error of a path would be explained as one of the data directory
		case entry.IsDir() && hidden:
			return filepath.SkipDir
		case entry.IsDir(), hidden, name != path && filepath.Ext(name) != ".yaml" && filepath.Ext(name) != ".yml":
			return nil
		}
		text, err := readFile(name)
		sources = append(sources, ascode.Source{Name: name, Text: text})
		return err
	})
	if err == nil && len(sources) == 0 {
		err = fmt.Errorf("%s has no file that ends with .yaml or .yml; write one, or make one with sett export --as-code", path)
	}
	return sources, err
}

// readFile reads a file that is not too large.
func readFile(name string) ([]byte, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return readAll(name, file)
}

// readAll reads text that is not too large, whole.
func readAll(name string, r io.Reader) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, longestFile+1))
	if err == nil && len(text) > longestFile {
		err = fmt.Errorf("%s is larger than %d MiB; write several files in a directory", name, longestFile>>20)
	}
	return text, err
}

// secretOf reads a secret: from a variable, or from a file whose path is relative to the one that names it.
func secretOf(r ascode.Reference, environ []string) (string, error) {
	if r.Env != "" {
		for _, pair := range environ {
			if value, ok := strings.CutPrefix(pair, r.Env+"="); ok && value != "" {
				return value, nil
			}
		}
		return "", fmt.Errorf("the variable %s is not set; set it to the secret", r.Env)
	}
	path := r.File
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(r.Place.File), path)
	}
	text, err := readFile(path)
	if err != nil {
		return "", fmt.Errorf("the file of the secret cannot be read: %w; create it, or correct its path", err)
	}
	secret := strings.TrimSuffix(strings.TrimSuffix(string(text), "\n"), "\r")
	if secret == "" {
		return "", fmt.Errorf("the file %s is empty; write the secret into it", path)
	}
	return secret, nil
}
