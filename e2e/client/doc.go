// Package client has a Go client of sett's interface, but only while TestGeneratedClient runs: a public generator
// writes it from the document of the running server, and an overlay puts it here. Kept is no more than what it imports,
// so that go.mod knows it.
package client

import (
	_ "github.com/oapi-codegen/nullable"
	_ "github.com/oapi-codegen/runtime"
)
