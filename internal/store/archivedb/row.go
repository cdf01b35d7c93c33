package archivedb

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"sett/internal/sett"
	"sett/internal/store/db"
	"sett/internal/store/statusdb"
	"sett/internal/store/uptimedb"
)

// row makes the values of a row of a record, in the order of the columns; nil for a row that does not come.
func (i *Import) row(ctx context.Context, t *db.Tx, n Noun, record map[string]any) ([]any, error) {
	values := map[string]any{}
	for _, c := range i.columns[n.Table] {
		v, has := record[c.Name]
		if instead, stays := n.stays[c.Name]; stays {
			v = instead
		} else if !has || v == nil && !n.mayBeNull(c) {
			v = empty(c)
		}
		v, err := value(c, v)
		if err != nil {
			return nil, sett.Errorf(sett.Invalid, "%s.jsonl: the field %s %s", n.Name, c.Name, err)
		}
		values[c.Name] = v
	}
	for _, r := range n.refs {
		v, comes, err := i.refer(r, values[r.column])
		if err != nil {
			return nil, fmt.Errorf("%s.jsonl: %w", n.Name, err)
		}
		if !comes {
			return nil, nil
		}
		values[r.column] = v
	}
	if n.ID != "" {
		id, err := i.moved(n.Name, values[n.ID].(int64))
		if err != nil {
			return nil, fmt.Errorf("%s.jsonl: %w", n.Name, err)
		}
		values[n.ID] = id
	}
	for _, name := range n.lists {
		values[name] = i.renamedList(name, values[name].(string))
	}
	if i.renamed[n.Name] {
		values[n.Own] = i.rename(values[n.Own])
	}
	if err := i.special(ctx, t, n, values); err != nil {
		return nil, err
	}
	return i.sealed(ctx, t, n, values)
}

// sealed encrypts what is stored so, and puts the values in order.
func (i *Import) sealed(ctx context.Context, t *db.Tx, n Noun, values map[string]any) (row []any, err error) {
	for _, c := range i.columns[n.Table] {
		if c.Sealed == nil {
			continue
		}
		plain, _ := values[c.Name].(string)
		if b, ok := values[c.Name].([]byte); ok {
			plain = string(b)
		}
		var identity []any
		for name := range strings.SplitSeq(c.Sealed.Row, ", ") {
			identity = append(identity, identityOf(name, values[name]))
		}
		text, err := t.Seal(ctx, c.Sealed, plain, identity...)
		if err != nil {
			return nil, err
		}
		if values[c.Name] = c.Sealed.Stored(text); c.Sealed.Hash != "" {
			values[c.Sealed.Hash] = c.Sealed.HashOf(plain)
		}
	}
	for _, c := range i.columns[n.Table] {
		row = append(row, values[c.Name])
	}
	return row, nil
}

// refer returns the id that a reference has here; false if the row does not come.
func (i *Import) refer(r ref, v any) (here any, comes bool, err error) {
	id, ok := v.(int64)
	if !ok || id == 0 {
		return v, true, nil
	}
	switch {
	case r.noun == Events:
		return id&^(sett.MaxNodes-1) | sett.ImportNode, true, nil
	case r.noun == "assignees" && id < 0 && i.Whole: // a team
		team, err := i.moved("teams", -id)
		return -team, true, err
	case r.noun == "assignees" || r.noun == "users":
		if user, known := i.users[id]; known {
			return user, true, nil
		}
	default:
		here, err := i.moved(r.noun, id)
		return here, true, err
	}
	switch r.lost {
	case zero:
		return int64(0), true, nil
	case null:
		return nil, true, nil
	}
	return nil, false, nil
}

// renamedList is a JSON array of identifiers of sites or check-ins, as they are here.
func (i *Import) renamedList(column, text string) string {
	noun := map[string]string{"site_ids": "sites", "check_in_ids": "check_ins"}[column]
	var ids []string
	if !i.renamed[noun] || json.Unmarshal([]byte(text), &ids) != nil {
		return text
	}
	for at, id := range ids {
		if uuid, err := sett.ParseUUID(id); err == nil && noun == "sites" {
			ids[at] = sett.UUID(i.rename(uuid[:]).([]byte)).String()
		} else {
			ids[at], _ = i.rename(id).(string)
		}
	}
	return db.JSONText(ids)
}

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

// rename returns another identifier of the same form. The same one becomes the same, also after the import was cut off.
func (i *Import) rename(own any) any {
	if b, ok := own.([]byte); ok {
		sum := sha256.Sum256(append([]byte(i.Export+"\x00"), b...))
		return sum[:min(len(b), len(sum))]
	}
	text, _ := own.(string)
	sum := sha256.Sum256([]byte(i.Export + "\x00" + text))
	if digits := hex.EncodeToString(sum[:]); strings.Trim(text, "0123456789abcdef-") == "" {
		other := []byte(text)
		for at := range other {
			if other[at] != '-' {
				other[at] = digits[at%len(digits)]
			}
		}
		return string(other)
	}
	other := make([]byte, len(text))
	for at := range other {
		other[at] = letters[int(sum[at%len(sum)]+byte(at))%len(letters)]
	}
	return string(other)
}

// special sets what is different on each server.
func (i *Import) special(ctx context.Context, t *db.Tx, n Noun, values map[string]any) (err error) {
	if _, has := values["account_id"]; has {
		values["account_id"] = i.AccountID
	}
	switch n.Name {
	case "sites":
		values["revision"], err = nextOf(ctx, t, i.s.db.Text(uptimedb.NextRevision), 1)
	case "status_pages":
		if values["revision"], err = nextOf(ctx, t, i.s.db.Text(statusdb.NextRevision), false); err == nil {
			err = i.address(ctx, t, values)
		}
	case "status_subscribers":
		err = i.stopLink(ctx, t, n, values)
	case "check_ins":
		i.postpone(values)
	}
	return err
}

