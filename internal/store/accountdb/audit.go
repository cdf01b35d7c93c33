package accountdb

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/directory"
	"sett/internal/sett/signin"
	"sett/internal/store/db"
)

// audit is the entry of a request's change, until a transaction has stored it. Like the request, it is used by one goroutine at a time.
type audit struct {
	entry     func() accounts.AuditEntry
	accountID string  // set if it becomes known after the entry was created
	object    *string // what the object was called before the change; nil until it was looked up
	stored    bool
}

type auditKey struct{}

// WithAudit returns a context under which the first transaction that commits also stores an entry of the audit log. It calls entry at the
// end of that transaction, when the request has been read completely.
func WithAudit(ctx context.Context, entry func() accounts.AuditEntry) context.Context {
	return context.WithValue(ctx, auditKey{}, &audit{entry: entry})
}

// WithoutAudit returns a context under which no transaction stores the entry of WithAudit: for what a request does before its change, such as
// the check of a password, which is no change and may end in a refusal.
func WithoutAudit(ctx context.Context) context.Context {
	return context.WithValue(ctx, auditKey{}, (*audit)(nil))
}

// pendingAudit returns the context's entry from WithAudit if no transaction has stored it yet, or nil.
func pendingAudit(ctx context.Context) *audit {
	a, _ := ctx.Value(auditKey{}).(*audit)
	if a == nil || a.stored {
		return nil
	}
	return a
}

// auditIn records the account of a request's change if the path does not name it.
func auditIn(ctx context.Context, accountID string) {
	if a := pendingAudit(ctx); a != nil {
		a.accountID = accountID
	}
}

// AuditChanges has the context's entry from WithAudit say this of the change, and not what was sent, which must not be kept.
func AuditChanges(ctx context.Context, changes map[string]any) {
	if a := pendingAudit(ctx); a != nil {
		entry := a.entry
		a.entry = func() accounts.AuditEntry {
			e := entry()
			e.Changes = sett.MaskedFields(changes)
			return e
		}
	}
}

const insertAudit = `-- accountdb.insertAudit
INSERT INTO audit_log (account_id, at, user_id, user_name, user_email, token, action, subject, object, target, query, changes, address, user_agent)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`

// settle notes that the transaction that stored the entry has committed.
func (a *audit) settle() {
	if a != nil {
		a.stored = true
	}
}

// nameAudited looks up what the object of the pending entry is called, before the change can delete or rename it.
func (t Tx) nameAudited(ctx context.Context, a *audit) error {
	if a == nil || a.object != nil || t.s.NameObject == nil {
		return nil
	}
	name, err := t.s.NameObject(ctx, t.Tx, a.entry().Target)
	if err != nil {
		return fmt.Errorf("name object of audit entry: %w", err)
	}
	a.object = &name
	return nil
}

// storeAudit stores the pending entry, if there is one.
func (t Tx) storeAudit(ctx context.Context, a *audit) error {
	if a == nil {
		return nil
	}
	e := a.entry()
	if a.object != nil {
		e.Object = sett.CutText(*a.object, accounts.LongestAuditObject)
	}
	target, err := json.Marshal(e.Target)
	if err != nil {
		return fmt.Errorf("write target of audit entry: %w", err)
	}
	_, err = t.Exec(ctx, insertAudit, cmp.Or(e.AccountID, a.accountID), db.Micros(e.At), e.User.ID, e.User.Name, e.User.Email, e.Token,
		e.Action, e.Subject, e.Object, string(target), string(e.Query), string(e.Changes), e.Address, e.UserAgent)
	if err != nil {
		return fmt.Errorf("store audit entry: %w", err)
	}
	return nil
}

type directoryAuditKey struct{}

// WithDirectoryAudit returns a context under which changes by a directory are recorded in the audit log. The store adds the account, whom
// or what it is about and the changes to the entry.
func WithDirectoryAudit(ctx context.Context, entry func() accounts.AuditEntry) context.Context {
	return context.WithValue(ctx, directoryAuditKey{}, entry)
}

