package db

import (
	"errors"
	"slices"
	"testing"
)

const (
	addUser = `INSERT INTO users (email, name, password, created_at) SELECT k.email, '', '', 1 FROM {{rows k(email text)}} WHERE true`
	askUser = `SELECT u.email FROM {{rows k(email text)}} JOIN users u ON u.email = k.email`
)

// users returns the addresses of all users.
func users(t *testing.T, d *DB) (all []string) {
	t.Helper()
	rows, err := d.Read.QueryContext(t.Context(), `SELECT email FROM users ORDER BY email`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var one string
		if err := rows.Scan(&one); err != nil {
			t.Fatal(err)
		}
		all = append(all, one)
	}
	return all
}

// Whatever runs at once comes after what was to run later, and all of it is committed together or not at all.
func TestPipelinedTransactions(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, d *DB) {
		ctx, refused := t.Context(), errors.New("refused")
		run := func(end error) error {
			return d.InPipelinedIntakeTx(ctx, "write", func(tx *Tx) error {
				if err := tx.Later(ctx, addUser, []string{"ann@example.test", "ben@example.test"}); err != nil {
					return err
				}
				var found []string
				tx.Ask(askUser, func(r Row) error {
					found = append(found, "")
					return r.Scan(&found[len(found)-1])
				}, []string{"ben@example.test", "cleo@example.test"})
				if err := tx.Answers(ctx); err != nil || !slices.Equal(found, []string{"ben@example.test"}) {
					t.Errorf("found %q, %v", found, err)
				}
				if err := tx.Later(ctx, addUser, []string{"cleo@example.test"}); err != nil {
					return err
				}
				var n int
				if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM users`).Scan(&n); err != nil || n != 3 {
					t.Errorf("%d users, %v", n, err)
				}
				return errors.Join(end, tx.Later(ctx, addUser, []string{"dora@example.test"}))
			})
		}
		if err := run(refused); !errors.Is(err, refused) || users(t, d) != nil {
			t.Errorf("after %v there are users %q", err, users(t, d))
		}
		if err := run(nil); err != nil || len(users(t, d)) != 4 {
			t.Errorf("after %v there are users %q", err, users(t, d))
		}
	})
}

// The error of a statement that was to run later is that of the transaction, whatever ran into it.
func TestPipelinedTransactionsThatFail(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, d *DB) {
		ctx := t.Context()
		for name, end := range map[string]func(*Tx) error{
			"commit": func(*Tx) error { return nil },
			"row": func(tx *Tx) error {
				var n int
				return tx.QueryRowContext(ctx, `SELECT 1`).Scan(&n)
			},
			"answers": func(tx *Tx) error { return tx.Answers(ctx) },
			"next": func(tx *Tx) error {
				_, err := tx.Exec(ctx, `DELETE FROM users`)
				return err
			},
		} {
			err := d.InPipelinedIntakeTx(ctx, "write", func(tx *Tx) error {
				if err := tx.Later(ctx, addUser, []string{"ann@example.test"}); err != nil {
					return err
				}
				if err := tx.Later(ctx, addUser, []string{"ann@example.test"}); err != nil {
					return err
				}
				return end(tx)
			})
			if !d.Conflict(err) || users(t, d) != nil {
				t.Errorf("%s: after %v there are users %q", name, err, users(t, d))
			}
		}
	})
}
