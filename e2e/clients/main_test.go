// Package clients proves sett with the clients that people use, released and not modified: for Go, JavaScript, Python, Java and Rust, of several
// protocols, and curl. What each of them reported is compared field by field with what sett shows through /v2. Programs and
// commands of the manual are run as they stand there. The management interface is used up and down by its released Go client, and
// by clients that public generators write from sett's own document.
package clients

import (
	"testing"

	"sett/e2e/rig"
)

func TestMain(m *testing.M) { rig.Main(m) }
