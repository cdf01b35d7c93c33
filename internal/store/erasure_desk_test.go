package store_test

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"

	"sett/internal/event/query"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/sett/scrub"
	"sett/internal/sett/stats"
	"sett/internal/sett/triage"
	"sett/internal/store/block"
	"sett/internal/store/faultdb"
	"sett/internal/store/searchdb"
	"sett/internal/store/storetest"
)

const (
	ines = "Ines@Example.test"
	olaf = "olaf@example.test"
)

// from makes a report one of a user, whose name occurs in its facets and its body.
func from(name string, more ...string) func(*faults.Report) {
	return func(r *faults.Report) {
		r.User = name
		r.Facets = "\nhostname=web-1\nuser=" + strings.ToLower(name) + "\ncontext.user_email=" + strings.ToLower(name) + "\n"
		for _, line := range more {
			r.Facets += line + "\n"
		}
		r.Body = []byte(strings.Replace(string(r.Body), `"server":{}`, fmt.Sprintf(`"server":{},"request":{"context":{"user_email":%q}}`, name), 1))
	}
}

// erase creates an erasure and runs it.
func (d *desk) erase(project int64, user string) scrub.Erasure {
	d.T.Helper()
	e, err := d.CreateErasure(d.T.Context(), storetest.Noon, d.UserID, project, scrub.ErasureChange{User: sett.Some(user)})
	if err != nil {
		d.T.Fatal(err)
	}
	return d.swept(e)
}

func (d *desk) swept(e scrub.Erasure) scrub.Erasure {
	d.T.Helper()
	if err := d.SweepErasures(d.T.Context(), purgeAt(storetest.Noon.Add(time.Hour))); err != nil {
		d.T.Fatal(err)
	}
	return d.erasure(e)
}

func (d *desk) erasure(e scrub.Erasure) scrub.Erasure {
	d.T.Helper()
	e, err := d.ErasureByID(d.T.Context(), e.ProjectID, e.ID)
	if err != nil {
		d.T.Fatal(err)
	}
	return e
}

func (d *desk) preview(project int64, user string) scrub.ErasurePreview {
	d.T.Helper()
	p, err := d.PreviewErasure(d.T.Context(), project, scrub.ErasureChange{User: sett.Some(user)})
	if err != nil {
		d.T.Fatal(err)
	}
	return p
}

