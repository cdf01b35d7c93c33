// Package schema holds the schema of the database: one file for each version, in the order of their
// numbers. The files are SQL with holes, which package db fills for each engine. A file that was
// released is never changed, and a new one has a number above all that were: a database which has a higher one without it is refused.
package schema

import "embed"

// Files are the changes of the schema.
//
//go:embed *.sql
var Files embed.FS