// auditDirectory records what a directory changed about a person.
func (t Tx) auditDirectory(ctx context.Context, accountID string, p directory.Person, changes map[string]any) error {
	return t.auditOf(ctx, accountID, p.Name(), map[string]string{"user_id": fmt.Sprint(p.UserID)}, changes)
}

func (t Tx) auditOf(ctx context.Context, accountID, object string, target map[string]string, changes map[string]any) error {
	entry, ok := ctx.Value(directoryAuditKey{}).(func() accounts.AuditEntry)
	if !ok {
		return nil
	}
	e := entry()
	e.AccountID, e.Target, e.Changes = accountID, target, sett.MaskedFields(changes)
	return t.storeAudit(ctx, &audit{entry: func() accounts.AuditEntry { return e }, object: &object})
}

// AuditFilter selects entries of an account's audit log.
type AuditFilter struct {
	UserID    int64     // 0 for all users
	Actions   []string  // none for all actions
	From, To  time.Time // To is exclusive; a zero time sets no bound
	sett.Page           // a cursor is the time and id of an entry
}

const auditRows = `-- accountdb.ListAudit
SELECT id, account_id, at, user_id, user_name, user_email, token, action, subject, object, target, query, changes, address, user_agent
FROM audit_log WHERE account_id = $1 AND at >= $2 AND at < $3 AND (user_id = $4 OR $4 = 0)`

const (
	listAudit     = " AND (at, id) < ($5, $6) ORDER BY at DESC, id DESC LIMIT $7 OFFSET $8"
	listAuditBack = " AND (at, id) >= ($5, $6) ORDER BY at, id LIMIT $7 OFFSET $8"
)

// ListAudit returns a page of an account's audit log, newest first, and its cursors. An invalid cursor is an Invalid error.
func (s *Store) ListAudit(ctx context.Context, accountID string, f AuditFilter) (entries []accounts.AuditEntry, marks sett.Marks, err error) {
	at, id := int64(math.MaxInt64), int64(math.MaxInt64)
	if f.Mark != "" {
		if err := db.ParseMark(f.Mark, &at, &id); err != nil {
			return nil, sett.Marks{}, err
		}
	}
	to := int64(math.MaxInt64)
	if !f.To.IsZero() {
		to = f.To.UnixMicro()
	}
	statement, order := auditRows, listAudit
	if f.Back {
		order = listAuditBack
	}
	skip, most := f.Rows()
	args := []any{accountID, db.Micros(f.From), to, f.UserID, at, id, most, skip}
	if len(f.Actions) > 0 {
		list, actions := db.In(s.db, len(args)+1, f.Actions)
		statement, args = statement+" AND action IN "+list, append(args, actions...)
	}
	rows, err := s.db.Read.QueryContext(ctx, s.db.Text(statement+order), args...)
	entries, err = db.Collect(rows, err, scanAudit)
	if err != nil {
		return nil, sett.Marks{}, fmt.Errorf("list audit log: %w", err)
	}
	entries, marks = sett.Cut(f.Page, entries, func(e accounts.AuditEntry) string { return db.FormatMark(db.Micros(e.At), e.ID) })
	return entries, marks, nil
}

func scanAudit(row db.Row) (accounts.AuditEntry, error) {
	var e accounts.AuditEntry
	var at int64
	var target, query, changes string
	err := row.Scan(&e.ID, &e.AccountID, &at, &e.User.ID, &e.User.Name, &e.User.Email, &e.Token, &e.Action, &e.Subject, &e.Object,
		&target, &query, &changes, &e.Address, &e.UserAgent)
	if err != nil {
		return e, err
	}
	e.At, e.Query, e.Changes = db.FromMicros(at), json.RawMessage(query), json.RawMessage(changes)
	return e, json.Unmarshal([]byte(target), &e.Target)
}

// AuditDownload records in the audit log of all of a user's accounts that they download a backup. If the user was signed out meanwhile,
// the error is Unauthenticated, and they must not get the backup.
func (s *Store) AuditDownload(ctx context.Context, by signin.Session) error {
	return s.ChangeOwn(ctx, "audit download", by, func(t Tx) error {
		t.KeepsCaches = true
		return t.auditOwn(ctx, by.UserID, nil)
	})
}
