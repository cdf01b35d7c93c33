// Package docs holds the documents that the server shows in its manual as well. In comes nothing; out go their texts as they
// stand in the repository. It holds no text that only the manual has: that is with the pages.
package docs

import "embed"

// Files are those documents.
//
//go:embed administration.md backup.md compatibility.md configuration.md integrations.md status-pages.md
var Files embed.FS
