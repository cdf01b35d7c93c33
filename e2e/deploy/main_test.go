// Package deploy starts sett as operators do: with certificates, behind PgBouncer, as an ordinary role, from databases of earlier versions, and
// where it must refuse to start and say why.
package deploy

import (
	"testing"

	"sett/e2e/rig"
)

func TestMain(m *testing.M) { rig.Main(m) }
