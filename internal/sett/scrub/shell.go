package scrub

import (
	"strings"

	"sett/internal/sett/scan"
)

// isShell reports whether the object that comes next is the environment of a shell: it has PATH, and another variable that shells set.
func isShell(ahead scan.Scanner) bool {
	path, others := false, false
	for key := range ahead.Members {
		path = path || key == "PATH"
		others = others || isShellVariable(key)
		ahead.Value()
	}
	return path && others
}

// isShellVariable reports whether shells set a variable, beside PATH.
func isShellVariable(name string) bool {
	switch name {
	case "HOME", "PWD", "SHELL", "USER", "LOGNAME", "SHLVL", "OLDPWD":
		return true
	}
	return false
}

// isKept reports whether the project keeps the values of a key.
func (r *Rules) isKept(key string) bool {
	var room [longestName]byte
	return anyMatches(r.keep, plainName(room[:0], key))
}

// harmlessVariables say where and how a program runs; harmlessBeginnings are of those that a web server adds for a request.
var (
	harmlessVariables = map[string]bool{
		"PATH": true, "HOME": true, "PWD": true, "OLDPWD": true, "SHELL": true, "SHLVL": true, "USER": true, "LOGNAME": true, "HOSTNAME": true,
		"LANG": true, "LANGUAGE": true, "TZ": true, "TERM": true, "EDITOR": true, "PAGER": true, "TMPDIR": true, "_": true,
		"RAILS_ENV": true, "RACK_ENV": true, "NODE_ENV": true, "APP_ENV": true, "MIX_ENV": true, "PORT": true, "DYNO": true,
		"GOPATH": true, "GOROOT": true, "JAVA_HOME": true, "VIRTUAL_ENV": true, "PYTHONPATH": true, "GEM_HOME": true, "BUNDLE_GEMFILE": true,
		"QUERY_STRING": true, "GATEWAY_INTERFACE": true, "PATH_INFO": true, "PATH_TRANSLATED": true, "HTTPS": true, "DOCUMENT_ROOT": true,
		"ORIGINAL_FULLPATH": true, "ORIGINAL_SCRIPT_NAME": true,
	}
	harmlessBeginnings = []string{"LC_", "XDG_", "HTTP_", "REQUEST_", "SERVER_", "REMOTE_", "CONTENT_", "SCRIPT_"}
)

// isHarmlessVariable reports whether a variable stays. Those of frameworks have lower case letters, and no shell has them.
func isHarmlessVariable(key string) bool {
	if harmlessVariables[key] || strings.ContainsFunc(key, func(r rune) bool { return 'a' <= r && r <= 'z' }) {
		return true
	}
	for _, beginning := range harmlessBeginnings {
		if strings.HasPrefix(key, beginning) {
			return true
		}
	}
	return false
}