// stored returns what the tables contain, decompressed, where a text occurs in it in lower case.
func (d *desk) stored(text string) (found []string) {
	d.T.Helper()
	note := func(where string, b []byte) {
		if strings.Contains(strings.ToLower(string(b)), strings.ToLower(text)) {
			found = append(found, where)
		}
	}
	unpacker, err := zstd.NewReader(nil)
	if err != nil {
		d.T.Fatal(err)
	}
	defer unpacker.Close()
	for _, c := range d.columns() {
		rows, err := d.Read.QueryContext(d.T.Context(), fmt.Sprintf("SELECT %s FROM %s", c[1], c[0]))
		if err != nil {
			d.T.Fatal(err)
		}
		for rows.Next() {
			var b []byte
			if err := rows.Scan(&b); err != nil {
				d.T.Fatal(err)
			}
			note(c[0]+"."+c[1], b)
			if body, err := block.Decompress(b); err == nil {
				note(c[0]+"."+c[1], body)
			}
			for skip := 1; skip < min(8, len(b)); skip++ { // frames follow a version, or a version and a length
				if body, err := unpacker.DecodeAll(b[skip:], nil); err == nil {
					note(c[0]+"."+c[1], body)
				}
			}
		}
		rows.Close()
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// columns returns all columns of text and of bytes.
func (d *desk) columns() (all [][2]string) {
	d.T.Helper()
	query := `SELECT t.name, c.name FROM sqlite_master t, pragma_table_info(t.name) c WHERE t.type = 'table' AND lower(c.type) IN ('text', 'bytea', 'blob')`
	if !d.SQLite() {
		query = `SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'public' AND data_type IN ('text', 'bytea')`
	}
	rows, err := d.Read.QueryContext(d.T.Context(), query)
	if err != nil {
		d.T.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var c [2]string
		if err := rows.Scan(&c[0], &c[1]); err != nil {
			d.T.Fatal(err)
		}
		all = append(all, c)
	}
	return all
}

// shown returns which of the ways to read notices show a user.
func (d *desk) shown(project int64, name string, ids []accounts.Receipt) (ways []string) {
	d.T.Helper()
	ctx := d.T.Context()
	must := func(err error) {
		d.T.Helper()
		if err != nil {
			d.T.Fatal(err)
		}
	}
	note := func(way string, v any) {
		if strings.Contains(strings.ToLower(fmt.Sprintf("%+v", v)), strings.ToLower(name)) {
			ways = append(ways, way)
		}
	}
	search, err := sett.ParseSearch("user:"+name, storetest.Noon)
	must(err)
	faults, _, err := d.Search.ListFaults(ctx, storetest.Noon, project, searchdb.Filter{Search: search}, searchdb.Page{Page: sett.Page{Size: 10}})
	must(err)
	if len(faults) > 0 {
		ways = append(ways, "search")
	}
	report, err := d.Faults.ProjectReport(ctx, storetest.Noon.Add(time.Hour), project, stats.NoticesByUser, "", stats.ReportSpan{From: storetest.Noon.Add(-24 * time.Hour), To: storetest.Noon.Add(time.Hour)})
	must(err)
	note("report", report)
	faults, _, err = d.Search.ListFaults(ctx, storetest.Noon, project, searchdb.Filter{}, searchdb.Page{Page: sett.Page{Size: 50}})
	must(err)
	note("faults", faults)
	for _, typed := range []string{"user:", "context.user_email:"} {
		t, _ := query.ReadTyped(typed)
		suggested, err := d.Search.Suggest(ctx, project, t)
		must(err)
		note("suggestions", suggested)
	}
	for _, f := range faults {
		users, _, err := d.Faults.AffectedUsers(ctx, project, f.ID, "", 100)
		must(err)
		note("affected users", users)
		notices, _, err := d.Faults.ListNotices(ctx, project, f.ID, faultdb.NoticePage{Page: sett.Page{Size: 50}})
		must(err)
		for _, n := range notices {
			note("notices", n.Request.User)
		}
		explained, err := d.Faults.ExplainFault(ctx, storetest.Noon, project, f.ID, nil)
		must(err)
		note("explanation", explained)
	}
	for _, r := range ids {
		n, err := d.Faults.NoticeByUUID(ctx, project, r.ID)
		if sett.CodeOf(err) != sett.NotFound {
			must(err)
			note("notice", n.Request.User)
		}
	}
	slices.Sort(ways)
	return slices.Compact(ways)
}

// record records what tests erase: notices of two users, in blocks, merged errors and bundles, and one in another project.
func recordPeople(d *desk, other int64) (receipts []accounts.Receipt) {
	d.T.Helper()
	add := func(at time.Time, reports ...*faultdb.Packed) {
		receipts = append(receipts, d.Record(at, accounts.Limits{}, reports...)...)
	}
	add(storetest.Noon.Add(-3*time.Hour),
		d.Report("A", from(ines), storetest.WithToken(1)), d.Report("A", from(olaf)), d.Report("B", from(ines)), d.Report("Part", from(ines)),
		d.Report("A", from("4711", "params.mail="+strings.ToLower(ines))), d.Report("Elsewhere", from(ines), of(other)))
	d.Compact(storetest.Noon, block.Sizes{Most: 8, Least: 1})
	add(storetest.Noon.Add(-2*time.Minute), inOneBundle(d.Report("A", from(ines), storetest.WithToken(2)), d.Report("A", from(olaf)))...)
	into := triage.FaultMerge{IntoID: sett.Some(d.FaultID("A"))}
	if err := d.Faults.MergeFault(d.T.Context(), storetest.Noon, d.UserID, d.ProjectID, d.FaultID("Part"), into); err != nil {
		d.T.Fatal(err)
	}
	return receipts
}
