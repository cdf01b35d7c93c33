// Package client has a Go client of sett's API, but only while TestGeneratedClient runs: a public generator writes it from the document of
// the running server, and an overlay puts it here. The file in the repository only imports what the client imports, so that go.mod lists
// it.
package client

import (
	_ "github.com/oapi-codegen/nullable"
	_ "github.com/oapi-codegen/runtime"
)
