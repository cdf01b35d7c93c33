package main

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sett/internal/setttest/example"
)

// office is a database with the first account, and without a server.
type office struct {
	t       *testing.T
	environ []string
	account string // the id of the first account, whose owner is admin@example.com
}

func newOffice(t *testing.T) *office {
	t.Helper()
	o := &office{t: t, environ: []string{"SETT_DATA=" + t.TempDir()}, account: "ACCOUNT"}
	var made struct {
		Account string `json:"account_id"`
	}
	o.read(&made, "setup", "--json", "--password", "seven slow herons")
	o.account = made.Account
	return o
}

// do runs a command that must succeed, in which ACCOUNT stands for the id of the first account.
func (o *office) do(args ...string) (stdout string) {
	o.t.Helper()
	for i := range args {
		args[i] = strings.ReplaceAll(args[i], "ACCOUNT", o.account)
	}
	status, stdout, stderr := try(o.environ, args...)
	if status != 0 || stderr != "" {
		o.t.Fatalf("sett %s: status %d, stderr %s", strings.Join(args, " "), status, stderr)
	}
	return strings.ReplaceAll(stdout, o.account, "ACCOUNT")
}

// read reads what a command prints as JSON.
func (o *office) read(into any, args ...string) {
	o.t.Helper()
	stdout := o.do(args...)
	if err := json.Unmarshal([]byte(stdout), into); err != nil {
		o.t.Fatalf("sett %s: %v: %s", strings.Join(args, " "), err, stdout)
	}
}

// today is how a day is printed.
var today = regexp.MustCompile(`\d{4}-\d\d-\d\d`)

func TestAdministrationSaysWhatItDid(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	for _, step := range []struct{ line, want string }{
		{"account list", "ID        NAME  OWNERS             USERS  PROJECTS  CREATED\nACCOUNT   Sett  admin@example.com  1      1         DAY\n"},
		{"user add --account ACCOUNT --email Mia@example.org --name Mia", "Added mia@example.org to Sett as Member.\n" +
			"This is a new user without a password. Set one with: sett user password mia@example.org\n"},
		{"user add --account ACCOUNT --email bo@example.org --name Bo --role owner --password five-pale-otters", "Added bo@example.org to Sett as Owner.\n"},
		{"user list --account ACCOUNT", "ID  EMAIL              NAME   SECOND-FACTOR  ACCOUNTS\n" +
			"1   admin@example.com  Admin  off            Sett ACCOUNT (Owner)\n" +
			"2   mia@example.org    Mia    off            Sett ACCOUNT (Member)\n" +
			"3   bo@example.org     Bo     off            Sett ACCOUNT (Owner)\n"},
		{"user role mia@example.org --account ACCOUNT --role ADMIN", "mia@example.org now has the role Admin in Sett.\n"},
		{"user password mia@example.org --password five-pale-otters", "mia@example.org has a new password and is signed out everywhere.\n"},
		{"user password mia@example.org --password five-pale-otters --json", `{"email":"mia@example.org"}` + "\n"},
		{"token list mia@example.org", "ID  NAME  SCOPE  CREATED  EXPIRES  USED\n"},
		{"token list mia@example.org --json", "[]\n"},
		{"user remove bo@example.org --account ACCOUNT", "Removed bo@example.org from Sett.\n"},
	} {
		got := today.ReplaceAllString(o.do(strings.Fields(step.line)...), "DAY")
		if diff := cmp.Diff(tight(step.want), tight(got)); diff != "" {
			t.Errorf("sett %s (-want +got):\n%s", step.line, diff)
		}
	}
}

// tight writes every run of spaces as one: how wide a column is depends on ids.
func tight(text string) string { return regexp.MustCompile(` +`).ReplaceAllString(text, " ") }

func TestAccountAdd(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	text := o.do("account", "add", "--name", "Second", "--owner", "olga@example.org")
	id, rest, _ := strings.Cut(text, "\n")
	if want := "Its owner is olga@example.org, a new user without a password. Set one with: sett user password olga@example.org\n"; id == "" || rest != want {
		t.Errorf("printed %q, want an id and %q", text, want)
	}
	known := o.do("account", "add", "--name", "Third", "--owner", "olga@example.org")
	if _, rest, _ := strings.Cut(known, "\n"); rest != "Its owner is the existing user olga@example.org.\n" {
		t.Errorf("for a user who exists: %q", known)
	}
	var made map[string]any
	o.read(&made, "account", "add", "--name", "Fourth", "--owner", "bo@example.org", "--json")
	delete(made, "account_id")
	if diff := cmp.Diff(map[string]any{"user_id": 3.0, "email": "bo@example.org", "new_user": true}, made); diff != "" {
		t.Errorf("JSON (-want +got):\n%s", diff)
	}
	var names []struct{ ID, Name string }
	if o.read(&names, "account", "list", "--json"); len(names) != 4 || names[1].ID != id || names[1].Name != "Second" {
		t.Errorf("the list has %+v, want 4 accounts with %s second", names, id)
	}
}

