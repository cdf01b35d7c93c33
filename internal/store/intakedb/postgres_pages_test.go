package intakedb_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"sett/internal/sett/accounts"
	"sett/internal/store/faultdb"
	"sett/internal/store/intakedb"
	"sett/internal/store/storetest"
)

// classes returns n reports of different faults.
func (d *desk) classes(n int) (all []*faultdb.Packed) {
	for i := range n {
		all = append(all, d.Report(fmt.Sprint("Class", i)))
	}
	return all
}

// A server that has just begun has no statistics. It finds the faults of a batch by their keys all the same, and reads few pages for it.
func TestFaultsOfABatchAreFoundInFewPages(t *testing.T) {
	t.Parallel()
	d := newDesk(t, storetest.NewCluster(t).Node(t))
	session, err := d.Write.Conn(t.Context()) // with the settings of those that record
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	run := func(text string) {
		t.Helper()
		if _, err := session.ExecContext(t.Context(), text); err != nil {
			t.Fatal(err)
		}
	}
	run(`PREPARE found (bigint[], bigint[], bytea[]) AS ` + d.Text(intakedb.FaultsByKey))
	run(`EXECUTE found ('{1}', '{1}', '{""}')`) // planned while there are no faults, as in a new database

	d.Record(storetest.Noon, accounts.Limits{}, d.classes(400)...)
	var keys string
	err = d.Read.QueryRowContext(t.Context(), `SELECT format('(%L, %L, %L)', array_agg(id), array_agg(project_id), array_agg(key)) FROM faults`).Scan(&keys)
	if err != nil {
		t.Fatal(err)
	}
	var plan []byte
	if err := session.QueryRowContext(t.Context(), `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) EXECUTE found `+keys).Scan(&plan); err != nil {
		t.Fatal(err)
	}
	var read []struct {
		Plan struct {
			Rows float64 `json:"Actual Rows"`
			Hit  int     `json:"Shared Hit Blocks"`
			Read int     `json:"Shared Read Blocks"`
		}
	}
	if err := json.Unmarshal(plan, &read); err != nil {
		t.Fatal(err)
	}
	if p := read[0].Plan; p.Rows != 400 || p.Hit+p.Read > 6*400 {
		t.Errorf("%v faults took %d blocks:\n%s", p.Rows, p.Hit+p.Read, plan)
	}
}
