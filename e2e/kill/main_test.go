// Package kill kills servers and agents over and over while they work. Whatever they accepted, checked, promised or began must be there
// afterwards, once.
package kill

import (
	"testing"

	"sett/e2e/rig"
)

func TestMain(m *testing.M) { rig.Main(m) }