func TestTokenCommands(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	if secret := o.do("token", "add", "admin@example.com", "--name", "plain"); !regexp.MustCompile(`^sett_u_\w{43}\n$`).MatchString(secret) {
		t.Errorf("printed %q, want a token alone", secret)
	}
	var made, listed map[string]any
	o.read(&made, "token", "add", "admin@example.com", "--name", "until", "--scope", "write", "--expires", "2999-01-31", "--json")
	want := map[string]any{"id": 3.0, "name": "until", "scope": "write", "expires_at": "2999-01-31T00:00:00Z", "used_at": nil, "expired": false}
	for name, value := range want {
		if made[name] != value {
			t.Errorf("%s is %v, want %v", name, made[name], value)
		}
	}
	list := today.ReplaceAllString(o.do("token", "list", "admin@example.com"), "DAY")
	if want := "ID NAME SCOPE CREATED EXPIRES USED\n3 until write DAY DAY never\n2 plain read DAY never never\n1 setup write DAY never never\n"; tight(list) != want {
		t.Errorf("list:\n%s want:\n%s", tight(list), want)
	}
	if got := o.do("token", "revoke", "admin@example.com", "3"); got != "The token \"until\" of admin@example.com is revoked.\n" {
		t.Errorf("revoked: %q", got)
	}
	var left []map[string]any
	if o.read(&left, "token", "list", "admin@example.com", "--json"); len(left) != 2 {
		t.Errorf("left are %v, want two", left)
	}
	if listed = left[0]; listed["auth_token"] != nil {
		t.Errorf("the list has a secret: %v", listed)
	}
}

func TestPasswordsComeFromWhereTheyMay(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	const done = "admin@example.com has a new password and is signed out everywhere.\n"
	const none = "the new password is missing; write it to standard input, or use --password or --generate"
	const short = "the new password is too short (minimum is 10 characters); four random words work well"
	for name, tt := range map[string]struct {
		stdin, variable string
		args            []string
		want, mistake   string
	}{
		"flag":                  {args: []string{"--password", "five pale otters"}, want: done},
		"variable of setup":     {variable: "SETT_PASSWORD=five pale otters", mistake: none},
		"input":                 {stdin: "five pale otters\r\nmore\n", want: done},
		"input without end":     {stdin: "five pale otters", want: done},
		"nowhere":               {mistake: none},
		"empty line":            {stdin: "\nfive pale otters\n", mistake: none},
		"empty line of Windows": {stdin: "\r\n", mistake: none},
		"too short":             {stdin: "short\n", mistake: short},
		"empty flag":            {stdin: "five pale otters\n", args: []string{"--password="}, mistake: short},
		"flag and generated":    {args: []string{"--password=five pale otters", "--generate"}, mistake: "give either --generate or --password"},
		"their own address":     {stdin: "admin@example.com\n", mistake: "the new password must not be your address or your name, which others would try first"},
		"variable and input":    {variable: "SETT_PASSWORD=hush", stdin: "five pale otters\n", want: done},
	} {
		status, stdout, stderr := tryWith(tt.stdin, append([]string{tt.variable}, o.environ...), append([]string{"user", "password", "admin@example.com"}, tt.args...)...)
		want := tt.mistake
		if want != "" {
			want = "sett: " + want + "\n"
		}
		if stdout != tt.want || stderr != want || (status == 0) != (want == "") {
			t.Errorf("%s: status %d, printed %q, %q; want %q, %q", name, status, stdout, stderr, tt.want, want)
		}
	}
	first, second := o.do("user", "password", "admin@example.com", "--generate"), o.do("user", "password", "admin@example.com", "--generate")
	if first == second || !regexp.MustCompile(`^\w{20}\n$`).MatchString(first) {
		t.Errorf("generated %q and %q", first, second)
	}
	var made map[string]string
	if o.read(&made, "user", "password", "admin@example.com", "--generate", "--json"); len(made["password"]) != 20 || made["email"] != "admin@example.com" {
		t.Errorf("as JSON: %v", made)
	}
}

