package notice

import "strings"

// levels are the names of levels that clients send, by how they call them.
var levels = map[string]string{
	"trace": "debug", "verbose": "debug", "debug": "debug", "info": "info", "log": "info", "notice": "info", "warn": "warning", "warning": "warning",
	"error": "error", "err": "error", "fatal": "fatal", "critical": "fatal", "crit": "fatal", "emergency": "fatal", "alert": "fatal",
}

// Level returns the level that a client means by a name: debug, info, warning, error or fatal; "" for any other text.
func Level(name string) string { return levels[strings.ToLower(strings.TrimSpace(name))] }
