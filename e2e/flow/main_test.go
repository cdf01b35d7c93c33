// Package flow walks through the pages in Chromium as people do it, with scripts and without, and through status pages as their
// readers do. It also holds every page to what a browser alone can measure: layout, colors, sizes, paint times, and what axe finds.
package flow

import (
	"testing"

	"sett/e2e/rig"
)

func TestMain(m *testing.M) { rig.Main(m) }