func TestAdministrationNamesMistakes(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.do("user", "add", "--account", "ACCOUNT", "--email", "mia@example.org", "--name", "Mia")
	o.do("account", "add", "--name", "Second", "--owner", "olga@example.org")
	const roles = "--role is not included in the list: Member, Billing, Admin, Owner"
	for line, want := range map[string]string{
		"user lst":        `unknown command "lst"; did you mean list?`,
		"acount list":     `unknown command "acount"; did you mean account?`,
		"user role":       "sett user role needs the email address of a user; sett user role --help shows an example",
		"user role --rle": "unknown flag --rle; did you mean --role?",
		"token revoke a":  "sett token revoke needs the id of a token; sett token revoke --help shows an example",
		"token revoke a 1 b": `unknown argument "b"; sett token revoke takes the email address of a user and the id of a token and flags, ` +
			"which sett token revoke --help lists",
		"account list all":        `unknown argument "all"; sett account list takes only flags, which sett account list --help lists`,
		"account add":             "--name can't be blank; --owner must be an email address such as you@example.org",
		"user list --account nix": `--account "nix" is not the id of an account: sett account list shows all accounts`,
		"user role x@y --account nix --role Boss": roles + `; "x@y" is not the email address of a user: sett user list shows all users; ` +
			`--account "nix" is not the id of an account: sett account list shows all accounts`,
		"user add --password short --role king": roles + "; --account can't be blank: sett account list shows all ids; --email must be an email address such as " +
			"you@example.org; --name can't be blank; --password is too short (minimum is 10 characters); four random words work well",
		"user add --account ACCOUNT --email mia@example.org": "the user with the address mia@example.org already belongs to the account ACCOUNT; " +
			"change their role with sett user role mia@example.org",
		"user add --account ACCOUNT --email olga@example.org --password five-pale-otters": "--password is only for new users, and olga@example.org already exists: " +
			"use sett user password instead",
		"user role olga@example.org --account ACCOUNT --role Admin": "olga@example.org is not a user of the account Sett; sett user list --account ACCOUNT shows its users",
		"user remove admin@example.com --account ACCOUNT":           "This is the last owner of the account. Make another user an owner first.",
		"user second-factor mia@example.org":                        "this command can only turn a second factor off, with --off; users set one up themselves, at /me/security",
		"user second-factor mia@example.org --off":                  "mia@example.org has no second factor",
		"token add mia@example.org --scope all --expires soon --name=": "--name can't be blank; --scope has \"all\", which is no scope: it must be read, write, or names such as " +
			"faults:read,faults:write; " +
			"--expires must be a number of days such as 90d, a date such as DAY, or never",
		"token revoke mia@example.org 1":     "mia@example.org has no token with the id 1; sett token list mia@example.org shows all tokens",
		"token revoke unknown@example.org x": `"x" is not the id of a token: ids are numbers, shown by sett token list; "unknown@example.org" is not the email address of a user: sett user list shows all users`,
	} {
		status, stdout, stderr := try(o.environ, strings.Fields(strings.ReplaceAll(line, "ACCOUNT", o.account))...)
		got := today.ReplaceAllString(strings.ReplaceAll(stderr, o.account, "ACCOUNT"), "DAY")
		if diff := cmp.Diff("sett: "+want+"\n", got); diff != "" || status != 1 || stdout != "" {
			t.Errorf("sett %s: status %d, stdout %q, stderr (-want +got):\n%s", line, status, stdout, diff)
		}
	}
}

func TestAdministrationBeforeSetup(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	for _, line := range []string{"account list", "user list", "token list olga@example.org", "account add --name Acme --owner olga@example.org"} {
		dir := filepath.Join(data, strings.ReplaceAll(line, " ", "-"))
		for range 2 {
			wantMistake(t, "this database has no account yet; create the first one with sett setup --data "+quoted(dir), append(strings.Fields(line), "--data", dir)...)
			if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("sett %s has made %s: %v", line, dir, err)
			}
		}
	}
}

// quoted writes a directory as a shell needs it where it has other characters than those of most names.
func quoted(dir string) string {
	if strings.Contains(dir, "@") {
		return "'" + dir + "'"
	}
	return dir
}

func TestHelpOfCommandsWithArguments(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"help user role", "user role --help"} {
		status, stdout, stderr := try(nil, strings.Fields(line)...)
		if status != 0 || stderr != "" || !strings.Contains(stdout, "sett user role EMAIL [flags]") {
			t.Errorf("sett %s: status %d, stderr %q, stdout:\n%s", line, status, stderr, stdout)
		}
	}
}

// Every shell line of the page on administration does what it says, one after the other.
func TestAdministrationPage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/administration.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := example.Shell(page)
	shell := process(t, "sh", "-c", "set -eu\nsett() { "+os.Args[0]+" \"$@\"; }\n"+strings.Join(blocks, ""))
	shell.Env = append(shell.Env, newOffice(t).environ...)
	output, err := shell.CombinedOutput()
	if err != nil || len(blocks) < 4 || !strings.Contains(string(output), "deploy script") {
		t.Errorf("%d blocks, %v:\n%s", len(blocks), err, output)
	}
}

func TestEraseCommand(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	for _, step := range []struct{ line, want string }{
		{"erase --project 1 ines@example.org", "0 events in 0 errors of My project would be deleted. Nothing has changed. To delete them, add --yes.\n"},
		{"erase --project 1 ines@example.org --yes", "Erased i…@example.org from My project: 0 events in 0 errors.\n"},
	} {
		if got := o.do(strings.Fields(step.line)...); got != step.want {
			t.Errorf("sett %s printed %q, want %q", step.line, got, step.want)
		}
	}
	for line, want := range map[string]string{
		"erase ines@example.org":         "--project can't be blank",
		"erase --project 9 ines --yes":   "--project 9 is not the id of a project",
		"erase --project 1":              "the ID, email address or name of a user",
		"erase --project 1 --yes \u00a0": "user can't be blank",
	} {
		if status, _, stderr := try(o.environ, strings.Split(line, " ")...); status != 1 || !strings.Contains(stderr, want) {
			t.Errorf("sett %s: status %d, stderr %q, want %q", line, status, stderr, want)
		}
	}
}
