package block_test

import (
	"strings"
	"testing"

	"sett/internal/store/block"
	"sett/internal/store/storetest"
)

// The newest bundles and blocks are read in the order of an index, so that no others are.
func TestRecentLooksIntoIndexes(t *testing.T) {
	t.Parallel()
	d := storetest.NewDesk(t, storetest.OpenSQLite(t))
	for statement, wants := range map[string]string{
		block.RecentFacets:   "SEARCH bundle_facets USING INDEX bundle_facets_of_project (project_id=?)",
		block.RecentBlocksOf: "SEARCH blocks USING INDEX blocks_of_project (project_id=?)",
	} {
		if plan := d.Plan(d.Text(statement), 1, 2); !strings.Contains(plan, wants) || strings.Contains(plan, "TEMP B-TREE") {
			t.Errorf("%s\nis run as\n%s", statement, plan)
		}
	}
}
