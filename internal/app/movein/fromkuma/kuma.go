// Package fromkuma reads what Uptime Kuma watches from its SQLite file, of version 1.23 or 2, or one whose migration was cut off. It takes the
// path of the file; it returns sites, check-ins, channels, status pages with incidents, maintenance windows and the past of each, and names
// what sett has no place for. It never writes to the file, and believes nothing that it says.
package fromkuma

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"

	"sett/internal/sett"
	"sett/internal/sett/move"
	"sett/internal/store/otherdb"
)

// most is how many rows of a table are read.
const most = 10_000

// reader reads one file.
type reader struct {
	*otherdb.File
	move.Monitoring
	settings map[string]string
	groups   map[string]string       // names of monitors that are groups
	kinds    map[string]move.Watched // what became of monitors
	names    map[string]string       // of monitors
}

// Read returns all that a file has.
func Read(ctx context.Context, path string) (m *move.Monitoring, err error) {
	f, err := otherdb.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if !f.Has("monitor") || !f.Has("heartbeat") {
		return nil, sett.Errorf(sett.Invalid, "%s is not the database of Uptime Kuma: it lacks the tables monitor and heartbeat. Give the path of kuma.db. If data/db-config.json says that yours is in MariaDB, it cannot be read.", path)
	}
	r := &reader{File: f, settings: map[string]string{}, groups: map[string]string{}, kinds: map[string]move.Watched{}, names: map[string]string{}}
	for _, step := range []func(context.Context) error{r.readSettings, r.monitors, r.past, r.channels, r.pages, r.maintenance, r.tags} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	r.From = move.Place{Source: "kuma", Host: r.host(path)}
	return &r.Monitoring, nil
}

// rows reads a table, if there is one, in an order.
func (r *reader) rows(ctx context.Context, table, order string, each func(otherdb.Row)) error {
	if !r.Has(table) {
		return nil
	}
	return r.Each(ctx, `SELECT * FROM "`+table+`" ORDER BY `+order+` LIMIT ?`, func(row otherdb.Row) error {
		each(row)
		return nil
	}, most)
}

func (r *reader) readSettings(ctx context.Context) error {
	return r.rows(ctx, "setting", "id", func(row otherdb.Row) {
		text := row.Text("value")
		if json.Unmarshal([]byte(text), &text) != nil {
			text = row.Text("value")
		}
		r.settings[row.Text("key")] = text
	})
}

// host is an id of the installation, made of what only one has. That is a secret: a part of its sum is none.
func (r *reader) host(path string) string {
	if secret := r.settings["jwtSecret"]; secret != "" {
		sum := sha256.Sum256([]byte("sett import\x00" + secret))
		return hex.EncodeToString(sum[:8])
	}
	return move.Line(filepath.Base(path), move.MostName)
}

// tags are only counted: sites have none.
func (r *reader) tags(ctx context.Context) error {
	var names []string
	err := r.rows(ctx, "tag", "id", func(row otherdb.Row) { names = append(names, row.Text("name")) })
	if len(names) > 0 {
		r.Leave("tags", strings.Join(names[:min(len(names), 10)], ", "), "Sites and check-ins have no tags.", "")
	}
	return err
}
