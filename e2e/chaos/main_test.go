// Package chaos takes away from servers what they need: their database, its primary, their network, room on their disk, the right time, object
// storage. Whatever they accepted meanwhile must be there afterwards, once. TestChaos does all of it at random times.
package chaos

import (
	"testing"

	"sett/e2e/rig"
)

func TestMain(m *testing.M) { rig.Main(m) }
