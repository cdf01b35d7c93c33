// Package docs holds the chapters of the manual, which the server shows too. Documents for those who
// work on sett are beside them, and are not in the program.
package docs

import "embed"

// Files are those documents.
//
//go:embed administration.md agents.md alarms.md as-code.md backup.md badgerql.md check-ins.md clients.md command-line.md compatibility.md concepts.md configuration.md dashboards.md directory.md events.md integrations.md
//go:embed grouping-rules.md import.md installing.md migration.md performance.md quick-start.md reported-data.md repositories.md search.md security.md source-maps.md status-pages.md troubleshooting.md
//go:embed export.md export.schema.json import-monitors.md uptime.md
var Files embed.FS

// Pictures are those of the chapters and of the README. make pictures takes them.
//
//go:embed pictures/*-light.png pictures/*-dark.png
var Pictures embed.FS