const addressesTaken = `-- archivedb.addressesTaken
SELECT EXISTS (SELECT 1 FROM status_pages WHERE slug = $1), EXISTS (SELECT 1 FROM status_pages WHERE domain = $2 AND domain <> '')`

// address gives a status page another slug, and no domain, where another page has them.
func (i *Import) address(ctx context.Context, t *db.Tx, values map[string]any) error {
	var slug, domain bool
	if err := t.QueryRowContext(ctx, i.s.db.Text(addressesTaken), values["slug"], values["domain"]).Scan(&slug, &domain); err != nil {
		return err
	}
	if slug {
		sum := sha256.Sum256([]byte(i.Export))
		values["slug"] = fmt.Sprintf("%.40s-%x", values["slug"], sum[:3])
	}
	if domain {
		values["domain"], values["domain_state"], values["domain_proof"], values["domain_verified_at"] = "", "", "", int64(0)
	}
	return nil
}

const tokenTaken = `-- archivedb.tokenTaken
SELECT EXISTS (SELECT 1 FROM status_subscribers WHERE token_hash = $1)`

// stopLink gives a subscriber another token where the export has none, or another subscriber has it.
func (i *Import) stopLink(ctx context.Context, t *db.Tx, n Noun, values map[string]any) error {
	token, _ := values["token"].(string)
	taken := token == ""
	if c, _ := i.column(n, "token"); !taken {
		if err := t.QueryRowContext(ctx, i.s.db.Text(tokenTaken), c.Sealed.HashOf(token)).Scan(&taken); err != nil {
			return err
		}
	}
	if taken {
		values["token"] = rand.Text()
	}
	return nil
}

func nextOf(ctx context.Context, t *db.Tx, statement string, parameter any) (revision int64, err error) {
	return revision, t.QueryRowContext(ctx, statement, parameter).Scan(&revision)
}

// postpone moves the times of a check-in that have passed since the export: no server waited for its reports.
func (i *Import) postpone(values map[string]any) {
	passed := i.Now.Sub(i.MadeAt).Microseconds()
	if deadline, _ := values["deadline_at"].(int64); passed <= 0 || deadline > db.Micros(i.Now) {
		return
	}
	for _, name := range []string{"expected_at", "deadline_at", "run_deadline_at"} {
		if at, _ := values[name].(int64); at > db.Micros(i.MadeAt) {
			values[name] = at + passed
		}
	}
}

// announce wakes those who wait for rows of a noun.
func (i *Import) announce(t *db.Tx, n Noun) {
	switch n.Name {
	case "sites":
		t.Wake(uptimedb.SitesChanged)
	case "status_pages", "status_components", "status_incidents", "status_updates":
		t.Wake(statusdb.StatusChanged)
	}
}

// mayBeNull says whether a column may be empty in a row of a noun.
func (n Noun) mayBeNull(c db.ColumnShape) bool {
	for _, r := range n.refs {
		if r.column == c.Name {
			return r.lost == null || n.Table == "saved_searches"
		}
	}
	return slices.Contains([]string{"projects.earliest_notice_at", "comments.feedback"}, n.Table+"."+c.Name)
}

// empty is the value of a column that an older export does not have.
func empty(c db.ColumnShape) any {
	switch c.Type {
	case "integer":
		return json.Number("0")
	case "number":
		return json.Number("0")
	case "boolean":
		return false
	}
	return ""
}

// value converts a value of a record to what is stored.
func value(c db.ColumnShape, v any) (any, error) {
	if v == nil {
		return nil, nil
	}
	switch c.Type {
	case "integer":
		return integer(v)
	case "number":
		if number, ok := v.(json.Number); ok {
			return number.Float64()
		}
	case "boolean":
		if flag, ok := v.(bool); ok {
			return flag, nil
		}
	case "text":
		if text, ok := v.(string); ok && !strings.Contains(text, "\x00") {
			return text, nil
		}
	case "bytes":
		switch have := v.(type) {
		case []byte:
			return have, nil
		case string:
			if b, err := base64.StdEncoding.DecodeString(have); err == nil {
				return b, nil
			}
			return nil, fmt.Errorf("must be base64")
		}
	}
	return nil, fmt.Errorf("must be of the type %s", c.Type)
}

func integer(v any) (int64, error) {
	switch have := v.(type) {
	case int64:
		return have, nil
	case json.Number:
		if id, err := have.Int64(); err == nil {
			return id, nil
		}
	}
	return 0, fmt.Errorf("must be an integer")
}

// Own returns the identifier of its own that a record has, as it is stored.
func (i *Import) Own(n Noun, record map[string]any) (any, error) {
	c, _ := i.column(n, n.Own)
	v, err := value(c, record[n.Own])
	if err != nil || v == nil {
		return nil, sett.Errorf(sett.Invalid, "%s.jsonl: the field %s is missing or of another type", n.Name, n.Own)
	}
	return v, nil
}

// Key returns the number of a record.
func (i *Import) Key(n Noun, record map[string]any) (int64, error) {
	key, err := integer(record[cmp.Or(n.ID, n.key)])
	if err != nil {
		return 0, sett.Errorf(sett.Invalid, "%s.jsonl: the number of a record %s", n.Name, err)
	}
	return key, nil
}
